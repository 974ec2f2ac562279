/* --resume and --verify, of commands that write a store and take GT_SHARED_RESUME.
 *
 * What such a command put into a directory stays as OUT.partial after a signal, SIGKILL too; after
 * an error under --resume only; and if an input comes through a pipe, after SIGKILL alone.  --resume goes on there, if the inputs and the
 * options that the output depends on are the same. */
#ifndef GT_CMD_RESUME_H
#define GT_CMD_RESUME_H

#include "cmd/common/options.h"
#include "storage/store/store.h"

/* Notes the options of the command that values depend on: own ones, of selection and seed. */
int gt_resume_message(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err);
/* GT_USAGE: --resume or --verify of something else than a directory, or --resume of what comes through a pipe. */
int gt_resume_check(const struct gt_cli *cli, struct gt_err *err);

/* Creates the store of -o, or resumes it under --resume; with several ranks collective, and all put values to the same store.  *out NULL:
 * it is already complete, made by the same command from the same inputs, and a message says so; or there was a failure.  GT_INPUT: it was
 * made by another command. */
int gt_resume_create(struct gt_cli *cli, struct gt_store **out, struct gt_err *err);
/* For -n: prints a line of the plan with what --resume would reuse of that many chunks, -1 = not known.  Reads and writes no chunks.
 * GT_INPUT as gt_resume_create. */
int gt_resume_print(const struct gt_cli *cli, int64_t chunks, struct gt_err *err);
/* Collective.  After everything was put, or after a failure with `status`: verifies under --verify, finishes and frees.  Returns the
 * status. */
int gt_resume_finish(struct gt_cli *cli, struct gt_store *out, int status, struct gt_err *err);

void gt_resume_release(void);

#endif
