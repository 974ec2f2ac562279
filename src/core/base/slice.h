/* --slice: numpy basic slicing written as text, ":,:,1". */
#ifndef GT_BASE_SLICE_H
#define GT_BASE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* Of one axis; is_index: start is a single index. */
struct gt_slice {
    bool given;
    bool has_start, has_stop, is_index;
    int64_t start, stop, step;
};

/* n_axes of them.  Axes that the text leaves out stay not given.  "..." stands for whole
 * axes, so that "...,1" slices the last.  GT_USAGE for what is no slice
 * and for steps below 1 (a slice keeps the order here). */
int gt_slice_parse(const char *text, struct gt_slice *axes, int n_axes, struct gt_err *err);

/* The slice of an axis of n items as numpy's slice.indices: items *start, *start +
 * step, ... below *stop.  An index that is not on the axis is GT_USAGE. */
int gt_slice_resolve(const struct gt_slice *slice, int64_t n, const char *axis, int64_t *start, int64_t *stop, int64_t *step,
                     struct gt_err *err);

#endif
