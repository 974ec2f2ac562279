/* --slice: numpy basic slicing written as text, ":,:,1". */
#ifndef GT_GENO_SLICE_H
#define GT_GENO_SLICE_H

#include "base/err.h"
#include "geno/select.h"

#define GT_SLICE_AXES 3 /* variants, samples, ploidy */

/* Axes that the text leaves out stay not given.  "..." stands for whole axes when
 * all three are meant: "...,1" slices the ploidy.  GT_USAGE for what is no slice
 * and for steps below 1 (a slice keeps the order here). */
int gt_slice_parse(const char *text, struct gt_slice axes[GT_SLICE_AXES], struct gt_err *err);

/* The slice of an axis of n items as numpy's slice.indices: items *start, *start +
 * step, ... below *stop.  An index that is not on the axis is GT_USAGE. */
int gt_slice_resolve(const struct gt_slice *slice, int64_t n, const char *axis, int64_t *start, int64_t *stop, int64_t *step,
                     struct gt_err *err);

#endif
