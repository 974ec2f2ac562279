/* X'X as sums over pairs of samples, which calc/pdist/pdist.h makes, and its eigenvectors. */
#include <stdlib.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "calc/pairs/dense_square.h"
#include "calc/pca/pca_internal.h"
#include "core/base/mem.h"

/* --- variants are counted on their way --------------------------------------------------- */

struct counting {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct gt_row_source *from;
    int64_t used, constant;
    struct gt_buf missing; /* uint32_t [samples]: calls */
    bool first;            /* pass */
    enum gt_svd_scale scale;
};

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct counting *row_source = (struct counting *)base;
    return row_source->from->ops->start(row_source->from, opts, err);
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct counting *row_source = (struct counting *)base;
    int status = row_source->from->ops->next(row_source->from, rows, held, err);
    for (int64_t v = 0; !status && row_source->first && v < rows->n; v++) {
        struct gt_svd_site site;
        int64_t counts[4];
        gt_kernels()->count_codes((const uint8_t *)rows->data + (size_t)v * rows->stride, base->info.samples, counts);
        bool used = gt_svd_site(row_source->scale, base->info.ploidy, counts, &site);
        row_source->used += used;
        row_source->constant += !used;
    }
    if (!status && row_source->first)
        gt_kernels()->add_missing(rows->data, rows->stride, rows->n, base->info.samples, gt_buf_u32(&row_source->missing));
    return status;
}

static void done(struct gt_row_source *base, const void *held)
{
    struct gt_row_source *from = ((struct counting *)base)->from;
    from->ops->done(from, held);
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    struct counting *row_source = (struct counting *)base;
    row_source->first = false;
    return row_source->from->ops->rewind(row_source->from, err);
}

static void free_row_source(struct gt_row_source *base)
{
    struct counting *row_source = (struct counting *)base;
    row_source->from->ops->free(row_source->from);
    gt_buf_release(&row_source->missing);
    free(row_source);
}

static int join(struct gt_row_source *base, struct gt_err *err)
{
    struct counting *row_source = (struct counting *)base;
    struct gt_comm *comm = &row_source->engine->comm;
    int64_t counts[] = {row_source->used, row_source->constant};
    int status = gt_comm_reduce_i64(comm, counts, 2, 0, err);
    if (!status)
        status = gt_comm_reduce_u32(comm, gt_buf_u32(&row_source->missing), (size_t)base->info.samples, 0, err);
    row_source->used = counts[0];
    row_source->constant = counts[1];
    return status ? status : row_source->from->join(row_source->from, err);
}

static int open_row_source(struct counting **out, struct gt_engine *engine, struct gt_source *source, enum gt_svd_scale scale,
                           struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, done, rewind_row_source, free_row_source};
    struct counting *row_source = gt_alloc(1, sizeof *row_source, err);
    int status = row_source ? gt_row_source_genotypes(&row_source->from, engine, source, GT_ALLELES_POOLED, err) : GT_FAIL;
    if (status) {
        free(row_source);
        return status;
    }
    row_source->base = (struct gt_row_source){.ops = &ops, .info = row_source->from->info, .join = join};
    row_source->first = true;
    row_source->engine = engine;
    row_source->scale = scale;
    row_source->missing.budget = &engine->budget;
    status = gt_buf_zeros(&row_source->missing, (size_t)row_source->base.info.samples * sizeof(uint32_t), err);
    if (status)
        free_row_source(&row_source->base);
    else
        *out = row_source;
    return status;
}

/* --- the matrix -------------------------------------------------------------------------- */

/* The sum of a pair itself. */
static void sums(const double *const c[], double p, double *restrict out)
{
    (void)p;
    memcpy(out, c[1], GT_METRIC_LANES * sizeof *out);
}

#define SUMS(called, count)                                                                                                                \
    {                                                                                                                                      \
        .name = called, .traits = GT_METRIC_SUM, .genotypes = { {GT_COUNT_N, count}, sums }                                                \
    }

/* By scale; patterson is binomial times the ploidy. */
static const struct gt_metric products[] = {[GT_SVD_BINOMIAL] = SUMS("binomial", GT_COUNT_RELATED),
                                            [GT_SVD_PATTERSON] = SUMS("binomial", GT_COUNT_RELATED),
                                            [GT_SVD_CENTER] = SUMS("center", GT_COUNT_RELATED_PLAIN),
                                            [GT_SVD_STANDARD] = SUMS("standard", GT_COUNT_RELATED_STANDARD),
                                            [GT_SVD_NONE] = SUMS("none", GT_COUNT_XY)};

static int64_t matrix_bytes(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns)
{
    const int64_t n = (int64_t)rows->n;
    (void)wants, (void)columns;
    return gt_bytes_add(gt_bytes_mul(gt_bytes_mul(n, n), (int64_t)sizeof(double)), GT_LINALG_BYTES);
}

/* What the eigenvectors take is counted to each row as well. */
static struct gt_pdist_opts options_of(const struct gt_svd_opts *opts)
{
    struct gt_pdist_opts sums = {
        .use = {.metric = &products[opts->scale], .missing = GT_MISSING_IGNORE}, .wants = gt_square_wants, .device = opts->device};
    sums.wants.kept = 1;
    sums.wants.kept_bytes = gt_svd_vectors_bytes(1, opts->k);
    sums.wants.memory = matrix_bytes;
    return sums;
}

int gt_svd_gram_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                     struct gt_err *err)
{
    const struct gt_pdist_opts sums_opts = options_of(opts);
    struct counting *row_source;
    int status = open_row_source(&row_source, engine, source, opts->scale, err);
    if (status)
        return status;
    status = gt_pdist_plan(&plan->sums, engine, &row_source->base.info, &sums_opts, err);
    free_row_source(&row_source->base);
    return status;
}

void gt_svd_gram_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_svd_plan *plan)
{
    const double n = (double)plan->samples;
    gt_pdist_work(work, engine, &plan->sums, &gt_square_wants);
    work->last = 4 * n * n * n / 3; /* of its tridiagonal form */
    work->last_unit = "operations";
    work->last_rate = 1e10;
    work->last_threads = 1;
    work->writes = 0;
}

static int make_matrix(double *a, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan,
                       const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err)
{
    const struct gt_pdist_opts sums_opts = options_of(opts);
    struct gt_square square = gt_square_sink(&sums_opts.wants, a, plan->samples);
    struct gt_pdist_stats stats;
    struct counting *row_source;
    int status = open_row_source(&row_source, engine, source, opts->scale, err);
    if (status)
        return status;
    status = gt_pdist_run(engine, &row_source->base, &plan->sums, &sums_opts, engine->comm.rank ? NULL : &square.base, &stats, err);
    result->used = row_source->used;
    result->constant = row_source->constant;
    result->passes = plan->sums.passes;
    if (!status)
        gt_svd_report_missing(result, gt_buf_u32(&row_source->missing), plan->samples);
    free_row_source(&row_source->base);
    return status;
}

int gt_svd_gram(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                struct gt_svd_result *result, struct gt_err *err)
{
    const int64_t n = plan->samples, k = opts->k;
    struct gt_buf matrix = {.budget = &engine->budget};
    double *values = gt_buf_f64(&result->values);
    const bool solves = engine->comm.rank == 0; /* who has the sums of all */
    int status = gt_buf_resize(&matrix, solves ? (size_t)(n * n) * sizeof(double) : 0, err);
    double *a = gt_buf_f64(&matrix);
    if (!status)
        status = make_matrix(a, engine, source, plan, opts, result, err);
    const double times = opts->scale == GT_SVD_PATTERSON ? plan->ploidy : 1;
    if (status || !solves) {
        gt_buf_release(&matrix);
        return status;
    }
    for (int64_t i = 0; i < n; i++)
        result->trace += times * a[i + i * n];
    status = gt_linalg_eigen(n, a, n, k, values, gt_buf_f64(&result->vectors), &engine->budget, err);
    for (int64_t c = 0; c < k && !status; c++)
        values[c] *= times;
    gt_buf_release(&matrix);
    return status;
}
