/* --report: what a run did and where its time went, as a page (.html) or as figures (.json, doc/report.schema.json).
 *
 * It is written soon after the run begins, again every few seconds, and at the end, also of a run that failed or was interrupted.
 * A page is self-contained: the figures stand in it as JSON, and a script draws them. */
#ifndef GT_CMD_RUN_REPORT_H
#define GT_CMD_RUN_REPORT_H

#include "cmd/common/cli.h"

/* GT_USAGE: the name ends neither in .html nor in .json. */
int gt_run_report_check(const struct gt_cli *cli, struct gt_err *err);
/* If cli->report is given, the report is written, or this rank's figures are sent to rank 0 (cmd/common/rank_figures.h), until
 * gt_run_report_end. */
void gt_run_report_begin(struct gt_cli *cli);
/* Writes the report of a run that was refused before it began, because of too little memory.  One that cannot be written is no error. */
void gt_run_report_refused(struct gt_cli *cli, const struct gt_limits *limits, int status, const struct gt_err *ended);
/* Writes the last one: how the run ended (status and its message).  Nothing to do is fine. */
int gt_run_report_end(struct gt_cli *cli, int status, const struct gt_err *ended, struct gt_err *err);

#endif
