/* What is said of missing values, and of the scale of numbers, in the array that is written, so that xarray reads there what it read
 * before. */
#ifndef GT_RECHUNK_MISSING_H
#define GT_RECHUNK_MISSING_H

#include "calc/rechunk/store_job.h"

/* *fill: the fill value of the new array, the caller's, NULL = none.  attrs: those of the source, which are changed.  GT_USAGE: a reduction
 * of scaled numbers that has no scale of its own. */
int gt_rechunk_missing(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, enum gt_item_layout form, enum gt_type type,
                       struct json_object *attrs, struct json_object **fill, struct gt_err *err);
/* What --skip-missing leaves out. */
struct gt_reduction_skip gt_rechunk_skip(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job);

#endif
