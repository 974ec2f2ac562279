/* The --memory that a refused command should have been given. */
#ifndef GT_CMD_CEILING_H
#define GT_CMD_CEILING_H

#include "cmd/common/cli.h"

/* The command was refused with GT_NOFIT under `limits`, and its engine is released.  Plans it again with more
 * memory (four times what it had, or GT_PLANNING_BYTES: names and tables are read), without output, and puts the smallest --memory whose
 * plan is accepted into the hint. Does nothing where planning would consume an input (standard input) or reads all of it. */
void gt_ceiling_find(struct gt_cli *cli, const struct gt_limits *limits, struct gt_err *err);

#endif
