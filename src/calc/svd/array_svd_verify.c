/* Residuals of singular vectors, computed from the array in a pass of their own.
 *
 * Of A = Q B' the vectors of B were made as products of the array with those of Q.  So M b = s q, or M'b = s q, is what remains to
 * be verified, on the side of Q. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "calc/svd/array_svd_internal.h"

struct run {
    const struct gt_svd_array_work *work;
    const struct gt_svd_array_factors *of;
    double *squares; /* [k] */
};

/* s of M as passes have it. */
static double value_of(const struct gt_svd_array_work *work, int64_t c)
{
    return ldexp(gt_buf_f64(&work->result->values)[c], -work->pass.exponent);
}

/* Rows [first, first + n) of a product with b. */
static int compare(void *ctx, int64_t first, int64_t n, const double *product, struct gt_err *err)
{
    const struct run *run = ctx;
    const int64_t width = run->work->plan->width;
    (void)err;
    for (int64_t c = 0; c < run->work->plan->k; c++) {
        const double value = value_of(run->work, c);
        for (int64_t i = 0; i < n; i++) {
            const double off = product[i * width + c] - value * run->of->q[(first + i) * width + c];
            run->squares[c] += off * off;
        }
    }
    return GT_OK;
}

/* The square of the cosine between U's first column and a constant one. */
static double find_level(const struct gt_svd_array_work *work, const struct gt_svd_array_factors *of)
{
    const struct gt_svd_array_plan *plan = work->plan;
    const double *u = plan->turned == of->rows ? of->b : of->q;
    double sum = 0;
    for (int64_t i = 0; i < plan->rows; i++)
        sum += u[i * plan->width];
    return sum * sum / (double)plan->rows;
}

/* Rows of M b come by and by, M'b as a whole. */
static int multiply(struct gt_svd_array_work *work, struct run *run, double *spare, struct gt_err *err)
{
    const struct gt_svd_array_factors *of = run->of;
    const int64_t width = work->plan->width;
    if (of->rows) {
        const struct gt_array_products products = {.width = width, .right = of->b, .rows = compare, .ctx = run};
        gt_array_pass_leave_codes(&work->pass);
        return gt_array_pass_run(&work->pass, &products, err);
    }
    const struct gt_array_products products = {.width = width, .left = of->b, .sum = spare};
    memset(spare, 0, (size_t)(work->columns * width) * sizeof *spare);
    int status = gt_array_pass_run(&work->pass, &products, err);
    return status ? status : compare(run, 0, work->columns, spare, err);
}

int gt_svd_array_verify(struct gt_svd_array_work *work, const struct gt_svd_array_factors *of, double *spare, struct gt_err *err)
{
    const int64_t k = work->plan->k;
    struct gt_buf *residuals = &work->result->residuals;
    int status = gt_buf_resize(residuals, (size_t)k * sizeof(double), err);
    if (status)
        return status;
    struct run run = {.work = work, .of = of, .squares = gt_buf_f64(residuals)};
    memset(run.squares, 0, (size_t)k * sizeof *run.squares);
    status = multiply(work, &run, spare, err);
    /* of b, whose values are sums of so many products, where errors add up at random */
    const double rounding = DBL_EPSILON * sqrt((double)(of->rows ? work->rows : work->columns)) * value_of(work, 0);
    for (int64_t c = 0; c < k && !status; c++) {
        const double value = value_of(work, c);
        run.squares[c] = c < work->result->rank ? sqrt(run.squares[c] + rounding * rounding) / value : NAN;
    }
    work->result->level_u = find_level(work, of);
    return status;
}
