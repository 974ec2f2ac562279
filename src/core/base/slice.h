/* --slice: numpy basic slicing, ":,:,1". */
#ifndef GT_BASE_SLICE_H
#define GT_BASE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* One axis; is_index: start is a single index.  A step may be below 0. */
struct gt_slice {
    bool given;
    bool has_start, has_stop, is_index;
    int64_t start, stop, step;
};

/* Parses slices of n_axes axes.  Axes that are omitted are not given.  "..." stands for any number of full axes, so "...,1"
 * slices the last axis.  GT_USAGE for invalid slices and for steps of 0. */
int gt_slice_parse(const char *text, struct gt_slice *axes, int n_axes, struct gt_err *err);

/* GT_USAGE for a step below 0; axis: its name, for the message. */
int gt_slice_check_step(const struct gt_slice *slice, const char *axis, struct gt_err *err);
/* Resolves a slice of an axis with n items like slice.indices of Python: items *start, *start +
 * step, ... below *stop.  GT_USAGE for an index out of range, and for a step below 0. */
int gt_slice_resolve(const struct gt_slice *slice, int64_t n, const char *axis, int64_t *start, int64_t *stop, int64_t *step,
                     struct gt_err *err);
/* Of a slice with a step below 0: the number of items, the first of which is *start. */
int64_t gt_slice_backwards(const struct gt_slice *slice, int64_t n, int64_t *start);

#endif
