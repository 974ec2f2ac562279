/* What a command is going to write, checked before it opens anything.
 *
 * A command lists in its check function what -o stands for and the files that
 * come with it; those of options of kind GT_OPT_WRITES (--log, --trace) are
 * listed by gt_cli_main, as is -o, of unknown kind, when the command was silent. */
#ifndef GT_CMD_OUTPUTS_H
#define GT_CMD_OUTPUTS_H

#include "cmd/common/options.h"

/* `path` will be written.  option: its name in messages ("-o"), static text.  kind: one of cmd/common/formats.c; "store" is detected
 * from the name; NULL = not known.  "-" is ignored. */
int gt_output_add(const char *option, const char *path, const char *kind, struct gt_err *err);
/* As gt_output_add, of path + suffix. */
int gt_output_add_sidecar(const char *option, const char *path, const char *suffix, const char *kind, struct gt_err *err);

/* A PLINK set: PREFIX.bed, .bim and .fam, or .pgen, .pvar and .psam, of `path` with or without .bed or .pgen. */
int gt_output_add_bed(const char *option, const char *path, struct gt_err *err);
int gt_output_add_pgen(const char *option, const char *path, struct gt_err *err);

/* Registers all inputs (operands, values of GT_OPT_READS), then looks at every
 * output.  GT_USAGE: it is an input or another output, or lies in one.  GT_FAIL:
 * its folder is missing or may not be written, or something stands there already
 * that may not be replaced: a directory, or, but for --force, a regular file that
 * does not look like what is to be written. */
int gt_outputs_check(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err);
/* Called in cmd->check: the meaning of -o depends on the input, and is added later. */
void gt_outputs_by_input(void);
/* gt_output_add and gt_outputs_check for one more, of which only the input tells. */
int gt_output_add_late(const struct gt_cli *cli, const char *option, const char *path, const char *kind, struct gt_err *err);
/* The first path of that kind (cmd/common/formats.c), or NULL. */
const char *gt_output_of_kind(const char *kind);
/* The i-th path of the results, without what --trace, --report, --graph and --log write; NULL after the last. */
const char *gt_output_path(int i);
void gt_outputs_release(void); /* forgets inputs and outputs */

#endif
