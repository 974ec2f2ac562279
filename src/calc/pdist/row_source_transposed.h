/* A row source whose rows run across the input, so that each needs all of it.  Rows are made in slabs as large as memory allows, with
 * a pass over the input for each. */
#ifndef GT_CALC_ROW_SOURCE_SLAB_H
#define GT_CALC_ROW_SOURCE_SLAB_H

#include "calc/pdist/row_source.h"

struct gt_slab_ops {
    /* Sets the memory for reading, at least read_minimum of the input; before make. */
    int (*start)(void *ctx, int64_t memory, struct gt_err *err);
    /* Makes rows [first, first + n), consecutively, with a pass over the input; first is a multiple of GT_SLAB_STEP.  Called in the
     * read callback of a flow. */
    int (*make)(void *ctx, int64_t first, int64_t n, uint8_t *out, struct gt_err *err);
    void (*free)(void *ctx);
};
#define GT_SLAB_STEP 64

/* info: of the rows, with the memory for reading the input; slab_row is added.  Takes over ctx on success. */
int gt_row_source_slab(struct gt_row_source **out, struct gt_engine *engine, const struct gt_slab_ops *ops, void *ctx,
                       const struct gt_row_source_info *info, struct gt_err *err);

#endif
