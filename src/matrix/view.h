/* Views of an array: which of its items, and in which order its axes stand. */
#ifndef GT_MATRIX_VIEW_H
#define GT_MATRIX_VIEW_H

#include "zarr/region.h"

struct gt_matrix_view {
    int array_ndim, ndim;
    int axis[GT_MAX_DIMS];       /* of the view -> of the array */
    struct gt_region all;        /* of the array; an axis that went has one item */
    int64_t stride[GT_MAX_DIMS]; /* of the array's axes: items from one to the next in a block */
};

/* slice as base/slice.h says, NULL = all; an axis that is sliced to one index goes.  GT_USAGE. */
int gt_matrix_view_make(struct gt_matrix_view *view, int ndim, const int64_t *shape, const char *slice, struct gt_err *err);
/* The axes the other way round. */
void gt_matrix_view_transpose(struct gt_matrix_view *view);
/* Rows [first, first + n) of the view. */
void gt_matrix_view_rows(const struct gt_matrix_view *view, int64_t first, int64_t n, struct gt_region *region);

#endif
