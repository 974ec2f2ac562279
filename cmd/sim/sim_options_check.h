/* What gt-sim writes, and which of its options say something about it. */
#ifndef GT_CMD_SIM_USES_H
#define GT_CMD_SIM_USES_H

#include "cmd/common/cli.h"

/* FORMAT_ZARR: a matrix of numbers. */
enum format { FORMAT_BY_NAME = -1, FORMAT_PACKED, FORMAT_VCZ, FORMAT_VCF, FORMAT_BED, FORMAT_ZARR };
#define FORMATS "packed|vcz|vcf|bed|zarr"

/* From cmd->check.  GT_USAGE when an option was given that says nothing about what is written.
 * of_rank: the matrix is one of --rank. */
int sim_check_uses(const struct gt_cli *cli, enum format format, bool of_rank, struct gt_err *err);

#endif
