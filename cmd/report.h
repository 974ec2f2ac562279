/* What the selection and the dosage rules did, told the same way by every command. */
#ifndef GT_CMD_REPORT_H
#define GT_CMD_REPORT_H

#include "cmd/cli.h"
#include "geno/source.h"

/* A note for each kind of sample or site that was dropped, and for half calls;
 * the source's warnings first.  After the source has ended. */
void gt_report_source(struct gt_cli *cli, const struct gt_source *source);

#endif
