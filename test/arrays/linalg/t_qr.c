/* QR and singular values: calc/linalg_qr.c, calc/tall_qr.h and calc/leaf_qr.h against what they say. */
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "arrays/linalg/streaming_qr.h"
#include "arrays/linalg/tall_qr.h"
#include "test/support/random.h"
#include "test/support/tap.h"

static struct gt_budget budget;
static struct gt_err err;

static double number(void)
{
    return (double)random_below(2001) / 1000 - 1;
}

/* Of rank columns / 2 with `low`. */
static double *new_matrix(int64_t rows, int64_t columns, int64_t lead, bool low)
{
    double *a = malloc((size_t)(rows * lead + 1) * sizeof *a);
    if (!a)
        exit(1);
    for (int64_t i = 0; i < rows * lead; i++)
        a[i] = number();
    for (int64_t i = 0; low && i < rows; i++)
        for (int64_t j = columns / 2; j < columns; j++)
            a[i * lead + j] = j == columns - 1 ? 0 : a[i * lead];
    return a;
}

/* Of a row major q and a column major r: |q r - a| and |q'q - 1|; `a` NULL: the second alone. */
static double off(int64_t rows, int64_t columns, const double *a, const double *q, int64_t lead, const double *r)
{
    double most = 0;
    for (int64_t i = 0; i < rows && a; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = -a[i * lead + j];
            for (int64_t k = 0; k <= j; k++)
                sum += q[i * lead + k] * r[k + j * columns];
            most = fmax(most, fabs(sum));
        }
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = i == j ? -1 : 0;
            for (int64_t k = 0; k < rows; k++)
                sum += q[k * lead + i] * q[k * lead + j];
            most = fmax(most, fabs(sum));
        }
    return most;
}

/* --- in memory ------------------------------------------------------------------------- */

static const struct shape {
    int64_t rows, columns;
} shapes[] = {{1, 1}, {3, 3}, {40, 7}, {65536, 1}, {70000, 1}, {7000, 24}, {2730, 24}, {5461, 24}, {50000, 20}, {900, 130}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double check_shape(const struct shape *shape, bool low)
{
    const int64_t n = shape->columns, lead = n + random_below(3);
    double *a = new_matrix(shape->rows, n, lead, low), *q = new_matrix(shape->rows, n, lead, false), *r = new_matrix(n, n, n, false);
    memcpy(q, a, (size_t)(shape->rows * lead) * sizeof *a);
    double most = gt_tall_qr(shape->rows, n, q, lead, r, &budget, &err) ? INFINITY : off(shape->rows, n, a, q, lead, r);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < n; i++)
            most = r[i + j * n] != 0 ? INFINITY : most;
    most = budget.high > gt_tall_qr_bytes(shape->rows, n) || budget.used ? INFINITY : most;
    free(a), free(q), free(r);
    return most;
}

static void check_tall(void)
{
    double most = 0;
    for (int i = 0; i < 2 * SHAPES; i++) {
        gt_budget_init(&budget, 1 << 28);
        most = fmax(most, check_shape(&shapes[i / 2], i % 2));
    }
    ok(most < 1e-11, "tall matrices, of full rank or not: Q R is the matrix, Q'Q is 1, memory as told: off by %g", most);
}

static void check_times(void)
{
    double most = 0;
    for (int i = 0; i < SHAPES; i++) {
        const int64_t rows = shapes[i].rows, n = shapes[i].columns;
        double *a = new_matrix(rows, n, n, false), *b = new_matrix(n, n, n, false), *c = new_matrix(rows, n, n, false);
        memcpy(c, a, (size_t)(rows * n) * sizeof *a);
        gt_tall_times(rows, n, c, n, b, &budget, &err);
        for (int64_t k = 0; k < 1000; k++) {
            const int64_t row = random_below(rows), column = random_below(n);
            double sum = -c[row * n + column];
            for (int64_t j = 0; j < n; j++)
                sum += a[row * n + j] * b[j + column * n];
            most = fmax(most, fabs(sum));
        }
        free(a), free(b), free(c);
    }
    ok(most < 1e-12, "their products with a square: off by %g", most);
}

/* --- rows that come by and by ------------------------------------------------------------- */

static int row_source(struct gt_streaming_qr *qr, const double *a, int64_t rows, int64_t most)
{
    int status = gt_streaming_qr_start(qr, qr->columns, gt_qr_block_rows(qr->columns), &budget, &err);
    for (int64_t at = 0, room; at < rows && !status; at += room) {
        double *to = gt_streaming_qr_next(qr, &room);
        const int64_t some = 1 + random_below(most);
        room = some < room ? some : room;
        room = rows - at < room ? rows - at : room;
        memcpy(to, a + at * qr->columns, (size_t)(room * qr->columns) * sizeof *a);
        status = gt_streaming_qr_add(qr, room, &err);
    }
    return status ? status : gt_streaming_qr_finish(qr, &err);
}

/* R'R is A'A. */
static double gram_off(const double *a, int64_t rows, const struct gt_streaming_qr *qr)
{
    const double *r = (const double *)(const void *)qr->r.data;
    const int64_t n = qr->columns;
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < rows; k++)
                sum += a[k * n + i] * a[k * n + j];
            for (int64_t k = 0; k <= j; k++)
                sum -= r[k + i * n] * r[k + j * n];
            most = fmax(most, fabs(sum) / (double)rows);
        }
    return most;
}

static void check_leaves(void)
{
    int64_t differ = 0;
    double most = 0;
    for (int i = 0; i < 2 * SHAPES; i++) {
        const int64_t rows = 2 * shapes[i / 2].rows + 1, n = shapes[i / 2].columns;
        double *a = new_matrix(rows, n, n, i % 2);
        struct gt_streaming_qr one = {.columns = n}, other = {.columns = n};
        gt_budget_init(&budget, 1 << 28);
        int status = row_source(&one, a, rows, rows);
        if (budget.high > gt_streaming_qr_bytes(n, gt_qr_block_rows(n)))
            most = INFINITY;
        status |= row_source(&other, a, rows, 1000);
        most = fmax(most, status ? INFINITY : gram_off(a, rows, &one));
        differ += memcmp(one.r.data, other.r.data, one.r.len) != 0;
        gt_streaming_qr_release(&one);
        gt_streaming_qr_release(&other);
        free(a);
    }
    ok(most < 1e-11, "the triangle of rows that come: off by %g", most);
    ok(differ == 0, "the same bits however they come");
    ok(budget.used == 0, "memory given back");
}

/* --- singular values ----------------------------------------------------------------------- */

static double svd_off(int64_t n, const double *a, const double *values, const double *u, const double *vt)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = -a[i + j * n];
            for (int64_t k = 0; k < n; k++)
                sum += u[i + k * n] * values[k] * vt[k + j * n];
            most = fmax(most, fabs(sum));
        }
    for (int64_t i = 1; i < n; i++)
        most = values[i] > values[i - 1] || values[i] < 0 ? INFINITY : most;
    return fmax(most, off(n, n, NULL, vt, n, NULL));
}

static void check_values(void)
{
    static double a[70 * 70], copy[70 * 70], u[70 * 70], vt[70 * 70], values[70];
    double most = 0;
    gt_budget_init(&budget, 1 << 24);
    for (int64_t n = 1; n <= 70; n += 1 + n / 2) {
        for (int64_t i = 0; i < n * n; i++)
            copy[i] = a[i] = i < n * n / 2 ? number() : 0;
        if (gt_linalg_svd(n, copy, values, u, vt, &budget, &err))
            most = INFINITY;
        most = fmax(most, svd_off(n, a, values, u, vt));
    }
    ok(most < 1e-12 && budget.used == 0 && budget.high <= gt_linalg_svd_bytes(70), "singular values and vectors: off by %g", most);
    a[3] = NAN;
    ok(gt_linalg_svd(5, a, values, u, vt, &budget, &err) == GT_INPUT, "a matrix with NaN is refused");
    gt_budget_init(&budget, 64);
    a[3] = 0;
    ok(gt_linalg_svd(70, a, values, u, vt, &budget, &err) == GT_NOFIT, "no more memory than there is");
}

int main(void)
{
    check_tall();
    check_times();
    check_leaves();
    check_values();
    return done_testing();
}
