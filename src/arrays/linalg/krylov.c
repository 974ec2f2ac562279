#include "arrays/linalg/krylov.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "arrays/linalg/block_orth.h"
#include "arrays/linalg/linalg.h"
#include "core/base/philox.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

/* Blocks of a basis, at most, and those kept of a full one; at least so many where the most would take more than BASIS_BYTES. */
enum { BLOCKS = 24, FEW_BLOCKS = 12, KEPT = 3, BASIS_BYTES = 768 << 20 };

/* What rounding adds to residuals, as a proportion of the largest eigenvalue that is not locked. */
#define ROUNDING (8 * DBL_EPSILON)
/* A residual below this proportion of it does not get smaller: the vector can be locked. */
#define SETTLED (64 * DBL_EPSILON)
/* Eigenvalues that are locked together are within this factor of each other ... */
#define TOGETHER 1e-2
/* ... and stand out from the next one by this factor, unless that is settled too. */
#define APART 1e-3

struct state {
    const struct gt_krylov *problem;
    int64_t n, width, cap; /* cap: columns of a basis */
    int64_t locked;        /* its first columns: eigenvectors; the others are orthogonal to them */
    int64_t m;             /* columns of the basis that were multiplied, the locked ones among them */
    int64_t fresh;         /* columns after them: the next block */
    int64_t wanted;        /* eigenvectors of the last solution that are not locked */
    double *basis;         /* n x (cap + width) */
    double *product;       /* n x width */
    double *small;         /* cap x cap: the matrix in the basis */
    double *solved;        /* cap x cap: what LAPACK overwrites */
    double *vectors;       /* (m - locked) x wanted: of small */
    double *seen, *more;   /* cap x width: see struct gt_block_orth */
    double *rest;          /* width x width: the last product, less what the basis has of it, is the next block times this */
    double *values;        /* cap: locked ones, then those of small */
    double *residuals;     /* width: |A u - value u|, estimates */
    double *work;
    struct gt_buf memory;
};

static int64_t cap_of(int64_t n, int64_t width)
{
    const int64_t fit = BASIS_BYTES / gt_max_i64(1, gt_bytes_mul(gt_bytes_mul(n, width), (int64_t)sizeof(double)));
    const int64_t blocks = fit < FEW_BLOCKS ? FEW_BLOCKS : fit > BLOCKS ? BLOCKS : fit;
    return n < blocks * width ? n : blocks * width;
}

/* In bytes: as start divides it. */
static int64_t state_bytes(int64_t n, int64_t width)
{
    const int64_t cap = cap_of(n, width);
    const int64_t tall = gt_bytes_mul(n, cap + 2 * width);
    const int64_t low = 3 * cap * cap + 2 * cap * width + width * width + cap + width + GT_BLOCK_ORTH_WORK(width);
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
    s->residuals = s->values + cap;
    s->work = s->residuals + width;
    return status;
}

/* --- blocks -------------------------------------------------------------------------- */

/* The product's columns become the next block: orthonormal after the first m of the basis. */
static void add_block(struct state *s, int64_t m, int64_t columns)
{
    struct gt_block_orth o = {.n = s->n,
                              .width = s->width,
                              .lead = s->cap,
                              .seed = s->problem->seed,
                              .basis = s->basis,
                              .m = m,
                              .block = s->product,
                              .columns = columns,
                              .out = s->basis + m * s->n,
                              .seen = s->seen,
                              .rest = s->rest,
                              .more = s->more,
                              .work = s->work};
    gt_block_orth(&o);
    s->fresh = o.made;
}

static void begin(struct state *s)
{
    if (!s->problem->start)
        gt_random_matrix(s->problem->seed, s->n, s->width, s->product, 1, s->n);
    else
        memcpy(s->product, s->problem->start, (size_t)(s->n * s->width) * sizeof *s->product);
    add_block(s, 0, s->width);
}

/* The next block is multiplied, and the matrix in the basis grows by it. */
static int multiply(struct state *s, struct gt_err *err)
{
    double *block = s->basis + s->m * s->n;
    const int64_t columns = s->fresh, all = s->m + columns;
    memset(block + columns * s->n, 0, (size_t)((s->width - columns) * s->n) * sizeof *block);
    int status = s->problem->multiply(s->problem->ctx, block, s->product, err);
    if (status)
        return status;
    add_block(s, all, columns);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = s->locked; i < all; i++)
            s->small[i + (s->m + c) * s->cap] = s->small[s->m + c + i * s->cap] = s->seen[i + c * s->cap];
    s->m = all;
    return GT_OK;
}

/* --- the eigenproblem in the basis ------------------------------------------------------ */

/* As many eigenvectors as are wanted of what is not locked. */
static int solve(struct state *s, int64_t wanted, struct gt_err *err)
{
    const int64_t all = s->cap * s->cap, from = s->locked * (s->cap + 1);
    s->wanted = wanted;
    memcpy(s->solved, s->small + from, (size_t)(all - from) * sizeof *s->solved);
    return gt_linalg_eigen(s->m - s->locked, s->solved, s->cap, wanted, s->values + s->locked, s->vectors, s->problem->budget, err);
}

/* Residuals: what the product of an eigenvector has outside of the basis; only the last block's columns have that. */
static void measure(struct state *s, int64_t columns)
{
    const int64_t m = s->m - s->locked;
    for (int64_t i = 0; i < s->wanted; i++) {
        double sum = 0;
        for (int64_t f = 0; f < s->fresh; f++) {
            double part = 0;
            for (int64_t c = 0; c < columns; c++)
                part += s->rest[f + c * s->width] * s->vectors[m - columns + c + i * m];
            sum += part * part;
        }
        s->residuals[s->locked + i] = sqrt(sum);
    }
}

/* to, n x wanted, becomes the eigenvectors; it may be where the basis stands that they are of. */
static void put_vectors(const struct state *s, double *to)
{
    const int64_t m = s->m - s->locked, rows = s->wanted ? s->cap * s->cap / s->wanted : 0;
    const struct gt_matrix_ref small = {s->vectors, m, false};
    for (int64_t i = 0; i < s->n && rows; i += rows) {
        const int64_t some = s->n - i < rows ? s->n - i : rows;
        const struct gt_matrix_ref basis = {s->basis + s->locked * s->n + i, s->n, false};
        gt_linalg_product(some, s->wanted, m, &basis, &small, 0, s->solved, some);
        for (int64_t c = 0; c < s->wanted; c++)
            memcpy(to + i + c * s->n, s->solved + c * some, (size_t)some * sizeof *to);
    }
}

/* --- restarts --------------------------------------------------------------------------- */

/* The basis becomes its best vectors, the next block stands after them. */
static int restart(struct state *s, struct gt_err *err)
{
    const int64_t kept = KEPT * s->width, first = s->locked, m = s->m;
    int status = solve(s, kept, err);
    if (status)
        return status;
    put_vectors(s, s->basis + first * s->n);
    memmove(s->basis + (first + kept) * s->n, s->basis + m * s->n, (size_t)(s->fresh * s->n) * sizeof *s->basis);
    memset(s->small, 0, (size_t)(s->cap * s->cap) * sizeof *s->small);
    for (int64_t i = first; i < first + kept; i++)
        s->small[i + i * s->cap] = s->values[i];
    s->m = first + kept;
    return GT_OK;
}

/* That many more vectors are locked; the others become the next block, random columns in the place of what is locked. */
static void deflate(struct state *s, int64_t more)
{
    const int64_t left = s->wanted - more;
    put_vectors(s, s->product);
    memcpy(s->basis + s->locked * s->n, s->product, (size_t)(more * s->n) * sizeof *s->basis);
    memmove(s->product, s->product + more * s->n, (size_t)(left * s->n) * sizeof *s->product);
    memset(s->product + left * s->n, 0, (size_t)((s->width - left) * s->n) * sizeof *s->product);
    memset(s->small, 0, (size_t)(s->cap * s->cap) * sizeof *s->small);
    s->m = s->locked += more;
    add_block(s, s->m, s->width);
}

/* --- when to stop ------------------------------------------------------------------------ */

static bool is_zero(const struct state *s, int64_t i)
{
    return !(s->values[i] > s->problem->zero * s->values[0]);
}

static bool is_above_rounding(const struct state *s, int64_t i)
{
    return ROUNDING * s->values[s->locked] <= s->problem->tol * s->values[i];
}

static bool is_done(const struct state *s, int64_t i)
{
    return is_zero(s, i) || (s->residuals[i] <= s->problem->tol * s->values[i] && is_above_rounding(s, i));
}

/* How many vectors to lock now: 0 while more products help all that are wanted. */
static int64_t lockable(const struct state *s)
{
    const double scale = s->values[s->locked];
    const int64_t end = s->locked + s->wanted, k = s->problem->k;
    int64_t i = s->locked;
    bool needed = false;
    for (int64_t c = i; c < k && c < end; c++)
        needed |= !is_zero(s, c) && !is_above_rounding(s, c);
    while (i < end && s->residuals[i] <= SETTLED * scale && (s->values[i] >= TOGETHER * scale || is_above_rounding(s, i)))
        i++;
    const bool apart = i == end || s->values[i] <= APART * scale || s->residuals[i] <= SETTLED * scale;
    return needed && apart ? i - s->locked : 0;
}

/* Locked vectors are as good as they can be. */
static bool all_done(const struct state *s)
{
    bool done = s->locked + s->wanted >= s->problem->k;
    for (int64_t i = s->locked; i < s->problem->k && i < s->locked + s->wanted; i++)
        done &= is_done(s, i);
    return done;
}

static double largest_residual(const struct state *s)
{
    double most = 0;
    for (int64_t i = 0; i < s->problem->k && i < s->locked + s->wanted; i++)
        most = is_zero(s, i) ? most : fmax(most, fmax(s->residuals[i], ROUNDING * s->values[i < s->locked ? i : s->locked]) / s->values[i]);
    return most;
}

static int iterate(struct state *s, struct gt_krylov_result *result, struct gt_err *err)
{
    const struct gt_krylov *problem = s->problem;
    int status = GT_OK;
    for (bool done = false; !done && !status; result->steps++) {
        const int64_t columns = s->fresh;
        if ((status = multiply(s, err)))
            break;
        const int64_t most = s->m < s->width ? s->m : s->width;
        if ((status = solve(s, most - s->locked, err)))
            break;
        measure(s, columns);
        result->residual = largest_residual(s);
        const int64_t more = lockable(s);
        done = all_done(s) || s->locked + more >= problem->k || (s->fresh == 0 && !more) || result->steps + 1 >= problem->steps;
        if (!done && more)
            deflate(s, more);
        else if (!done && s->m + s->fresh > s->cap)
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
    if (!status) {
        result->found = s.locked + s.wanted;
        status = gt_buf_resize(&result->vectors, (size_t)(s.n * result->found) * sizeof(double), err);
    }
    if (!status)
        status = gt_buf_resize(&result->values, (size_t)result->found * sizeof(double), err);
    if (!status) {
        double *vectors = gt_buf_f64(&result->vectors);
        memcpy(vectors, s.basis, (size_t)(s.locked * s.n) * sizeof *vectors);
        put_vectors(&s, vectors + s.locked * s.n);
        memcpy(result->values.data, s.values, result->values.len);
    }
    gt_buf_release(&s.memory);
    return status;
}
