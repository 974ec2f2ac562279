/* Float products, eigenproblem and QR of the host device, by their definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/host_internal.h"

struct fgemm {
    int ta, tb;
    int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
    const void *a, *b;
    void *c;
};

/* Each sum in order of its terms, SIDE of a row at a time. */
enum { SIDE = 8 };
#define RUN_FGEMM(type)                                                                                                                    \
    static void add_side_##type(const struct fgemm *g, int64_t i, const type *b, type *sums)                                               \
    {                                                                                                                                      \
        const int64_t step = g->ta ? g->lda : 1;                                                                                           \
        const type *a = (const type *)g->a + (g->ta ? i : i * g->lda);                                                                     \
        type own[SIDE] = {0};                                                                                                              \
        for (int64_t t = 0; t < g->k; t++, a += step, b += g->ldb)                                                                         \
            for (int c = 0; c < SIDE; c++)                                                                                                 \
                own[c] += *a * b[c];                                                                                                       \
        memcpy(sums, own, sizeof own);                                                                                                     \
    }                                                                                                                                      \
    static type sum_##type(const struct fgemm *g, int64_t i, int64_t j)                                                                    \
    {                                                                                                                                      \
        const type *a = g->a, *b = g->b;                                                                                                   \
        type sum = 0;                                                                                                                      \
        for (int64_t t = 0; t < g->k; t++)                                                                                                 \
            sum += (g->ta ? a[t * g->lda + i] : a[i * g->lda + t]) * (g->tb ? b[j * g->ldb + t] : b[t * g->ldb + j]);                      \
        return sum;                                                                                                                        \
    }                                                                                                                                      \
    static int run_fgemm_##type(const void *args)                                                                                          \
    {                                                                                                                                      \
        const struct fgemm *g = args;                                                                                                      \
        for (int64_t i = 0; i < g->m; i++)                                                                                                 \
            for (int64_t j = 0; j < g->n; j += SIDE) {                                                                                     \
                type sums[SIDE], *c = (type *)g->c + i * g->ldc + j;                                                                       \
                const int64_t n = g->n - j < SIDE ? g->n - j : SIDE;                                                                       \
                if (!g->tb && n == SIDE)                                                                                                   \
                    add_side_##type(g, i, (const type *)g->b + j, sums);                                                                   \
                for (int64_t k = 0; k < n; k++) {                                                                                          \
                    const type sum = !g->tb && n == SIDE ? sums[k] : sum_##type(g, i, j + k);                                              \
                    c[k] = (type)g->alpha * sum + (g->beta != 0 ? (type)g->beta * c[k] : 0);                                               \
                }                                                                                                                          \
            }                                                                                                                              \
        return GT_DEVICE_OK;                                                                                                               \
    }
RUN_FGEMM(float)
RUN_FGEMM(double)

int gt_host_fgemm(struct gt_stream *stream, enum gt_device_float type, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,
                  const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc)
{
    const struct fgemm g = {ta, tb, m, n, k, lda, ldb, ldc, alpha, beta, a, b, c};
    const bool single = type == GT_DEVICE_F32;
    return gt_host_enqueue(stream, GT_HOST_fgemm, gt_host_product_kind(m, n, k, beta == 1, single ? "float32 product" : "float64 product"),
                           0, single ? run_fgemm_float : run_fgemm_double, &g, sizeof g);
}

/* --- symmetric eigenproblem: Jacobi's method (Golub and Van Loan, Matrix Computations, 8.5) ------------------- */

struct dense {
    int64_t m, n, lda, ldr;
    double *a, *r;
};

/* Rotates rows p and q of x, n long. */
static void rotate(double *x, double *y, int64_t n, int64_t step, double c, double s)
{
    for (int64_t i = 0; i < n; i++) {
        const double u = x[i * step], v = y[i * step];
        x[i * step] = c * u - s * v;
        y[i * step] = s * u + c * v;
    }
}

/* One sweep over all pairs; returns whether any rotation was made. */
static bool sweep(double *a, double *vectors, int64_t n)
{
    bool any = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            const double off = a[p * n + q];
            if (fabs(off) <= 0x1p-54 * sqrt(fabs(a[p * n + p] * a[q * n + q])) || off == 0)
                continue;
            const double tau = (a[q * n + q] - a[p * n + p]) / (2 * off);
            const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
            rotate(a + p * n, a + q * n, n, 1, c, s);
            rotate(a + p, a + q, n, n, c, s);
            rotate(vectors + p * n, vectors + q * n, n, 1, c, s);
            any = true;
        }
    return any;
}

/* The rows of vectors into d->a, in ascending order of the diagonal of a. */
static void sort_vectors(const struct dense *d, double *a, const double *vectors)
{
    const int64_t n = d->n;
    for (int64_t j = 0; j < n; j++) {
        int64_t least = -1;
        for (int64_t i = 0; i < n; i++)
            if (!isnan(a[i * n + i]) && (least < 0 || a[i * n + i] < a[least * n + least]))
                least = i;
        d->r[j] = a[least * n + least];
        a[least * n + least] = NAN;
        memcpy(d->a + j * d->lda, vectors + least * n, (size_t)n * sizeof *vectors);
    }
}

static int run_syev(const void *args)
{
    const struct dense *d = args;
    const int64_t n = d->n;
    double *a = calloc((size_t)(2 * n * n) + 1, sizeof *a), *vectors = a ? a + n * n : NULL;
    int sweeps = 0;
    bool finite = true;
    if (!a)
        return gt_host_fail(GT_DEVICE_FAILED, "out of memory");
    for (int64_t i = 0; i < n; i++) {
        vectors[i * n + i] = 1;
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = d->a[i * d->lda + j];
            finite &= isfinite(a[i * n + j]) != 0;
        }
    }
    while (finite && sweeps < 60 && sweep(a, vectors, n))
        sweeps++;
    if (finite && sweeps < 60)
        sort_vectors(d, a, vectors);
    free(a);
    return finite && sweeps < 60 ? GT_DEVICE_OK : gt_host_fail(GT_DEVICE_FAILED, "syev: no convergence");
}

static int run_now(struct gt_stream *stream, int code)
{
    return code ? code : gt_host_stream_wait(stream);
}

int gt_host_syev(struct gt_stream *stream, int64_t n, double *a, int64_t lda, double *values)
{
    const struct dense d = {.n = n, .a = a, .lda = lda, .r = values};
    return run_now(stream, gt_host_enqueue(stream, GT_HOST_syev, n ? "eigenvectors" : NULL, 0, run_syev, &d, sizeof d));
}

/* --- QR: Gram and Schmidt, each column twice; what is left of a dependent column is replaced by a unit vector ------- */

/* In eight sums, which compilers turn into vectors; of many terms by halves, which keeps rounding small. */
static double dot(const double *x, const double *y, int64_t m)
{
    double sums[8] = {0}, rest = 0;
    int64_t i = 0;
    if (m > 256)
        return dot(x, y, m / 16 * 8) + dot(x + m / 16 * 8, y + m / 16 * 8, m - m / 16 * 8);
    for (; i + 8 <= m; i += 8)
        for (int u = 0; u < 8; u++)
            sums[u] += x[i + u] * y[i + u];
    for (; i < m; i++)
        rest += x[i] * y[i];
    for (int u = 0; u < 8; u++)
        rest += sums[u];
    return rest;
}

/* x -= by y */
static void subtract(double *restrict x, const double *restrict y, double by, int64_t m)
{
    int64_t i = 0;
    for (; i + 8 <= m; i += 8)
        for (int u = 0; u < 8; u++)
            x[i + u] -= by * y[i + u];
    for (; i < m; i++)
        x[i] -= by * y[i];
}

/* Takes off columns 0 to j - 1; what it takes is added to column j of r unless r is NULL. */
static void project(const struct dense *d, int64_t j, double *r)
{
    double *column = d->a + j * d->lda;
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < j; i++) {
            const double *q = d->a + i * d->lda, by = dot(q, column, d->m);
            subtract(column, q, by, d->m);
            if (r)
                r[i * d->ldr + j] += by;
        }
}

/* A unit vector that is orthogonal to the columns before: the first axis of which enough is left. */
static void replace(const struct dense *d, int64_t j)
{
    double *column = d->a + j * d->lda;
    for (int64_t axis = 0; axis < d->m; axis++) {
        memset(column, 0, (size_t)d->m * sizeof *column);
        column[axis] = 1;
        project(d, j, NULL);
        const double left = sqrt(dot(column, column, d->m));
        if (left > 0.5 / sqrt((double)d->m)) {
            for (int64_t t = 0; t < d->m; t++)
                column[t] /= left;
            return;
        }
    }
}

static int run_qr(const void *args)
{
    const struct dense *d = args;
    for (int64_t i = 0; i < d->n; i++)
        memset(d->r + i * d->ldr, 0, (size_t)d->n * sizeof *d->r);
    for (int64_t j = 0; j < d->n; j++) {
        double *column = d->a + j * d->lda;
        const double before = sqrt(dot(column, column, d->m));
        project(d, j, d->r);
        const double left = sqrt(dot(column, column, d->m));
        if (left > 0x1p-50 * before) {
            d->r[j * d->ldr + j] = left;
            for (int64_t t = 0; t < d->m; t++)
                column[t] /= left;
        } else {
            replace(d, j);
        }
    }
    return GT_DEVICE_OK;
}

int gt_host_qr(struct gt_stream *stream, int64_t m, int64_t n, double *a, int64_t lda, double *r, int64_t ldr)
{
    const struct dense d = {m, n, lda, ldr, a, r};
    return run_now(stream, gt_host_enqueue(stream, GT_HOST_qr, n ? "QR" : NULL, 0, run_qr, &d, sizeof d));
}
