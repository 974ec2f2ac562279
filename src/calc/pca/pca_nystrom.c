/* Random projection of genotypes (Halko, Martinsson, Tropp 2011), in one pass less than described there.
 *
 * With Y = X T and Y = Q R the projection is B = Q'X = R'^-1 T'X'X.  So B'B = Z W^-1 Z' with Z = X'X T and
 * W = T'Z, which is R'R: neither Y nor Q is needed, and a power iteration is one pass. */
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "calc/pca/pca_internal.h"
#include "core/base/philox.h"
#include "core/engine/memory_plan.h"

/* Eigenvalues of W below this share of the largest one are what rounding to that many digits leaves. */
static const double no_value[] = {0, 1e-5, 1e-9};

struct run {
    struct gt_svd_passes *passes;
    int64_t n, level, width;
    double *columns, *product;       /* n x width, column major */
    double *small, *vectors, *spare; /* level x level */
    double *right, *values;          /* level x level; level */
    struct gt_buf memory;
};

static int64_t numbers_of(const struct gt_svd_plan *plan)
{
    return gt_bytes_add(gt_bytes_mul(2 * plan->width, plan->samples), (4 * plan->level + 1) * plan->level);
}

int64_t gt_svd_compressed_bytes(const struct gt_svd_plan *plan)
{
    const int64_t level = plan->level, eigen = gt_linalg_eigen_bytes(level, level), svd = gt_linalg_svd_bytes(level);
    return gt_bytes_add(gt_bytes_mul((int64_t)sizeof(double), numbers_of(plan)),
                        gt_bytes_add(gt_linalg_qr_bytes(level), eigen > svd ? eigen : svd));
}

static int start(struct run *run, struct gt_svd_passes *passes, struct gt_err *err)
{
    const struct gt_svd_plan *plan = passes->plan;
    *run = (struct run){.passes = passes, .n = plan->samples, .level = plan->level, .width = plan->width};
    run->memory.budget = &passes->engine->budget;
    int status = gt_buf_zeros(&run->memory, (size_t)numbers_of(plan) * sizeof(double), err);
    run->columns = gt_buf_f64(&run->memory);
    run->product = run->columns + run->n * run->width;
    run->small = run->product + run->n * run->width;
    run->vectors = run->small + run->level * run->level;
    run->spare = run->vectors + run->level * run->level;
    run->right = run->spare + run->level * run->level;
    run->values = run->right + run->level * run->level;
    return status;
}

static int orthonormal(const struct run *run, double *a, int64_t columns, struct gt_err *err)
{
    return gt_linalg_qr(run->n, columns, a, run->n, run->small, false, &run->passes->engine->budget, err);
}

/* Without power iterations the projection error exceeds the rounding error of one digit, unless a mean dominates. */
static int digits_of(const struct gt_svd_passes *passes, bool last)
{
    return last && !passes->coarse ? 2 : 1;
}

/* columns = an orthonormal basis of (X'X)^power columns; product = X'X columns. */
static int iterate(struct run *run, int64_t power, struct gt_err *err)
{
    int status = orthonormal(run, run->columns, run->level, err);
    for (int64_t i = 0; i <= power && !status; i++) {
        run->passes->digits = digits_of(run->passes, i == power);
        status = gt_svd_multiply(run->passes, run->columns, run->product, err);
        if (status || i == power)
            break;
        memcpy(run->columns, run->product, (size_t)(run->n * run->level) * sizeof *run->product);
        status = orthonormal(run, run->columns, run->level, err);
    }
    return status;
}

/* columns = B' = Z E V^-1/2 of the *rank eigenvalues V of W, and their vectors E, that are no rounding: no more than there are
 * variants. */
static int project(struct run *run, int64_t *rank, struct gt_err *err)
{
    const struct gt_matrix_ref turned = {run->columns, run->n, true}, z = {run->product, run->n, false};
    const struct gt_matrix_ref vectors = {run->vectors, run->level, false};
    const int64_t n = run->level, most = run->passes->moments.used;
    const double floor = no_value[run->passes->digits];
    gt_linalg_product(n, n, run->n, &turned, &z, 0, run->small, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            run->small[i + j * n] = (run->small[i + j * n] + run->small[j + i * n]) / 2;
    int status = gt_linalg_eigen(n, run->small, n, n, run->values, run->vectors, &run->passes->engine->budget, err);
    if (status)
        return status;
    for (*rank = 0; *rank < n && *rank < most && run->values[*rank] > floor * run->values[0]; ++*rank)
        for (int64_t i = 0; i < n; i++)
            run->vectors[i + *rank * n] /= sqrt(run->values[*rank]);
    gt_linalg_product(run->n, *rank, n, &z, &vectors, 0, run->columns, run->n);
    return GT_OK;
}

/* The singular values of B and what belongs to them on the side of the samples. */
static int solve(struct run *run, int64_t rank, int64_t k, struct gt_svd_result *result, struct gt_err *err)
{
    double *values = gt_buf_f64(&result->values), *vectors = gt_buf_f64(&result->vectors);
    const struct gt_matrix_ref q = {run->columns, run->n, false}, x = {run->vectors, rank, false};
    int status = orthonormal(run, run->columns, rank, err);
    if (!status)
        status = gt_linalg_svd(rank, run->small, run->values, run->vectors, run->right, &run->passes->engine->budget, err);
    if (status)
        return status;
    k = k < rank ? k : rank;
    for (int64_t c = 0; c < k; c++)
        values[c] = run->values[c] * run->values[c];
    gt_linalg_product(run->n, k, rank, &q, &x, 0, vectors, run->n);
    return GT_OK;
}

int gt_svd_compressed(struct gt_svd_passes *passes, const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err)
{
    struct run run;
    int64_t rank = 0;
    int status = start(&run, passes, err);
    if (!status) {
        gt_random_matrix(opts->seed, run.n, run.level, run.columns, 1, run.n);
        status = iterate(&run, opts->power, err);
    }
    if (!status)
        status = project(&run, &rank, err);
    if (!status)
        status = solve(&run, rank, opts->k, result, err);
    gt_buf_release(&run.memory);
    return status;
}
