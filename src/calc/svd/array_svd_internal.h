/* Internals of calc/svd/array_svd.h.  M is the array as it is read: A or its transpose. */
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

/* Memory of narrow matrices and temporaries: the minimum of their allotment. */
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

/* A = Q B' up to the part orthogonal to Q: q, n_q x n, orthonormal; b, n_b x n; row major, plan->width apart.  `rows`: q has the rows of
 * M, b its columns; else vice versa. */
struct gt_svd_array_factors {
    double *q, *b;
    bool rows;
    int64_t n;
};

/* Replaces q and b by singular vectors and sets the values of the result. */
int gt_svd_array_solve(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);
/* Passes the singular vectors to the sink. */
int gt_svd_array_hand_out(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);
/* Computes the residuals in a pass, NaN beyond the rank.  spare: M's columns x width; not used if of->rows. */
int gt_svd_array_verify(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, double *spare, struct gt_err *err);
/* Upper bound of the memory needed by these. */
int64_t gt_svd_array_finish_bytes(const struct gt_svd_array_plan *plan, int64_t n);

/* After a pass that rounds its operand in place: re-orthonormalises q and updates b accordingly. */
int gt_svd_array_mend(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, struct gt_err *err);

/* Exponent of the largest number, as in frexp; 0 if all are 0 or one is infinite; and multiplication of numbers by
 * 2^exponent. */
int gt_svd_array_exponent(const double *values, int64_t n);
void gt_svd_array_scale(double *values, int64_t n, int exponent);

/* Sets the values and the rank of the result from values[0..n) of M as scaled by passes.  GT_INPUT if one is not a number. */
int gt_svd_array_values(struct gt_svd_array_work *work, const double *values, int64_t n, struct gt_err *err);

#endif
