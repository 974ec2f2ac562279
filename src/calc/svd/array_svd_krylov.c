/* Block Krylov iteration on M'M, whose columns are the fewer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"
#include "arrays/linalg/krylov.h"
#include "calc/svd/array_svd_internal.h"
#include "kernels/kernels.h"

/* Residuals that numbers of 15 bits lead to, times the root of columns a row, as of genotypes. */
#define COARSE 3e-4
/* Exponents of M's numbers from which on the squares of M'M may not be numbers any more. */
enum { FAR = 200 };

struct run {
    struct gt_svd_array_work *work;
    double *left;        /* M's rows x width */
    double *right, *sum; /* M's columns x width */
    int bits;            /* of whole numbers that are multiplied, as --tol has it */
    bool looked;         /* the exponent is known */
    int exponent;        /* it is M / 2^exponent that is decomposed; 0 unless M's numbers are far from 1 */
    struct gt_buf memory;
};

static int64_t narrow_values(const struct gt_svd_array_plan *plan)
{
    return gt_bytes_mul(plan->width, gt_bytes_add(gt_svd_array_long(plan), 2 * gt_svd_array_short(plan)));
}

int64_t gt_svd_array_krylov_bytes(const struct gt_svd_array_plan *plan)
{
    return gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), narrow_values(plan)),
                        gt_bytes_add(gt_krylov_bytes(gt_svd_array_short(plan), plan->width), gt_svd_array_finish_bytes(plan, plan->width)));
}

static void turn(int64_t rows, int64_t columns, const double *from, double *to)
{
    const int64_t size = (int64_t)sizeof(double);
    gt_kernels()->transpose(sizeof(double), rows, columns, (const uint8_t *)from, columns * size, (uint8_t *)to, rows * size);
}

/* sum = M'M columns / 4^exponent.  P, M columns, stays if the exponent is still to be found. */
static int run_pass(struct run *run, const double *columns, struct gt_err *err)
{
    const int64_t n = run->work->columns, width = run->work->plan->width;
    const struct gt_array_products products = {.width = width,
                                               .right = run->right,
                                               .left = run->looked ? NULL : run->left,
                                               .sum = run->sum,
                                               .right_bits = run->bits,
                                               .left_bits = run->bits};
    turn(width, n, columns, run->right);
    gt_svd_array_scale(run->right, n * width, -run->exponent);
    memset(run->sum, 0, (size_t)(n * width) * sizeof(double));
    int status = gt_array_pass_run(&run->work->pass, &products, err);
    gt_svd_array_scale(run->sum, n * width, -run->exponent);
    return status;
}

static int multiply(void *ctx, const double *columns, double *product, struct gt_err *err)
{
    struct run *run = ctx;
    const int64_t n = run->work->columns, width = run->work->plan->width;
    int status = run_pass(run, columns, err);
    if (!status && !run->looked) {
        run->looked = true;
        run->exponent = gt_svd_array_exponent(run->left, run->work->rows * width);
        run->exponent = abs(run->exponent) > FAR ? run->exponent : 0;
        status = run->exponent ? run_pass(run, columns, err) : GT_OK;
    }
    if (!status)
        turn(n, width, run->sum, product);
    return status;
}

/* A = (M V) V', as far as V goes. */
static int project(struct run *run, const struct gt_krylov_result *found, struct gt_err *err)
{
    const int64_t n = run->work->columns, width = run->work->plan->width;
    const double *vectors = (const double *)(const void *)found->vectors.data;
    const struct gt_array_products products = {.width = width, .right = run->right, .left = run->left};
    memset(run->right, 0, (size_t)(n * width) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < found->found; c++)
            run->right[i * width + c] = vectors[c * n + i];
    int status = gt_array_pass_run(&run->work->pass, &products, err);
    if (!status)
        status = gt_svd_array_mend(run->work, run->right, n, run->left, run->work->rows, found->found, err);
    return status ? status : gt_svd_array_finish(run->work, run->right, run->left, false, found->found, err);
}

static int solve(struct run *run, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    const struct gt_krylov problem = {.n = work->columns,
                                      .k = work->plan->k,
                                      .width = work->plan->width,
                                      .tol = work->opts->tol,
                                      .steps = work->opts->passes > 1 ? work->opts->passes - 1 : 1,
                                      .seed = work->opts->seed,
                                      .multiply = multiply,
                                      .ctx = run,
                                      .budget = &work->engine->budget};
    struct gt_krylov_result found;
    int status = gt_krylov_solve(&problem, &found, err);
    work->result->residual = found.residual;
    if (!status)
        status = project(run, &found, err);
    gt_buf_release(&found.vectors);
    gt_buf_release(&found.values);
    return status;
}

int gt_svd_array_krylov(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct run run = {.work = work, .memory.budget = &work->engine->budget};
    int status = gt_buf_zeros(&run.memory, (size_t)narrow_values(work->plan) * sizeof(double), err);
    run.left = (double *)(void *)run.memory.data;
    run.right = run.left + work->rows * work->plan->width;
    run.sum = run.right + work->columns * work->plan->width;
    run.bits = work->opts->tol >= COARSE * sqrt((double)work->columns / (double)work->rows) ? 14 : 27;
    if (!status)
        status = solve(&run, err);
    gt_buf_release(&run.memory);
    return status;
}
