/* --report of several ranks: each sends its figures to rank 0, which adds them up.
 *
 * They go beside the data of the computation (gt_comm_mpi_post), while it runs and at its end, also of a rank that failed or was
 * interrupted.  Of a rank that was killed rank 0 has those that it sent last. */
#ifndef GT_CMD_RANK_FIGURES_H
#define GT_CMD_RANK_FIGURES_H

#include "cmd/common/cli.h"
#include "core/base/json.h"

/* On another rank than 0.  last: the run has ended. */
void gt_rank_figures_post(struct gt_cli *cli, bool last);
/* On rank 0: waits until the last figures of all ranks have come; when a rank has failed, or a signal came, a second at most. */
void gt_rank_figures_wait(struct gt_cli *cli);
/* On rank 0: the profile of all ranks (gt_trace_profile) and a list `ranks` become members of the report, and time.cpu_user and
 * time.cpu_system those of all. */
int gt_rank_figures_merge(struct gt_cli *cli, bool ended, struct json_object *report, struct gt_err *err);

#endif
