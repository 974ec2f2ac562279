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

/* A = Q B' up to what is not of Q: q, n_q x n, orthonormal; b, n_b x n; row major, plan->width apart.  `rows`: q is on the rows
 * of M, and b on its columns; else the other way round. */
struct gt_svd_array_factors {
    double *q, *b;
    bool rows;
    int64_t n;
};

/* q and b become singular vectors; the result gets the values. */
int gt_svd_array_solve(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);
/* Vectors that it made go to the sink. */
int gt_svd_array_hand_out(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);
/* The residuals of vectors that it made, in a pass.  spare: M's columns x width; not used if of->rows. */
int gt_svd_array_verify(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, double *spare, struct gt_err *err);
/* Bytes that they take of the budget, at most. */
int64_t gt_svd_array_finish_bytes(const struct gt_svd_array_plan *plan, int64_t n);

/* Where a pass rounds in place what is multiplied: q was orthonormal before, and is so again; b, which was made with it, becomes
 * what it is with q as it is then. */
int gt_svd_array_mend(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);

/* Exponent of the largest of the numbers, as frexp gives it; 0 where all are 0 or one is infinite.  And numbers times
 * 2^exponent. */
int gt_svd_array_exponent(const double *values, int64_t n);
void gt_svd_array_scale(double *values, int64_t n, int exponent);

/* values[0..n) of M as passes have it -> result, of which it sets the rank.  GT_INPUT when one is not a number then. */
int gt_svd_array_values(struct gt_svd_array_work *work, const double *values, int64_t n, struct gt_err *err);

#endif
