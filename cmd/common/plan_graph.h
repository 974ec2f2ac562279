/* --graph: the plan of a run, and what of it was run, as a graph in Graphviz's language or as a picture of it.
 *
 * Inputs, steps with their tasks, stages and passes, chunks where there are at most 200, data kept in memory between passes, sums,
 * outputs, shares of memory.  With --dry-run it is what is planned; else it is written after the run. */
#ifndef GT_CMD_PLAN_GRAPH_H
#define GT_CMD_PLAN_GRAPH_H

#include "cmd/common/cli.h"

/* GT_USAGE: the name's ending is unknown, or this build cannot draw that. */
int gt_plan_graph_check(const struct gt_cli *cli, struct gt_err *err);
int gt_plan_graph_write(const struct gt_cli *cli, struct gt_err *err);

#endif
