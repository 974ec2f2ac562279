/* Block Krylov iteration on M'M, whose columns are the fewer. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arrays/linalg/krylov.h"
#include "arrays/linalg/tall_qr.h"
#include "calc/svd/array_svd_internal.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

/* Residuals that numbers of 15 bits lead to, times the root of columns a row, as of genotypes. */
#define COARSE 3e-4
/* Bits of small integers' products, from pass to pass; 0: all of a double. */
enum { FEW_BITS = 14, SOME_BITS = 27, ALL_BITS = 0 };

struct run {
    struct gt_svd_array_work *work;
    double *left;        /* M's rows x width */
    double *right, *sum; /* M's columns x width */
    int bits;
    struct gt_buf memory;
};

static int64_t narrow_values(const struct gt_svd_array_plan *plan)
{
    return gt_bytes_mul(plan->width, gt_bytes_add(gt_svd_array_long(plan), 2 * gt_svd_array_short(plan)));
}

int64_t gt_svd_array_krylov_bytes(const struct gt_svd_array_plan *plan)
{
    const int64_t square = gt_bytes_mul(gt_bytes_mul(plan->width, plan->width), (int64_t)sizeof(double));
    return gt_bytes_add(gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), narrow_values(plan)), square),
                        gt_bytes_add(gt_krylov_bytes(gt_svd_array_short(plan), plan->width), gt_svd_array_finish_bytes(plan, plan->width)));
}

static void transpose(int64_t rows, int64_t columns, const double *from, double *to)
{
    const int64_t size = (int64_t)sizeof(double);
    gt_kernels()->transpose(sizeof(double), rows, columns, (const uint8_t *)from, columns * size, (uint8_t *)to, rows * size);
}

/* product = M'M columns. */
static int multiply(void *ctx, const double *columns, double *product, struct gt_err *err)
{
    struct run *run = ctx;
    const int64_t n = run->work->columns, width = run->work->plan->width;
    const struct gt_array_products products = {
        .width = width, .right = run->right, .sum = run->sum, .right_bits = run->bits, .left_bits = run->bits};
    transpose(width, n, columns, run->right);
    memset(run->sum, 0, (size_t)(n * width) * sizeof(double));
    int status = gt_array_pass_run(&run->work->pass, &products, err);
    if (!status)
        transpose(n, width, run->sum, product);
    return status;
}

/* --- vectors ----------------------------------------------------------------------------- */

/* Those that were found, orthonormal to the last bits. */
static int put_vectors(struct run *run, const struct gt_krylov_result *found, struct gt_err *err)
{
    const int64_t n = run->work->columns, width = run->work->plan->width;
    const double *vectors = gt_buf_f64(&found->vectors);
    struct gt_budget *budget = &run->work->engine->budget;
    struct gt_buf r = {.budget = budget};
    memset(run->right, 0, (size_t)(n * width) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < found->found; c++)
            run->right[i * width + c] = vectors[c * n + i];
    int status = gt_buf_resize(&r, (size_t)(found->found * found->found) * sizeof(double), err);
    if (!status)
        status = gt_tall_qr(n, found->found, run->right, width, gt_buf_f64(&r), budget, err);
    gt_buf_release(&r);
    return status;
}

/* A = (M V) V', as far as V goes: U and V are singular vectors then, and their residuals are computed in another pass. */
static int project(struct run *run, const struct gt_krylov_result *found, struct gt_err *err)
{
    const struct gt_array_products products = {.width = run->work->plan->width, .right = run->right, .left = run->left};
    const struct gt_svd_array_factors of = {.q = run->right, .b = run->left, .n = found->found};
    int status = put_vectors(run, found, err);
    if (!status)
        status = gt_array_pass_run(&run->work->pass, &products, err);
    if (!status)
        status = gt_svd_array_mend(run->work, &of, err);
    if (!status)
        status = gt_svd_array_solve(run->work, &of, err);
    return status ? status : gt_svd_array_verify(run->work, &of, run->sum, err);
}

/* --- the iteration ------------------------------------------------------------------------ */

/* Passes that are left of those allowed, less the last two. */
static int64_t steps_left(const struct run *run)
{
    return run->work->opts->passes - run->work->pass.passes - 2;
}

/* With `start`, the vectors that stand in `right` are what it begins with. */
static int iterate(struct run *run, bool start, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    const double zero = DBL_EPSILON * (double)work->rows;
    const struct gt_krylov problem = {.n = work->columns,
                                      .k = work->plan->k,
                                      .width = work->plan->width,
                                      .tol = work->opts->tol,
                                      .zero = zero * zero,
                                      .steps = gt_max_i64(steps_left(run), 1),
                                      .seed = work->opts->seed,
                                      .start = start ? run->sum : NULL,
                                      .multiply = multiply,
                                      .ctx = run,
                                      .budget = &work->engine->budget};
    struct gt_krylov_result found;
    if (start)
        transpose(work->columns, work->plan->width, run->right, run->sum);
    int status = gt_krylov_solve(&problem, &found, err);
    if (!status)
        status = project(run, &found, err);
    gt_buf_release(&found.vectors);
    gt_buf_release(&found.values);
    return status;
}

static bool is_good(const struct run *run)
{
    const struct gt_svd_array_result *result = run->work->result;
    bool good = true;
    for (int64_t c = 0; c < result->rank; c++)
        good &= gt_buf_f64(&result->residuals)[c] <= run->work->opts->tol;
    return good;
}

/* Small integers are multiplied with few bits as long as that is enough. */
static int solve(struct run *run, struct gt_err *err)
{
    int status = iterate(run, false, err);
    while (!status && run->work->pass.whole && run->bits != ALL_BITS && steps_left(run) > 0 && !is_good(run)) {
        run->bits = run->bits == FEW_BITS ? SOME_BITS : ALL_BITS;
        status = iterate(run, true, err);
    }
    return status;
}

int gt_svd_array_krylov(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct run run = {.work = work, .memory.budget = &work->engine->budget};
    const double coarse = COARSE * sqrt((double)work->columns / (double)work->rows);
    int status = gt_buf_zeros(&run.memory, (size_t)narrow_values(work->plan) * sizeof(double), err);
    run.left = gt_buf_f64(&run.memory);
    run.right = run.left + work->rows * work->plan->width;
    run.sum = run.right + work->columns * work->plan->width;
    run.bits = work->opts->tol >= coarse ? FEW_BITS : SOME_BITS;
    if (!status)
        status = solve(&run, err);
    const struct gt_svd_array_factors of = {.q = run.right, .b = run.left};
    if (!status)
        status = gt_svd_array_hand_out(work, &of, err);
    gt_buf_release(&run.memory);
    return status;
}
