/* Exact: M = Q R by blocks of rows, R = x diag(s) V' (Benson, Gleich, Demmel 2013).
 *
 * Q is not kept: U = M W with W = V diag(s)^-1 is made in another pass, row by row.  What rounding makes of
 * that is not orthonormal where s differ much; its own triangle, found in one more pass, takes that off
 * again, since the same rounding comes each time. */
#include <float.h>
#include <string.h>

#include "core/base/size.h"
#include "arrays/linalg/streaming_qr.h"
#include "arrays/linalg/linalg.h"
#include "calc/svd/array_svd_internal.h"

/* Largest over smallest value up to which U is orthonormal as it is. */
#define EVEN 1e4

struct run {
    struct gt_svd_array_work *work;
    int64_t n, k, rank, width;
    struct gt_leaf_qr qr;
    struct gt_buf sums;    /* double [n]: of M's columns */
    struct gt_buf values;  /* double [n] */
    struct gt_buf square;  /* double 2 n x n: x, V' */
    struct gt_buf narrow;  /* double n x width: V, then W */
    struct gt_buf mending; /* double [rank][width]: the inverse of U's own triangle */
    struct gt_buf mended;  /* double [rows of a piece][width] */
    bool uneven;
};

/* Rows of M V that are mended at once. */
enum { PIECE = 256 };

int64_t gt_svd_array_tsqr_bytes(const struct gt_svd_array_plan *plan)
{
    const int64_t n = gt_svd_array_short(plan), values = gt_bytes_add(gt_bytes_mul(2 * n, n), gt_bytes_mul(plan->width, 2 * n + PIECE));
    return gt_bytes_add(gt_bytes_add(gt_leaf_qr_bytes(n), gt_leaf_qr_bytes(plan->width)),
                        gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), gt_bytes_add(values, 2 * n)), gt_linalg_svd_bytes(n)));
}

/* --- the triangle ------------------------------------------------------------------------ */

static void add_sums(const struct run *run, const double *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < run->n; j++)
            gt_buf_f64(&run->sums)[j] += rows[i * run->n + j];
}

static int take_block(struct run *run, const struct gt_matrix_block *block, struct gt_err *err)
{
    int status = GT_OK;
    for (int64_t at = 0, n; at < block->n && !status; at += n) {
        double *rows = gt_leaf_qr_next(&run->qr, &n);
        n = block->n - at < n ? block->n - at : n;
        status = gt_array_tile(&run->work->pass, block, at, n, 0, run->n, rows, run->n, err);
        if (!status)
            add_sums(run, rows, n);
        if (!status)
            status = gt_leaf_qr_add(&run->qr, n, err);
    }
    return status;
}

static int find_triangle(struct run *run, struct gt_err *err)
{
    struct gt_array_pass *pass = &run->work->pass;
    const struct gt_matrix_block *block;
    int status = pass->passes++ ? gt_matrix_rewind(pass->matrix, err) : GT_OK;
    if (!status)
        status = gt_matrix_regroup(pass->matrix, INT64_MAX, err);
    while (!status && !(status = gt_matrix_next(pass->matrix, &block, err))) {
        status = take_block(run, block, err);
        gt_matrix_done(pass->matrix, block);
    }
    pass->looked = pass->looked || status == GT_END;
    return status == GT_END ? gt_leaf_qr_finish(&run->qr, err) : status;
}

/* --- V ---------------------------------------------------------------------------------- */

/* The sum of a row of A's V is not below 0. */
static double sign_of(const struct run *run, const double *column)
{
    double sum = 0;
    for (int64_t i = 0; i < run->n; i++)
        sum += (run->work->plan->turned ? gt_buf_f64(&run->sums)[i] : 1) * column[i * run->width];
    return sum < 0 ? -1 : 1;
}

static void put_v(struct run *run)
{
    const double *vt = gt_buf_f64(&run->square) + run->n * run->n;
    double *v = gt_buf_f64(&run->narrow);
    memset(v, 0, (size_t)(run->n * run->width) * sizeof *v);
    for (int64_t c = 0; c < run->rank; c++) {
        for (int64_t i = 0; i < run->n; i++)
            v[i * run->width + c] = vt[c + i * run->n];
        const double sign = sign_of(run, v + c);
        for (int64_t i = 0; i < run->n; i++)
            v[i * run->width + c] = v[i * run->width + c] * sign + 0.0;
    }
}

static int find_values(struct run *run, struct gt_err *err)
{
    double *x = gt_buf_f64(&run->square), *values = gt_buf_f64(&run->values);
    int status = gt_linalg_svd(run->n, gt_buf_f64(&run->qr.r), values, x, x + run->n * run->n, &run->work->engine->budget, err);
    if (status)
        return status;
    gt_svd_array_values(run->work, values, run->n);
    run->rank = run->work->result->rank;
    run->uneven = run->rank && values[0] > EVEN * values[run->rank - 1];
    put_v(run);
    return run->work->sink->rows(run->work->sink, run->work->plan->turned, 0, run->n, gt_buf_f64(&run->narrow), run->width, err);
}

/* --- U ---------------------------------------------------------------------------------- */

static void divide(struct run *run)
{
    for (int64_t i = 0; i < run->n; i++)
        for (int64_t c = 0; c < run->rank; c++)
            gt_buf_f64(&run->narrow)[i * run->width + c] /= gt_buf_f64(&run->values)[c];
}

static int pass_over(struct run *run, int (*rows)(void *, int64_t, int64_t, const double *, struct gt_err *), struct gt_err *err)
{
    const struct gt_array_products products = {.width = run->width, .right = gt_buf_f64(&run->narrow), .rows = rows, .ctx = run};
    return gt_array_pass_run(&run->work->pass, &products, err);
}

static int gather(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err)
{
    struct run *run = ctx;
    int status = GT_OK;
    (void)first;
    for (int64_t at = 0, some; at < n && !status; at += some) {
        double *to = gt_leaf_qr_next(&run->qr, &some);
        some = n - at < some ? n - at : some;
        for (int64_t i = 0; i < some; i++)
            memcpy(to + i * run->rank, values + (at + i) * run->width, (size_t)run->rank * sizeof *to);
        status = gt_leaf_qr_add(&run->qr, some, err);
    }
    return status;
}

/* The triangle's diagonal becomes positive, since Q is to be what U is already, almost. */
static int find_rest(struct run *run, struct gt_err *err)
{
    gt_leaf_qr_release(&run->qr);
    int status = gt_leaf_qr_start(&run->qr, run->rank, &run->work->engine->budget, err);
    if (!status)
        status = pass_over(run, gather, err);
    if (!status)
        status = gt_leaf_qr_finish(&run->qr, err);
    double *r = gt_buf_f64(&run->qr.r);
    for (int64_t i = 0; i < run->rank && !status; i++)
        for (int64_t j = run->rank - 1; j >= i; j--)
            r[i + j * run->rank] = r[i + i * run->rank] < 0 ? -r[i + j * run->rank] : r[i + j * run->rank];
    if (!status)
        status = gt_buf_zeros(&run->mending, (size_t)(run->rank * run->width) * sizeof *r, err);
    for (int64_t i = 0; i < run->rank && !status; i++)
        gt_buf_f64(&run->mending)[i * run->width + i] = 1;
    if (!status)
        gt_linalg_solve_upper_turned(run->rank, run->rank, r, run->rank, gt_buf_f64(&run->mending), run->width);
    return status;
}

static int give_rows(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err)
{
    struct run *run = ctx;
    double *mended = gt_buf_f64(&run->mended);
    int status = GT_OK;
    for (int64_t at = 0, some; at < n && !status; at += some) {
        some = n - at < PIECE ? n - at : PIECE;
        if (run->uneven) {
            memset(mended, 0, (size_t)(some * run->width) * sizeof *mended);
            gt_kernels()->narrow(values + at * run->width, run->width, 1, some, run->rank, gt_buf_f64(&run->mending), run->width, mended);
        } else
            memcpy(mended, values + at * run->width, (size_t)(some * run->width) * sizeof *mended);
        for (int64_t i = 0; i < some * run->width; i++)
            mended[i] += 0.0;
        status = run->work->sink->rows(run->work->sink, !run->work->plan->turned, first + at, some, mended, run->width, err);
    }
    return status;
}

static int start(struct run *run, struct gt_err *err)
{
    struct gt_budget *budget = &run->work->engine->budget;
    const size_t n = (size_t)run->n, size = sizeof(double);
    run->sums.budget = run->values.budget = run->square.budget = run->narrow.budget = run->mended.budget = run->mending.budget = budget;
    int status = gt_leaf_qr_start(&run->qr, run->n, budget, err);
    if (!status)
        status = gt_buf_zeros(&run->sums, n * size, err);
    if (!status)
        status = gt_buf_resize(&run->values, n * size, err);
    if (!status)
        status = gt_buf_resize(&run->square, 2 * n * n * size, err);
    if (!status)
        status = gt_buf_resize(&run->narrow, n * (size_t)run->width * size, err);
    return status ? status : gt_buf_resize(&run->mended, (size_t)(PIECE * run->width) * size, err);
}

int gt_svd_array_tsqr(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct run run = {.work = work, .n = work->columns, .k = work->plan->k, .width = work->plan->width};
    int status = start(&run, err);
    if (!status)
        status = find_triangle(&run, err);
    if (!status)
        status = find_values(&run, err);
    if (!status)
        divide(&run);
    if (!status && run.uneven)
        status = find_rest(&run, err);
    if (!status)
        status = pass_over(&run, give_rows, err);
    gt_leaf_qr_release(&run.qr);
    struct gt_buf *const bufs[] = {&run.sums, &run.values, &run.square, &run.narrow, &run.mended, &run.mending};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    return status;
}
