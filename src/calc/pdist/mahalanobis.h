/* Mahalanobis distances of the samples of a plain array, as Euclidean distances after multiplication by a matrix W
 * (whitening), with W'W the inverse covariance of the sites or a given matrix.
 *
 * Sequence of calls: open; plan the consumer of the row source; gt_mahalanobis_plan; gt_mahalanobis_find before
 * the run. */
#ifndef GT_CALC_MAHALANOBIS_H
#define GT_CALC_MAHALANOBIS_H

#include "calc/pdist/row_source.h"

struct gt_mahalanobis;

/* matrix is (samples, sites); inverse is (sites, sites) or NULL; both cast to GT_F64 and borrowed.  item, over: names of a sample
 * and a site in messages, borrowed.  GT_INPUT if the number of samples does not exceed the number of sites, so the covariance is
 * singular, or if the inverse has another shape. */
int gt_mahalanobis_open(struct gt_mahalanobis **out, struct gt_engine *engine, struct gt_matrix *matrix, struct gt_matrix *inverse,
                        const char *item, const char *over, struct gt_err *err);
/* Reserves the memory of W, which is included in read_minimum of the row source.  GT_NOFIT if the rest is not enough to compute
 * W. */
int gt_mahalanobis_plan(struct gt_mahalanobis *mahalanobis, struct gt_err *err);
/* Number of passes over the matrix made by find, after planning. */
int64_t gt_mahalanobis_passes(const struct gt_mahalanobis *mahalanobis);
/* Computes W.  GT_INPUT for missing or infinite values, a singular covariance, or an inverse that is not positive
 * definite. */
int gt_mahalanobis_find(struct gt_mahalanobis *mahalanobis, struct gt_err *err);
void gt_mahalanobis_free(struct gt_mahalanobis *mahalanobis); /* NULL is allowed */

/* A source of float64 rows of W times the samples.  mahalanobis is borrowed; ids: one per sample. */
int gt_row_source_whitened(struct gt_row_source **out, struct gt_mahalanobis *mahalanobis, const struct gt_strs *ids, struct gt_err *err);

#endif
