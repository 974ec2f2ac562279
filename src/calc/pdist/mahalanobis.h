/* Mahalanobis distances as euclidean ones: of the samples of a plain array, multiplied by a
 * matrix W with W'W the inverse of the covariance of its sites, or another such matrix.
 *
 * A run: open; the plan of what the row_source is for; then gt_mahalanobis_plan, and gt_mahalanobis_find before
 * that runs. */
#ifndef GT_CALC_MAHALANOBIS_H
#define GT_CALC_MAHALANOBIS_H

#include "calc/pdist/row_source.h"

struct gt_mahalanobis;

/* The matrix is of (samples, sites), the inverse, if not NULL, of (sites, sites), both cast to GT_F64 and borrowed; item, over: what
 * messages call a sample and a site, borrowed. GT_INPUT when there are no more samples than sites, whose covariance then has no inverse, or
 * the inverse has another shape. */
int gt_mahalanobis_open(struct gt_mahalanobis **out, struct gt_engine *engine, struct gt_matrix *matrix, struct gt_matrix *inverse,
                        const char *item, const char *over, struct gt_err *err);
/* Takes the memory of W, of which the row_source's read_least tells.  GT_NOFIT when what is left is
 * not enough to find it. */
int gt_mahalanobis_plan(struct gt_mahalanobis *mahalanobis, struct gt_err *err);
/* Passes over the matrix that find takes; planned. */
int64_t gt_mahalanobis_passes(const struct gt_mahalanobis *mahalanobis);
/* GT_INPUT for a value that is missing or infinite, a covariance that is singular, an inverse
 * that is not of one. */
int gt_mahalanobis_find(struct gt_mahalanobis *mahalanobis, struct gt_err *err);
void gt_mahalanobis_free(struct gt_mahalanobis *mahalanobis); /* NULL is fine */

/* Float64 rows of W times the samples.  white is borrowed; ids: one a sample. */
int gt_row_source_whitened(struct gt_row_source **out, struct gt_mahalanobis *mahalanobis, const struct gt_strs *ids, struct gt_err *err);

#endif
