/* Fill values, missing values and scales of the output array, so that xarray reads the same values as from the input. */
#ifndef GT_RECHUNK_MISSING_H
#define GT_RECHUNK_MISSING_H

#include "calc/rechunk/store_job.h"

/* *fill: fill value of the new array, owned by the caller, NULL = none.  attrs: attributes of the source, modified.  GT_USAGE: a reduction
 * of scaled numbers without a scale of its own. */
int gt_rechunk_missing(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form, enum gt_type type,
                       struct json_object *attrs, struct json_object **fill, struct gt_err *err);
/* Values ignored by --skip-missing. */
struct gt_reduction_skip gt_rechunk_skip(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job);
/* Does the reduction take values as numbers that surely mean missing?  A fill value of 0, the default of Zarr 2, may be a number. */
bool gt_rechunk_reduces_missing(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job);

#endif
