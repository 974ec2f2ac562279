/* X'X as sums over pairs of samples, which calc/pdist.h makes, and its eigenvectors. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "arrays/linalg/linalg.h"
#include "calc/pairs/dense_square.h"
#include "calc/pca/pca_internal.h"

/* --- variants are counted on their way --------------------------------------------------- */

struct counting {
    struct gt_feed base;
    struct gt_feed *from;
    int64_t used, constant;
    struct gt_buf missing; /* uint32_t [samples]: calls */
    bool first;            /* pass */
    enum gt_svd_scale scale;
};

static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    struct counting *feed = (struct counting *)base;
    return feed->from->ops->start(feed->from, opts, err);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct counting *feed = (struct counting *)base;
    int status = feed->from->ops->next(feed->from, rows, held, err);
    for (int64_t v = 0; !status && feed->first && v < rows->n; v++) {
        struct gt_svd_site site;
        int64_t counts[4];
        gt_kernels()->count_codes((const uint8_t *)rows->data + (size_t)v * rows->stride, base->info.samples, counts);
        bool used = gt_svd_site(feed->scale, base->info.ploidy, counts, &site);
        feed->used += used;
        feed->constant += !used;
    }
    if (!status && feed->first)
        gt_kernels()->add_missing(rows->data, rows->stride, rows->n, base->info.samples, gt_buf_u32(&feed->missing));
    return status;
}

static void done(struct gt_feed *base, const void *held)
{
    struct gt_feed *from = ((struct counting *)base)->from;
    from->ops->done(from, held);
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    struct counting *feed = (struct counting *)base;
    feed->first = false;
    return feed->from->ops->rewind(feed->from, err);
}

static void free_feed(struct gt_feed *base)
{
    struct counting *feed = (struct counting *)base;
    feed->from->ops->free(feed->from);
    gt_buf_release(&feed->missing);
    free(feed);
}

static int open_feed(struct counting **out, struct gt_engine *engine, struct gt_source *source, enum gt_svd_scale scale, struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    struct counting *feed = gt_alloc(1, sizeof *feed, err);
    int status = feed ? gt_feed_genotypes(&feed->from, engine, source, err) : GT_FAIL;
    if (status) {
        free(feed);
        return status;
    }
    feed->base = (struct gt_feed){&ops, feed->from->info};
    feed->first = true;
    feed->scale = scale;
    feed->missing.budget = &engine->budget;
    status = gt_buf_zeros(&feed->missing, (size_t)feed->base.info.samples * sizeof(uint32_t), err);
    if (status)
        free_feed(&feed->base);
    else
        *out = feed;
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
    struct gt_pdist_opts sums = {.use = {.metric = &products[opts->scale], .missing = GT_MISSING_IGNORE}, .wants = gt_square_wants};
    sums.wants.kept = 1;
    sums.wants.kept_bytes = gt_svd_vectors_bytes(1, opts->k);
    sums.wants.memory = matrix_bytes;
    return sums;
}

int gt_svd_gram_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                     struct gt_err *err)
{
    const struct gt_pdist_opts sums_opts = options_of(opts);
    struct counting *feed;
    int status = open_feed(&feed, engine, source, opts->scale, err);
    if (status)
        return status;
    status = gt_pdist_plan(&plan->sums, engine, &feed->base.info, &sums_opts, err);
    free_feed(&feed->base);
    return status;
}

static int make_matrix(double *a, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan,
                       const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err)
{
    const struct gt_pdist_opts sums_opts = options_of(opts);
    struct gt_square square = gt_square_sink(&sums_opts.wants, a, plan->samples);
    struct gt_pdist_stats stats;
    struct counting *feed;
    int status = open_feed(&feed, engine, source, opts->scale, err);
    if (status)
        return status;
    status = gt_pdist_run(engine, &feed->base, &plan->sums, &sums_opts, &square.base, &stats, err);
    result->used = feed->used;
    result->constant = feed->constant;
    result->passes = plan->sums.passes;
    if (!status)
        gt_svd_tell_missing(result, gt_buf_u32(&feed->missing), plan->samples);
    free_feed(&feed->base);
    return status;
}

int gt_svd_gram(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                struct gt_svd_result *result, struct gt_err *err)
{
    const int64_t n = plan->samples, k = opts->k;
    struct gt_buf matrix = {.budget = &engine->budget};
    double *values = gt_buf_f64(&result->values);
    int status = gt_buf_resize(&matrix, (size_t)(n * n) * sizeof(double), err);
    double *a = gt_buf_f64(&matrix);
    if (!status)
        status = make_matrix(a, engine, source, plan, opts, result, err);
    const double times = opts->scale == GT_SVD_PATTERSON ? plan->ploidy : 1;
    for (int64_t i = 0; i < n && !status; i++)
        result->trace += times * a[i + i * n];
    if (!status)
        status = gt_linalg_eigen(n, a, n, k, values, gt_buf_f64(&result->vectors), &engine->budget, err);
    for (int64_t c = 0; c < k && !status; c++)
        values[c] *= times;
    gt_buf_release(&matrix);
    return status;
}
