/* What the ways of calc/svd_array.h share.  M is the array as it is read: A, or its transpose. */
#ifndef GT_CALC_SVD_ARRAY_IMPL_H
#define GT_CALC_SVD_ARRAY_IMPL_H

#include "calc/svd/array_svd.h"

struct gt_svd_array_work {
    struct gt_engine *engine;
    const struct gt_svd_array_plan *plan;
    const struct gt_svd_array_opts *opts;
    int64_t rows, columns; /* of M */
    struct gt_array_pass pass;
    struct gt_svd_array_sink *sink;
    struct gt_svd_array_result *result;
};

int gt_svd_array_krylov(struct gt_svd_array_work *work, struct gt_err *err);
int gt_svd_array_compressed(struct gt_svd_array_work *work, struct gt_err *err);
int gt_svd_array_tsqr(struct gt_svd_array_work *work, struct gt_err *err);

/* Memory of narrow matrices and what is made of them: least of the share. */
int64_t gt_svd_array_krylov_bytes(const struct gt_svd_array_plan *plan);
int64_t gt_svd_array_compressed_bytes(const struct gt_svd_array_plan *plan);
int64_t gt_svd_array_tsqr_bytes(const struct gt_svd_array_plan *plan);

static inline int64_t gt_svd_array_long(const struct gt_svd_array_plan *plan)
{
    return plan->turned ? plan->columns : plan->rows;
}
static inline int64_t gt_svd_array_short(const struct gt_svd_array_plan *plan)
{
    return plan->turned ? plan->rows : plan->columns;
}

/* A = Q B with Q orthonormal, q: n_q x n, and B' = b: n_b x n, both row major, plan->width apart; what
 * is on the rows of M when `rows` says so is q, else b.  Both are lost.  Finds the
 * result's values, and hands out the vectors. */
int gt_svd_array_finish(struct gt_svd_array_work *work, double *q, double *b, bool rows, int64_t n, struct gt_err *err);
/* Bytes that it takes of the budget, at most. */
int64_t gt_svd_array_finish_bytes(const struct gt_svd_array_plan *plan, int64_t n);

/* Where a pass rounds in place what is multiplied: q, n_q x n, was orthonormal before, and is so again; b, n_b x n, was made
 * with it, and becomes what it is with q as it is then.  Row major, plan->width apart. */
int gt_svd_array_mend(struct gt_svd_array_work *work, double *q, int64_t n_q, double *b, int64_t n_b, int64_t n, struct gt_err *err);

/* Exponent of the largest of the numbers, as frexp gives it; 0 where all are 0 or one is infinite.  And numbers times
 * 2^exponent. */
int gt_svd_array_exponent(const double *values, int64_t n);
void gt_svd_array_scale(double *values, int64_t n, int exponent);

/* values[0..n) -> result, of which it sets the rank. */
void gt_svd_array_values(struct gt_svd_array_work *work, const double *values, int64_t n);

#endif
