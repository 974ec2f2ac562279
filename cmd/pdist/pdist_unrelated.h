/* Lists of samples without relatives in place of numbers about pairs: --unrelated. */
#ifndef GT_CMD_PDIST_UNRELATED_H
#define GT_CMD_PDIST_UNRELATED_H

#include "calc/pair_files/pair_writers.h"
#include "calc/pdist/metric.h"
#include "cmd/common/cli.h"

/* GT_USAGE for what makes no sense in addition to --unrelated, whose number `most` is.  Lists the outputs
 * (cmd/common/outputs.h) and tells how to open the sink.  In cmd->check, after all other checks. */
int pdist_unrelated_check(double most, const struct gt_cli *cli, const struct gt_metric *metric, struct gt_pairs_opts *pairs,
                          struct gt_err *err);

#endif
