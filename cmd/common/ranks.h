/* Several ranks: the processes that mpirun or srun started for one command line.  Rank 0 speaks for all: the others print
 * nothing, and their standard output goes nowhere. */
#ifndef GT_CMD_RANKS_H
#define GT_CMD_RANKS_H

#include "cmd/common/options.h"
#include "core/base/str.h"

/* Opens cli->comm: by --mpi (chosen: it was given), or when a launcher announces more than one rank.  GT_USAGE: the command or the build
 * does not run with several ranks, or the launcher is of another MPI.  Called even when the options were wrong, so that one rank says so.
 */
int gt_ranks_open(struct gt_cli *cli, bool chosen, struct gt_err *err);

/* Collective, before any output is opened.  status and err: what the checks of this rank came to.  Returns the status that all
 * ranks go on with, and refuses ranks that were started differently or do not see the same inputs. */
int gt_ranks_agree(struct gt_cli *cli, const struct gt_opt_table *table, int status, struct gt_err *err);

/* Collective.  Divides the cores and the memory of a node between the ranks that share it, where they were not given; then all
 * ranks take the smallest threads and memory of any, so that they make the same plan. */
int gt_ranks_limits(struct gt_cli *cli, struct gt_limits *limits, struct gt_err *err);

/* With --ranks the engine plans for so many, which do not run. */
void gt_ranks_planned(struct gt_cli *cli);

/* From here on the engine's flows stop when another rank fails; and no longer, before the engine is released. */
void gt_ranks_watch(struct gt_cli *cli);
void gt_ranks_unwatch(struct gt_cli *cli);

/* Of a run that another rank's failure cancelled, the status of that failure, which *err becomes (NULL: it is not asked for); else
 * `status`. */
int gt_ranks_status(const struct gt_cli *cli, int status, struct gt_err *err);

/* For cmd->check: GT_USAGE when several ranks were to write anything else than a directory store.  what: "a NumPy array", or NULL: -o
 * is a store. */
int gt_ranks_need_directory(const struct gt_cli *cli, const char *what, struct gt_err *err);

/* Collective, with --trace, after a run that has succeeded: *events, on rank 0, are those of the other ranks as gt_trace_write takes them;
 * with one rank it is left empty. */
int gt_ranks_trace(struct gt_cli *cli, struct gt_str *events, struct gt_err *err);

/* Collective, after the run.  Returns the status that all ranks end with; err is the failure that counts, and has no message
 * but on the rank that prints it. */
int gt_ranks_end(struct gt_cli *cli, int status, struct gt_err *err);
/* After everything was printed. */
void gt_ranks_release(struct gt_cli *cli);

#endif
