/* What progress displays show: text made from a moment's view. */
#ifndef GT_CMD_PROGRESS_VIEW_H
#define GT_CMD_PROGRESS_VIEW_H

#include "core/base/limits.h"
#include "core/base/str.h"
#include "core/engine/trace.h"

/* One line, without newline: the step, how far it is, its rate, the time left, memory in use.  A flow must run. */
void gt_progress_line(struct gt_str *out, const struct gt_progress *progress);

/* Lines of at most `width` columns, newlines between them: the time passed and left, busy threads and what is waited for; each
 * flow with a bar, in the order of the data; memory against the limit.  `elapsed`: seconds since the run began. */
void gt_progress_lines(struct gt_str *out, const struct gt_progress *progress, const struct gt_limits *limits, double elapsed, int width);
/* The smallest terminal that has room for them. */
enum { GT_PROGRESS_COLUMNS = 60, GT_PROGRESS_ROWS = GT_PROGRESS_FLOWS + 4 };

#endif
