/* Numbers about columns, from a file of their own: weights, variances. */
#ifndef GT_CMD_PDIST_NUMBERS_H
#define GT_CMD_PDIST_NUMBERS_H

#include "core/base/budget.h"
#include "core/engine/engine.h"

/* All of a .npy of one axis, or of a text of one a line: double, in *numbers.  GT_INPUT for one
 * that is below 0, infinite or NaN. */
int pdist_numbers_read(struct gt_buf *numbers, struct gt_engine *engine, const char *path, struct gt_err *err);

#endif
