/* What the parts of pdist share. */
#ifndef GT_CALC_PDIST_IMPL_H
#define GT_CALC_PDIST_IMPL_H

#include "calc/accumulator.h"
#include "calc/pdist.h"

/* What is counted for a pass over rows [row0, row1). */
struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, struct gt_engine *engine, int64_t row0, int64_t row1);
/* The last row of the pass that begins at row0, + 1: its sums fit their share. */
int64_t gt_pdist_band(const struct gt_pdist_plan *plan, const struct gt_engine *engine, int64_t row0);

#endif
