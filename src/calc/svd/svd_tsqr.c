/* Exact SVD: M = Q R by blocks of rows, R = x diag(s) V' (Benson, Gleich, Demmel 2013).
 *
 * Q is not stored: U = M W with W = V diag(s)^-1 is computed row by row in another pass.  If the s differ much, rounding errors make
 * U non-orthonormal.  Since rounding is the same in each pass, multiplication by the inverse of U's own triangle, computed in one more
 * pass, corrects this; it is repeated if the triangle is far from the identity.
 *
 * A singular value at rounding level does not determine its left vector, which LAPACK completes to an orthonormal basis; its column of U
 * starts as random numbers.  This applies to values below NO_VALUE, and to those whose column of M W is mostly in the span of the
 * previous columns: in an array of equal rows, rounding errors are equal in each row. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "arrays/linalg/streaming_qr.h"
#include "arrays/linalg/tall_qr.h"
#include "calc/svd/array_svd_internal.h"
#include "calc/svd/svd_qr_device.h"
#include "core/base/philox.h"
#include "core/base/size.h"

/* Largest over smallest value up to which U is orthonormal as it is. */
#define EVEN 300
/* A singular value below this proportion of the largest is rounding error. */
#define NO_VALUE (8 * DBL_EPSILON)
/* U's columns may fall to this length in its triangle, and are orthonormal after it was taken off once. */
#define ENOUGH 0.1
/* ... but before that, a column of M W that falls to this is rounding error. */
#define OWN 0.5
/* Triangles, at most. */
enum { TRIANGLES = 4 };

struct run {
    struct gt_svd_array_work *work;
    int64_t n, k, width;
    struct gt_streaming_qr qr;
    struct gt_qr_on_device device;    /* of the QRs of blocks, if there is a device */
    struct gt_buf sums;               /* double [n]: of M's columns */
    struct gt_buf values;             /* double [n] */
    struct gt_buf square;             /* double 2 n x n: x, V' */
    struct gt_buf narrow;             /* double n x width: V, then W */
    struct gt_buf sums_u;             /* double [width]: of U's columns; then the signs of components */
    struct gt_buf inverse[TRIANGLES]; /* double [k][width]: of U's own triangles, one after another */
    int triangles;                    /* that are known */
    struct gt_buf piece[2];           /* double [rows of a piece][width] */
    struct gt_buf drawn;              /* bool [k]: columns of U that begin as random numbers */
};

/* Rows of U that are made at once. */
enum { PIECE = 256 };

static int64_t block_rows(const struct gt_device *device, int64_t columns)
{
    return device ? gt_qr_device_rows(columns) : gt_qr_block_rows(columns);
}

int64_t gt_svd_array_tsqr_bytes(const struct gt_svd_array_plan *plan)
{
    const int64_t n = gt_svd_array_short(plan), narrow = gt_bytes_mul(plan->width, n + TRIANGLES * plan->width + 2 * PIECE + 1);
    const int64_t squares = plan->device ? 4 : 2; /* a triangle above blocks, and one by rows */
    const int64_t values = gt_bytes_add(gt_bytes_mul(squares * n, n), narrow);
    return gt_bytes_add(gt_bytes_add(gt_streaming_qr_bytes(n, block_rows(plan->device, n)),
                                     gt_streaming_qr_bytes(plan->width, block_rows(plan->device, plan->width))),
                        gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), gt_bytes_add(values, 3 * n)), gt_linalg_svd_bytes(n)));
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
        double *rows = gt_streaming_qr_next(&run->qr, &n);
        n = block->n - at < n ? block->n - at : n;
        status = gt_array_tile(&run->work->pass, block, &(struct gt_array_box){at, n, 0, run->n}, rows, run->n, err);
        if (!status)
            add_sums(run, rows, n);
        if (!status)
            status = gt_streaming_qr_add(&run->qr, n, err);
    }
    return status;
}

/* Begins the QR of a matrix with that number of columns. */
static int start_qr(struct run *run, int64_t columns, struct gt_err *err)
{
    const int64_t rows = block_rows(run->work->plan->device, columns);
    int status = gt_streaming_qr_start(&run->qr, columns, rows, &run->work->engine->budget, err);
    return status || !run->work->plan->device ? status : gt_streaming_qr_by(&run->qr, gt_qr_device_factor, &run->device, err);
}

static int find_triangle(struct run *run, struct gt_err *err)
{
    struct gt_array_pass *pass = &run->work->pass;
    const struct gt_matrix_block *block;
    int status = pass->passes++ ? gt_matrix_rewind(pass->matrix, err) : GT_OK;
    if (!status)
        status = gt_matrix_reblock(pass->matrix, INT64_MAX, err);
    while (!status && !(status = gt_matrix_next(pass->matrix, &block, err))) {
        status = take_block(run, block, err);
        gt_matrix_done(pass->matrix, block);
    }
    if (status == GT_END)
        status = gt_array_pass_looked(pass, err);
    return status ? status : gt_streaming_qr_finish(&run->qr, err);
}

/* --- V ---------------------------------------------------------------------------------- */

/* V and, with W, V diag(s)^-1: 0 where s is rounding error. */
static void put_v(struct run *run, bool divided)
{
    const bool *drawn = (const bool *)(const void *)run->drawn.data;
    const double *vt = gt_buf_f64(&run->square) + run->n * run->n, *values = gt_buf_f64(&run->values);
    double *v = gt_buf_f64(&run->narrow);
    memset(v, 0, (size_t)(run->n * run->width) * sizeof *v);
    for (int64_t i = 0; i < run->n; i++)
        for (int64_t c = 0; c < run->k; c++)
            v[i * run->width + c] = !divided ? vt[c + i * run->n] : drawn[c] ? 0 : vt[c + i * run->n] / values[c];
}

static int find_values(struct run *run, struct gt_err *err)
{
    double *x = gt_buf_f64(&run->square), *values = gt_buf_f64(&run->values);
    int status = gt_linalg_svd(run->n, gt_buf_f64(&run->qr.r), values, x, x + run->n * run->n, &run->work->engine->budget, err);
    for (int64_t c = 0; c < run->k && !status; c++)
        ((bool *)(void *)run->drawn.data)[c] = !(values[c] > NO_VALUE * values[0]);
    return status ? status : gt_svd_array_values(run->work, values, run->n, err);
}

/* The sum of a row of A's V is not below 0.  A' is what was read if `turned`: V is on the side of U then. */
static double sign_of(const struct run *run, int64_t c)
{
    const bool turned = run->work->plan->turned;
    const double *vt = gt_buf_f64(&run->square) + run->n * run->n, *sums = gt_buf_f64(&run->sums);
    double sum = turned && run->triangles ? gt_buf_f64(&run->sums_u)[c] : 0;
    for (int64_t i = 0; i < run->n && !(turned && run->triangles); i++)
        sum += (turned ? sums[i] : 1) * vt[c + i * run->n];
    return sum < 0 ? -1 : 1;
}

static void choose_signs(struct run *run)
{
    for (int64_t c = 0; c < run->k; c++)
        gt_buf_f64(&run->sums_u)[c] = sign_of(run, c);
}

/* Rows of vectors get their signs; 0 has none. */
static void put_signs(const struct run *run, double *rows, int64_t n)
{
    const double *signs = gt_buf_f64(&run->sums_u);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < run->k; c++)
            rows[i * run->width + c] = rows[i * run->width + c] * signs[c] + 0.0;
}

static int give_v(struct run *run, struct gt_err *err)
{
    double *v = gt_buf_f64(&run->narrow);
    put_v(run, false);
    put_signs(run, v, run->n);
    return run->work->sink->rows(run->work->sink, run->work->plan->turned, 0, run->n, v, run->width, err);
}

/* --- U ---------------------------------------------------------------------------------- */

/* Columns of rounding error become random ones of about length 1, which the place of a number decides. */
static void draw(const struct run *run, int64_t first, int64_t n, double *rows)
{
    const bool *drawn = (const bool *)(const void *)run->drawn.data;
    const double scale = sqrt(3 / (double)run->work->rows);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < run->k; c++) {
            if (!drawn[c])
                continue;
            const uint32_t at[4] = {(uint32_t)(first + i), (uint32_t)((first + i) >> 32), (uint32_t)c, 2}, key[2] = {0, 0};
            uint32_t bits[4];
            gt_philox(at, key, bits);
            rows[i * run->width + c] = scale * (2 * gt_unit32(bits[0]) - 1);
        }
}

/* Rows [first, first + n) of U, n at most PIECE, of those of M W, as far as triangles are known. */
static double *make_rows(const struct run *run, int64_t first, int64_t n, const double *values)
{
    const size_t size = (size_t)(n * run->width) * sizeof *values;
    double *rows = gt_buf_f64(&run->piece[0]), *next = gt_buf_f64(&run->piece[1]);
    memcpy(rows, values, size);
    draw(run, first, n, rows);
    for (int t = 0; t < run->triangles; t++) {
        double *made = next;
        memset(made, 0, size);
        gt_kernels()->narrow(rows, run->width, 1, n, run->k, gt_buf_f64(&run->inverse[t]), run->width, made);
        next = rows;
        rows = made;
    }
    return rows;
}

static int pass_over(struct run *run, int (*rows)(void *, int64_t, int64_t, const double *, struct gt_err *), struct gt_err *err)
{
    const struct gt_array_products products = {.width = run->width, .right = gt_buf_f64(&run->narrow), .rows = rows, .ctx = run};
    return gt_array_pass_run(&run->work->pass, &products, err);
}

/* U's rows go to its QR. */
static int gather(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err)
{
    struct run *run = ctx;
    int status = GT_OK;
    for (int64_t at = 0, some; at < n && !status; at += some) {
        double *to = gt_streaming_qr_next(&run->qr, &some), *sums = gt_buf_f64(&run->sums_u);
        some = gt_min_i64(gt_min_i64(n - at, some), PIECE);
        const double *rows = make_rows(run, first + at, some, values + at * run->width);
        for (int64_t i = 0; i < some; i++) {
            memcpy(to + i * run->k, rows + i * run->width, (size_t)run->k * sizeof *to);
            for (int64_t c = 0; c < run->k; c++)
                sums[c] += rows[i * run->width + c];
        }
        status = gt_streaming_qr_add(&run->qr, some, err);
    }
    return status;
}

/* The triangle's diagonal becomes positive, so that taking it off keeps the directions of columns; the smallest entry of it is
 * returned. */
static double make_positive(double *r, int64_t n)
{
    double minimum = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = n - 1; j >= i; j--)
            r[i + j * n] = r[i + i * n] < 0 ? -r[i + j * n] : r[i + j * n];
        minimum = fmin(minimum, r[i + i * n]);
    }
    return minimum;
}

/* Finds one more triangle of U, and its inverse; least: its smallest diagonal entry. */
static int find_triangle_of_u(struct run *run, double *minimum, struct gt_err *err)
{
    const int64_t k = run->k, width = run->width;
    struct gt_buf *inverse = &run->inverse[run->triangles];
    double *sums = gt_buf_f64(&run->sums_u);
    gt_streaming_qr_release(&run->qr);
    memset(sums, 0, (size_t)width * sizeof *sums);
    int status = start_qr(run, k, err);
    if (!status)
        status = pass_over(run, gather, err);
    if (!status)
        status = gt_streaming_qr_finish(&run->qr, err);
    if (!status)
        status = gt_buf_zeros(inverse, (size_t)(k * width) * sizeof *sums, err);
    if (status)
        return status;
    *minimum = make_positive(gt_buf_f64(&run->qr.r), k);
    for (int64_t i = 0; i < k; i++)
        gt_buf_f64(inverse)[i * width + i] = 1;
    gt_linalg_solve_upper_turned(k, k, gt_buf_f64(&run->qr.r), k, gt_buf_f64(inverse), width);
    gt_linalg_solve_upper_turned(1, k, gt_buf_f64(&run->qr.r), k, sums, width);
    run->triangles++;
    return GT_OK;
}

/* Columns of M W that are mostly rounding error, by U's first triangle, become random ones.  Returns whether there are any. */
static bool draw_others(struct run *run)
{
    const double *r = gt_buf_f64(&run->qr.r);
    bool *drawn = (bool *)(void *)run->drawn.data, any = false;
    for (int64_t c = 0; c < run->k; c++) {
        const bool own = drawn[c] || r[c + c * run->k] > OWN;
        any |= !own;
        drawn[c] |= !own;
    }
    return any;
}

/* U becomes orthonormal. */
static int find_triangles(struct run *run, struct gt_err *err)
{
    const double *values = gt_buf_f64(&run->values);
    double minimum = values[0] > EVEN * values[run->k - 1] || values[0] == 0 ? 0 : 1;
    int status = GT_OK;
    while (!status && !(minimum > ENOUGH) && run->triangles < TRIANGLES) {
        status = find_triangle_of_u(run, &minimum, err);
        if (!status && run->triangles == 1 && draw_others(run)) {
            gt_buf_release(&run->inverse[0]);
            put_v(run, true);
            run->triangles = 0;
            minimum = 0;
        }
    }
    return status;
}

static int give_rows(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err)
{
    struct run *run = ctx;
    struct gt_svd_array_sink *sink = run->work->sink;
    int status = GT_OK;
    for (int64_t at = 0, some; at < n && !status; at += some) {
        some = gt_min_i64(n - at, PIECE);
        double *rows = make_rows(run, first + at, some, values + at * run->width);
        put_signs(run, rows, some);
        status = sink->rows(sink, !run->work->plan->turned, first + at, some, rows, run->width, err);
    }
    return status;
}

static int start(struct run *run, struct gt_err *err)
{
    struct gt_budget *budget = &run->work->engine->budget;
    const size_t n = (size_t)run->n, size = sizeof(double);
    run->sums.budget = run->values.budget = run->square.budget = run->narrow.budget = run->sums_u.budget = budget;
    run->piece[0].budget = run->piece[1].budget = budget;
    for (int i = 0; i < TRIANGLES; i++)
        run->inverse[i].budget = budget;
    run->drawn.budget = budget;
    int status = run->work->plan->device ? gt_qr_device_start(&run->device, run->work->plan->device, run->n, budget, err) : GT_OK;
    if (!status)
        status = start_qr(run, run->n, err);
    if (!status)
        status = gt_buf_zeros(&run->drawn, (size_t)run->k * sizeof(bool), err);
    if (!status)
        status = gt_buf_zeros(&run->sums, n * size, err);
    if (!status)
        status = gt_buf_resize(&run->values, n * size, err);
    if (!status)
        status = gt_buf_resize(&run->square, 2 * n * n * size, err);
    if (!status)
        status = gt_buf_resize(&run->narrow, n * (size_t)run->width * size, err);
    if (!status)
        status = gt_buf_zeros(&run->sums_u, (size_t)run->width * size, err);
    for (int i = 0; i < 2 && !status; i++)
        status = gt_buf_resize(&run->piece[i], (size_t)(PIECE * run->width) * size, err);
    return status;
}

static void release(struct run *run)
{
    struct gt_buf *const bufs[] = {&run->sums,   &run->values,   &run->square,   &run->narrow,
                                   &run->sums_u, &run->piece[0], &run->piece[1], &run->drawn};
    gt_streaming_qr_release(&run->qr);
    gt_qr_device_release(&run->device);
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < TRIANGLES; i++)
        gt_buf_release(&run->inverse[i]);
}

int gt_svd_array_tsqr(struct gt_svd_array_work *work, struct gt_err *err)
{
    struct run run = {.work = work, .n = work->columns, .k = work->plan->k, .width = work->plan->width};
    int status = start(&run, err);
    if (!status)
        status = find_triangle(&run, err);
    if (!status)
        status = find_values(&run, err);
    if (!status) {
        put_v(&run, true);
        status = find_triangles(&run, err);
    }
    if (!status) {
        choose_signs(&run);
        status = pass_over(&run, give_rows, err);
    }
    if (!status)
        status = give_v(&run, err);
    release(&run);
    return status;
}
