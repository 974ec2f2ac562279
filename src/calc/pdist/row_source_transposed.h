/* A row_source of rows that stand across the input: each of them takes a value from all of it.  So
 * they are made many at a time, as many as memory holds, by one pass over the input. */
#ifndef GT_CALC_ROW_SOURCE_SLAB_H
#define GT_CALC_ROW_SOURCE_SLAB_H

#include "calc/pdist/row_source.h"

struct gt_slab_ops {
    /* The share of memory that reading has, the input's read_least or more; before make. */
    int (*start)(void *ctx, int64_t memory, struct gt_err *err);
    /* Rows [first, first + n), first being a multiple of GT_SLAB_STEP, one behind another, by a
     * pass over the input: in the read callback of a flow. */
    int (*make)(void *ctx, int64_t first, int64_t n, uint8_t *out, struct gt_err *err);
    void (*free)(void *ctx);
};
#define GT_SLAB_STEP 64

/* info: of the rows, with what reading the input takes; slab_row is all that is added.  ctx
 * becomes the row_source's, unless this fails. */
int gt_row_source_slab(struct gt_row_source **out, struct gt_engine *engine, const struct gt_slab_ops *ops, void *ctx,
                       const struct gt_row_source_info *info, struct gt_err *err);

#endif
