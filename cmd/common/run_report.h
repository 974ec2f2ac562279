/* --report: what a run did and where its time went, as a page (.html) or as figures (.json, doc/report.schema.json).
 *
 * A page is written when the run begins, again every few seconds, and at the end, also of a run that failed or was interrupted.
 * It is self-contained: the figures stand in it as JSON, and a script draws them. */
#ifndef GT_CMD_RUN_REPORT_H
#define GT_CMD_RUN_REPORT_H

#include "cmd/common/cli.h"

/* GT_USAGE: the name ends neither in .html nor in .json. */
int gt_run_report_check(const struct gt_cli *cli, struct gt_err *err);
/* Writes the first page, if cli->report is given; the report is rewritten until gt_run_report_end. */
int gt_run_report_begin(struct gt_cli *cli, struct gt_err *err);
/* Writes the last one: how the run ended (status and its message).  Nothing to do is fine. */
int gt_run_report_end(struct gt_cli *cli, int status, const struct gt_err *ended, struct gt_err *err);

#endif
