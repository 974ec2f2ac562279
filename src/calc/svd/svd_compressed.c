/* Random projection (Halko, Martinsson, Tropp 2011), with the steps of dask.array.linalg.svd_compressed:
 *
 *     Y = A Sketch;  `power` times  Y = A (A'Y),  or, with QR, with orthonormalisation after each product;
 *     A = Y R^-1 B,  and B, which has few rows, is decomposed.
 *
 * If M = A, products with A are made row by row and products with A' are sums; if M = A', vice versa. */
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "arrays/linalg/tall_qr.h"
#include "calc/svd/array_svd_internal.h"
#include "core/base/philox.h"
#include "core/base/size.h"

/* If the condition number of Y is below this, B = R^-T Y'A replaces Q'A, which takes one more pass.  Rounding of B is larger by that
 * number, so not where residuals are asked for. */
#define ROUND 1e3

/* Bits of whole numbers that are multiplied: of random ones; and where what is rounded is but other random numbers. */
enum { FEW_BITS = 7, SOME_BITS = 14 };

struct run {
    struct gt_svd_array_work *work;
    int64_t level, width;
    double *left;         /* M's rows x width */
    double *sum, *before; /* M's columns x width */
    struct gt_buf memory;
};

static int64_t narrow_values(const struct gt_svd_array_plan *plan)
{
    return gt_bytes_mul(plan->width, gt_bytes_add(gt_svd_array_long(plan), 2 * gt_svd_array_short(plan)));
}

int64_t gt_svd_array_compressed_bytes(const struct gt_svd_array_plan *plan)
{
    return gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), narrow_values(plan)), gt_svd_array_finish_bytes(plan, plan->level));
}

static int start(struct run *run, struct gt_svd_array_work *work, struct gt_err *err)
{
    *run = (struct run){.work = work, .level = work->plan->level, .width = work->plan->width, .memory.budget = &work->engine->budget};
    int status = gt_buf_zeros(&run->memory, (size_t)narrow_values(work->plan) * sizeof(double), err);
    run->left = (double *)(void *)run->memory.data;
    run->sum = run->left + work->rows * run->width;
    run->before = run->sum + work->columns * run->width;
    return status;
}

/* --- the sketch ------------------------------------------------------------------------ */

static int check_sketch(const struct run *run, const struct gt_matrix_info *info, int64_t n, struct gt_err *err)
{
    if (info->ndim == 2 && info->rows == n && info->columns == run->level)
        return GT_OK;
    gt_fail(err, GT_INPUT, "'%s' is %lld x %lld; a sketch of '%s' must be %lld x %lld", info->name, (long long)info->rows,
            (long long)info->columns, gt_matrix_info(run->work->pass.matrix)->name, (long long)n, (long long)run->level);
    gt_hint(err, "one row per column of the array, and max(K + oversample, 20) columns, but no more than the array's shorter side");
    return GT_INPUT;
}

static int read_sketch(const struct run *run, double *sketch, int64_t n, struct gt_err *err)
{
    struct gt_matrix *from = run->work->opts->sketch;
    const struct gt_matrix_block *block;
    int status = check_sketch(run, gt_matrix_info(from), n, err);
    while (!status && !(status = gt_matrix_next(from, &block, err))) {
        const double *values = (const double *)(const void *)block->values.data;
        for (int64_t i = 0; i < block->n * run->level; i++) {
            const int64_t row = block->first + i / run->level;
            if (!isfinite(values[i]))
                status = gt_fail(err, GT_INPUT, "'%s': a value of row %lld is not finite", gt_matrix_info(from)->name, (long long)row);
            sketch[row * run->width + i % run->level] = values[i];
        }
        gt_matrix_done(from, block);
    }
    return status == GT_END ? GT_OK : status;
}

static int put_sketch(const struct run *run, double *sketch, int64_t n, struct gt_err *err)
{
    if (run->work->opts->sketch)
        return read_sketch(run, sketch, n, err);
    gt_random_matrix(run->work->opts->seed, n, run->level, sketch, run->width, 1);
    return GT_OK;
}

/* --- products --------------------------------------------------------------------------- */

/* `right` may share memory with the previous `sum`, which the product may then overwrite.  last: the columns that A is projected on are
 * the operand of M', or of M if nothing is multiplied by M'; rounding of earlier operands acts like different random
 * numbers. */
static int multiply(struct run *run, double *right, double *left, double *sum, bool last, struct gt_err *err)
{
    const int right_bits = run->work->pass.passes == 0 ? FEW_BITS : last && !sum ? 0 : SOME_BITS;
    const struct gt_array_products products = {
        .width = run->width, .right = right, .left = left, .sum = sum, .right_bits = right_bits, .left_bits = last ? 0 : SOME_BITS};
    if (sum)
        memset(sum, 0, (size_t)(run->work->columns * run->width) * sizeof *sum);
    return gt_array_pass_run(&run->work->pass, &products, err);
}

static void swap(struct run *run)
{
    double *sum = run->sum;
    run->sum = run->before;
    run->before = sum;
}

static int orthonormal(const struct run *run, double *a, int64_t n, double *r, struct gt_err *err)
{
    return gt_tall_qr(n, run->level, a, run->width, r, &run->work->engine->budget, err);
}

/* Power after power numbers grow; as long as that is by powers of 2, nothing else changes. */
static void scale(const struct run *run, double *values)
{
    const int64_t n = run->work->columns * run->width;
    gt_svd_array_scale(values, n, -gt_svd_array_exponent(values, n));
}

/* sum = (M'M)^times sum, in which power iterations leave it; of whole numbers an orthonormal basis of that, of which
 * the largest column takes no digits from the others. */
static int iterate(struct run *run, int64_t times, double *r, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    int status = GT_OK;
    for (int64_t i = 0; i < times && !status; i++) {
        swap(run);
        status = multiply(run, run->before, NULL, run->sum, false, err);
        if (!status && work->pass.whole)
            status = orthonormal(run, run->sum, work->columns, r, err);
        else if (!status)
            scale(run, run->sum);
    }
    return status;
}

/* Is it round enough?  R is lost. */
static int look_at(const struct run *run, const double *r, double *small, bool *is_round, struct gt_err *err)
{
    const int64_t n = run->level;
    memcpy(small, r, (size_t)(n * n) * sizeof *r);
    int status = gt_linalg_svd(n, small, small + n * n, small + n * n + n, small + 2 * n * n + n, &run->work->engine->budget, err);
    *is_round = !status && small[n * n] < ROUND * small[n * n + n - 1];
    return status;
}

/* Q is on the rows of the array. */
static struct gt_svd_array_factors factors_of(const struct run *run)
{
    const bool rows = !run->work->plan->turned;
    return (struct gt_svd_array_factors){.q = rows ? run->left : run->sum, .b = rows ? run->sum : run->left, .rows = rows, .n = run->level};
}

static int mend(const struct run *run, struct gt_err *err)
{
    const struct gt_svd_array_factors of = factors_of(run);
    return gt_svd_array_mend(run->work, &of, err);
}

static int finish(const struct run *run, struct gt_err *err)
{
    const struct gt_svd_array_factors of = factors_of(run);
    int status = gt_svd_array_solve(run->work, &of, err);
    if (!status && run->work->opts->verify)
        status = gt_svd_array_verify(run->work, &of, run->before, err);
    return status ? status : gt_svd_array_hand_out(run->work, &of, err);
}

/* --- A is what is read -------------------------------------------------------------------- */

/* Y in left, and Y'A in sum, with a pass; then Q in left and B in sum, if need be with one more. */
static int project(struct run *run, double *r, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    bool is_round = false;
    swap(run);
    int status = multiply(run, run->before, run->left, run->sum, true, err);
    if (!status)
        status = orthonormal(run, run->left, work->rows, r, err);
    if (!status && !work->opts->verify)
        status = look_at(run, r, r + run->level * run->level, &is_round, err);
    if (!status && is_round)
        gt_linalg_solve_upper_turned(work->columns, run->level, r, run->level, run->sum, run->width);
    else if (!status)
        status = multiply(run, NULL, run->left, run->sum, true, err);
    return status || is_round ? status : mend(run, err);
}

static int by_rows_qr(struct run *run, double *r, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    int status = multiply(run, run->sum, run->left, NULL, false, err);
    if (!status)
        status = orthonormal(run, run->left, work->rows, r, err);
    for (int64_t i = 0; i < work->opts->power && !status; i++) {
        status = multiply(run, NULL, run->left, run->sum, false, err);
        if (!status)
            status = orthonormal(run, run->sum, work->columns, r, err);
        if (!status)
            status = multiply(run, run->sum, run->left, NULL, false, err);
        if (!status)
            status = orthonormal(run, run->left, work->rows, r, err);
    }
    if (!status)
        status = multiply(run, NULL, run->left, run->sum, true, err);
    return status ? status : mend(run, err);
}

static int by_rows(struct run *run, double *r, struct gt_err *err)
{
    struct gt_svd_array_work *work = run->work;
    int status = put_sketch(run, run->sum, work->columns, err);
    if (!status && work->opts->qr)
        status = by_rows_qr(run, r, err);
    else if (!status) {
        status = iterate(run, work->opts->power, r, err);
        status = status ? status : project(run, r, err);
    }
    return status ? status : finish(run, err);
}

/* --- A' is what is read -------------------------------------------------------------------- */

static int by_columns_qr(struct run *run, double *r, struct gt_err *err)
{
    const struct gt_svd_array_work *work = run->work;
    int status = orthonormal(run, run->sum, work->columns, r, err);
    for (int64_t i = 0; i < work->opts->power && !status; i++) {
        status = multiply(run, run->sum, run->left, NULL, false, err);
        if (!status)
            status = orthonormal(run, run->left, work->rows, r, err);
        if (!status)
            status = multiply(run, NULL, run->left, run->sum, false, err);
        if (!status)
            status = orthonormal(run, run->sum, work->columns, r, err);
    }
    return status;
}

static int by_columns(struct run *run, double *r, struct gt_err *err)
{
    struct gt_svd_array_work *work = run->work;
    int status = put_sketch(run, run->left, work->rows, err);
    if (!status)
        status = multiply(run, NULL, run->left, run->sum, false, err);
    if (!status && work->opts->qr)
        status = by_columns_qr(run, r, err);
    else if (!status) {
        status = iterate(run, work->opts->power, r, err);
        status = status ? status : orthonormal(run, run->sum, work->columns, r, err);
    }
    if (!status)
        status = multiply(run, run->sum, run->left, NULL, true, err);
    if (!status)
        status = mend(run, err);
    return status ? status : finish(run, err);
}

int gt_svd_array_compressed(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct gt_buf small = {.budget = &work->engine->budget};
    struct run run;
    int status = start(&run, work, err);
    if (!status)
        status = gt_buf_resize(&small, (size_t)((4 * run.level + 1) * run.level) * sizeof(double), err);
    if (!status)
        status = (work->plan->turned ? by_columns : by_rows)(&run, (double *)(void *)small.data, err);
    gt_buf_release(&small);
    gt_buf_release(&run.memory);
    return status;
}
