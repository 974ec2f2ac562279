/* The task graph of gt-pi: chunks, their partial sums, the aggregate. */
#ifndef GT_CMD_PI_GRAPH_H
#define GT_CMD_PI_GRAPH_H

#include "calc/pi/pi.h"

/* A graph of more chunks cannot be looked at. */
#define GT_PI_GRAPH_MAX 4096

/* GT_USAGE unless path is "-" or ends in .dot, .gv or .svg, and the plan is small enough. */
int gt_pi_graph_check(const struct gt_pi_plan *plan, const char *path, struct gt_err *err);
int gt_pi_graph_write(const struct gt_pi_plan *plan, const char *path, struct gt_err *err);

#endif
