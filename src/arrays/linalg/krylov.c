#include "arrays/linalg/krylov.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/philox.h"
#include "arrays/linalg/linalg.h"
#include "core/engine/shares.h"

/* Blocks of a basis, at most, and those kept of a full one. */
enum { BLOCKS = 24, KEPT = 3 };

/* A column whose length falls to this share of what it was has nothing new. */
#define NOTHING 1e-8
/* Values below this share of the largest one are zero. */
#define NO_VALUE 1e-9

struct state {
    const struct gt_krylov *problem;
    int64_t n, width, cap; /* cap: columns of a basis */
    int64_t m;             /* columns of the basis that were multiplied */
    int64_t fresh;         /* columns behind them: the next block */
    double *basis;         /* n x (cap + width) */
    double *product;       /* n x width */
    double *small;         /* cap x cap: the matrix, seen from the basis */
    double *solved;        /* cap x cap: what LAPACK overwrites */
    double *vectors;       /* m x (as many as were asked for): of small */
    double *seen, *more;   /* cap x width: what a product has of the basis */
    double *rest;          /* width x width: the last product, less that, is the next block times this */
    double *values;        /* of small */
    double *before;        /* lengths of the columns of a product */
    struct gt_buf memory;
};

static int64_t cap_of(int64_t n, int64_t width)
{
    return n < BLOCKS * width ? n : BLOCKS * width;
}

/* In bytes: as start cuts it up. */
static int64_t state_bytes(int64_t n, int64_t width)
{
    const int64_t cap = cap_of(n, width);
    const int64_t tall = gt_bytes_mul(n, cap + 2 * width), low = 3 * cap * cap + 2 * cap * width + width * width + cap + width;
    return gt_bytes_mul(gt_bytes_add(tall, low), (int64_t)sizeof(double));
}

static int64_t result_bytes(int64_t n, int64_t width)
{
    return gt_bytes_mul(gt_bytes_mul(n + 1, width), (int64_t)sizeof(double));
}

int64_t gt_krylov_bytes(int64_t n, int64_t width)
{
    const int64_t cap = cap_of(n, width);
    return gt_bytes_add(gt_bytes_add(state_bytes(n, width), result_bytes(n, width)), gt_linalg_eigen_bytes(cap, cap));
}

static int start(struct state *s, const struct gt_krylov *problem, struct gt_err *err)
{
    const int64_t n = problem->n, width = problem->width, cap = cap_of(n, width);
    *s = (struct state){.problem = problem, .n = n, .width = width, .cap = cap, .memory.budget = problem->budget};
    int status = gt_buf_zeros(&s->memory, (size_t)state_bytes(n, width), err);
    s->basis = (double *)(void *)s->memory.data;
    s->product = s->basis + n * (cap + width);
    s->small = s->product + n * width;
    s->solved = s->small + cap * cap;
    s->vectors = s->solved + cap * cap;
    s->seen = s->vectors + cap * cap;
    s->more = s->seen + cap * width;
    s->rest = s->more + cap * width;
    s->values = s->rest + width * width;
    s->before = s->values + cap;
    return status;
}

/* --- columns ----------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add(double *x, double factor, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] += factor * y[i];
}

/* Takes what the product's first columns have of the first m of the basis off them, and adds that
 * to `seen`. */
static void take_off(struct state *s, int64_t m, int64_t columns)
{
    const struct gt_matrix_ref basis = {s->basis, s->n, false}, turned = {s->basis, s->n, true}, of = {s->product, s->n, false};
    const struct gt_matrix_ref more = {s->more, s->cap, false};
    gt_linalg_product(m, columns, s->n, &turned, &of, 0, s->more, s->cap);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = c * s->cap; i < c * s->cap + m; i++) {
            s->seen[i] += s->more[i];
            s->more[i] = -s->more[i];
        }
    gt_linalg_product(s->n, columns, m, &basis, &more, 1, s->product, s->n);
}

/* The product's columns, without the basis in them, become orthonormal behind its first m; those that
 * have nothing of their own are left out. */
static void add_columns(struct state *s, int64_t m, int64_t columns)
{
    s->fresh = 0;
    memset(s->rest, 0, (size_t)(s->width * s->width) * sizeof *s->rest);
    for (int64_t c = 0; c < columns && m + s->fresh < s->n; c++) {
        double *at = s->product + c * s->n, *to = s->basis + (m + s->fresh) * s->n;
        for (int round = 0; round < 2; round++)
            for (int64_t f = 0; f < s->fresh; f++) {
                const double *other = s->basis + (m + f) * s->n, part = dot(other, at, s->n);
                add(at, -part, other, s->n);
                s->rest[f + c * s->width] += part;
            }
        const double length = sqrt(dot(at, at, s->n));
        if (!(length > NOTHING * s->before[c]))
            continue;
        for (int64_t i = 0; i < s->n; i++)
            to[i] = at[i] / length;
        s->rest[s->fresh++ + c * s->width] = length;
    }
}

static void measure(struct state *s, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++)
        s->before[c] = sqrt(dot(s->product + c * s->n, s->product + c * s->n, s->n));
}

static void begin(struct state *s)
{
    const uint32_t key[2] = {(uint32_t)s->problem->seed, (uint32_t)(s->problem->seed >> 32)};
    for (int64_t c = 0; c < s->width; c++)
        for (int64_t i = 0; i < s->n; i++) {
            const uint32_t at[4] = {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)c, 0};
            uint32_t bits[4];
            gt_philox(at, key, bits);
            s->product[i + c * s->n] = 2 * gt_unit32(bits[0]) - 1;
        }
    measure(s, s->width);
    add_columns(s, 0, s->width);
}

/* --- steps -------------------------------------------------------------------------- */

/* The block behind the first m is multiplied, and the matrix seen from the basis grows by it. */
static int multiply(struct state *s, struct gt_err *err)
{
    double *block = s->basis + s->m * s->n;
    const int64_t columns = s->fresh, all = s->m + columns;
    memset(block + columns * s->n, 0, (size_t)((s->width - columns) * s->n) * sizeof *block);
    int status = s->problem->multiply(s->problem->ctx, block, s->product, err);
    if (status)
        return status;
    measure(s, columns);
    memset(s->seen, 0, (size_t)(s->cap * columns) * sizeof *s->seen);
    take_off(s, all, columns);
    take_off(s, all, columns);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < all; i++)
            s->small[i + (s->m + c) * s->cap] = s->small[s->m + c + i * s->cap] = s->seen[i + c * s->cap];
    add_columns(s, all, columns);
    return GT_OK;
}

static int solve(struct state *s, int64_t m, int64_t wanted, struct gt_err *err)
{
    memcpy(s->solved, s->small, (size_t)(s->cap * s->cap) * sizeof *s->solved);
    return gt_linalg_eigen(m, s->solved, s->cap, wanted, s->values, s->vectors, s->problem->budget, err);
}

/* Of vector i: what its product has outside of the basis, over its value. */
static double residual_of(const struct state *s, int64_t m, int64_t columns, int64_t i)
{
    double sum = 0;
    if (!(s->values[i] > NO_VALUE * s->values[0]))
        return 0;
    for (int64_t f = 0; f < s->fresh; f++) {
        double part = 0;
        for (int64_t c = 0; c < columns; c++)
            part += s->rest[f + c * s->width] * s->vectors[m - columns + c + i * m];
        sum += part * part;
    }
    return sqrt(sum) / s->values[i];
}

/* to, n x wanted, becomes the best vectors; it may be where the basis stands. */
static void put_vectors(const struct state *s, int64_t m, int64_t wanted, double *to)
{
    const struct gt_matrix_ref small = {s->vectors, m, false};
    const int64_t rows = s->cap * s->cap / wanted;
    for (int64_t i = 0; i < s->n; i += rows) {
        const int64_t some = s->n - i < rows ? s->n - i : rows;
        const struct gt_matrix_ref basis = {s->basis + i, s->n, false};
        gt_linalg_product(some, wanted, m, &basis, &small, 0, s->solved, some);
        for (int64_t c = 0; c < wanted; c++)
            memcpy(to + i + c * s->n, s->solved + c * some, (size_t)some * sizeof *to);
    }
}

/* The basis becomes its best vectors, the next block stands behind them. */
static int restart(struct state *s, struct gt_err *err)
{
    const int64_t kept = KEPT * s->width;
    int status = solve(s, s->m, kept, err);
    if (status)
        return status;
    put_vectors(s, s->m, kept, s->basis);
    memmove(s->basis + kept * s->n, s->basis + s->m * s->n, (size_t)(s->fresh * s->n) * sizeof *s->basis);
    memset(s->small, 0, (size_t)(s->cap * s->cap) * sizeof *s->small);
    for (int64_t i = 0; i < kept; i++)
        s->small[i + i * s->cap] = s->values[i];
    s->m = kept;
    return GT_OK;
}

static int iterate(struct state *s, struct gt_krylov_result *result, struct gt_err *err)
{
    const struct gt_krylov *problem = s->problem;
    int status = GT_OK;
    for (bool done = false; !done && !status; result->steps++) {
        const int64_t columns = s->fresh, m = s->m + columns;
        if ((status = multiply(s, err)))
            break;
        s->m = m;
        result->found = m < s->width ? m : s->width;
        if ((status = solve(s, m, result->found, err)))
            break;
        result->residual = 0;
        for (int64_t i = 0; i < problem->k && i < result->found; i++)
            result->residual = fmax(result->residual, residual_of(s, m, columns, i));
        done = (m >= problem->k && result->residual <= problem->tol) || s->fresh == 0 || result->steps + 1 >= problem->steps;
        if (!done && m + s->fresh > s->cap)
            status = restart(s, err);
    }
    return status;
}

int gt_krylov_solve(const struct gt_krylov *problem, struct gt_krylov_result *result, struct gt_err *err)
{
    struct state s;
    *result = (struct gt_krylov_result){.vectors.budget = problem->budget, .values.budget = problem->budget};
    int status = start(&s, problem, err);
    if (!status) {
        begin(&s);
        status = iterate(&s, result, err);
    }
    if (!status)
        status = gt_buf_resize(&result->vectors, (size_t)(s.n * result->found) * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&result->values, (size_t)result->found * sizeof(double), err);
    if (!status) {
        put_vectors(&s, s.m, result->found, (double *)(void *)result->vectors.data);
        memcpy(result->values.data, s.values, result->values.len);
    }
    gt_buf_release(&s.memory);
    return status;
}
