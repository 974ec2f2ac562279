/* Views of an array: which of its items, and in which order its axes stand. */
#ifndef GT_MATRIX_VIEW_H
#define GT_MATRIX_VIEW_H

#include "arrays/zarr/region.h"
#include "core/base/slice.h"

struct gt_matrix_view {
    int array_ndim, ndim;
    int axis[GT_MAX_DIMS];            /* of the view -> of the array */
    struct gt_region all;             /* of the array; an axis that went has one item */
    const int64_t *list[GT_MAX_DIMS]; /* of the array's axes: the places of their items in its stead, all.count of them, NULL where
                                         there is none; of rechunking alone, borrowed */
    int64_t stride[GT_MAX_DIMS];      /* of the array's axes: items from one to the next in a block */
};

/* slice as base/slice.h says, NULL = all; an axis that is sliced to one index goes.  GT_USAGE. */
int gt_matrix_view_make(struct gt_matrix_view *view, int ndim, const int64_t *shape, const char *slice, struct gt_err *err);
/* The same of slices that were parsed, `ndim` of them; NULL = all. */
int gt_matrix_view_slice(struct gt_matrix_view *view, int ndim, const int64_t *shape, const struct gt_slice *axes, struct gt_err *err);
/* The axes the other way round. */
void gt_matrix_view_transpose(struct gt_matrix_view *view);
/* The axes in another order: order[i] is the number that axis i of the view has now. */
void gt_matrix_view_order(struct gt_matrix_view *view, const int *order);
/* Of an axis of the array: items start, start + step, ... count of them; the axis goes where that is said. */
void gt_matrix_view_pick(struct gt_matrix_view *view, int axis, int64_t start, int64_t count, int64_t step, bool goes);
/* Rows [first, first + n) of the view. */
void gt_matrix_view_rows(const struct gt_matrix_view *view, int64_t first, int64_t n, struct gt_region *region);

#endif
