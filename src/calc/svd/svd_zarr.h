/* Singular values and vectors as a Zarr group of arrays u (rows x k), s (k) and v (k x columns), float64. */
#ifndef GT_OUT_SVD_ZARR_H
#define GT_OUT_SVD_ZARR_H

#include "calc/svd/array_svd.h"

struct gt_svd_zarr;
/* path: of a directory, or of a zip; replace and command as gt_store_create has them.  The sink is part of it. */
int gt_svd_zarr_open(struct gt_svd_zarr **out, const char *path, bool replace, const char *command, const struct gt_svd_array_plan *plan,
                     struct gt_budget *budget, struct gt_err *err);
struct gt_svd_array_sink *gt_svd_zarr_sink(struct gt_svd_zarr *zarr);
/* values: k of them; history: provenance, NULL = none.  The store appears. */
int gt_svd_zarr_finish(struct gt_svd_zarr *zarr, const double *values, const char *history, struct gt_err *err);
void gt_svd_zarr_free(struct gt_svd_zarr *zarr); /* without finish nothing is left; NULL is fine */

#endif
