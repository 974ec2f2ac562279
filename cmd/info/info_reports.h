/* Reports of runs (--report FILE.json of any command) as a table. */
#ifndef GT_CMD_INFO_REPORTS_H
#define GT_CMD_INFO_REPORTS_H

#include "cmd/common/cli.h"
#include "core/base/outfile.h"

/* Are all operands such reports?  Then a report of this run, whose name is that of another one, is read too and is not written. */
bool info_are_reports(struct gt_cli *cli);
/* A line of each, or with --json an array of the reports' figures. */
int info_reports(const struct gt_cli *cli, struct gt_outfile *out, struct gt_err *err);

#endif
