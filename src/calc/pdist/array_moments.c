/* What values of a plain array are compared as: less their sample's mean, over their sample's sum or length.  That takes a pass of
 * its own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

int gt_pdist_choose_numbers(struct gt_pdist_plan *plan, const struct gt_row_source_info *info, const struct gt_pdist_opts *opts,
                            struct gt_err *err)
{
    const struct gt_metric *metric = opts->use.metric;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (opts->weights && plan->kind != GT_ROWS_F64)
        return gt_fail(err, GT_USAGE, "weights need a plain array; '%s' has genotypes", info->name);
    if (opts->weights && opts->n_weights != info->sites)
        return gt_fail(err, GT_USAGE, "%s weights or variances for '%s', which has %s columns", gt_format_count(a, opts->n_weights),
                       info->name, gt_format_count(b, info->sites));
    if (plan->kind != GT_ROWS_F64)
        return GT_OK;
    plan->moments = metric->traits & (GT_METRIC_CENTRED | GT_METRIC_SHARES | (info->whole ? 0 : GT_METRIC_UNIT));
    plan->numbers = (struct gt_numbers){.weights = opts->weights,
                                        .by_variance = (metric->traits & GT_METRIC_STANDARD) && !opts->weights,
                                        .fill = opts->use.missing == GT_MISSING_MEAN,
                                        .p = opts->use.p,
                                        .whole = info->whole && !plan->moments};
    for (int64_t k = 0; k < opts->n_weights && (metric->traits & GT_METRIC_WEIGHTS); k++)
        plan->weight += opts->weights[k];
    return GT_OK;
}

/* --- the pass ---------------------------------------------------------------------- */

/* Of a sample.  The squares are of differences from the first value, or from 0, over the largest of these, as in LAPACK's dlassq: values
 * of any size have a length. */
struct seen {
    double n, sum, low, high;
    double first, largest, squares;
    bool fraction; /* not all values are small integers */
};

/* Samples of a part. */
enum { SOME = 256 };

struct pass {
    struct gt_row_source *row_source;
    int64_t samples;
    struct seen *seen;
    unsigned moments;
};

struct item {
    struct gt_rows rows;
    const void *held;
};

static int read_rows(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    struct item *item = it;
    (void)task;
    int status = pass->row_source->ops->next(pass->row_source, &item->rows, &item->held, err);
    if (!status)
        gt_flow_bytes(item->rows.n * (int64_t)item->rows.stride);
    return status;
}

static void add_square(struct seen *seen, double x)
{
    const double larger = fabs(x);
    if (larger > seen->largest) {
        seen->squares = seen->squares * (seen->largest / larger) * (seen->largest / larger) + 1;
        seen->largest = larger;
    } else if (larger > 0) {
        seen->squares += (larger / seen->largest) * (larger / seen->largest);
    }
}

static void see(struct seen *seen, double x, unsigned moments)
{
    if (isnan(x))
        return;
    if (seen->n == 0 && (moments & GT_METRIC_CENTRED))
        seen->first = x;
    if (moments & GT_METRIC_UNIT)
        add_square(seen, x - seen->first);
    seen->fraction |= !(x >= -128 && x <= 255 && x == rint(x));
    seen->low = seen->n++ == 0 || x < seen->low ? x : seen->low;
    seen->high = seen->n == 1 || x > seen->high ? x : seen->high;
    seen->sum += x;
}

static int look(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    struct pass *pass = ctx;
    const struct item *item = it;
    const int64_t end = pass->samples < (part + 1) * SOME ? pass->samples : (part + 1) * SOME;
    (void)task;
    (void)err;
    for (int64_t k = 0; k < item->rows.n; k++) {
        const double *row = (const double *)(const void *)((const char *)item->rows.data + (size_t)k * item->rows.stride);
        for (int64_t i = part * SOME; i < end; i++)
            see(&pass->seen[i], row[i], pass->moments);
    }
    return GT_OK;
}

static void give_back(void *ctx, void *it)
{
    struct item *item = it;
    if (item->held)
        ((struct pass *)ctx)->row_source->ops->done(((struct pass *)ctx)->row_source, item->held);
    item->held = NULL;
}

static int done(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task;
    (void)err;
    give_back(ctx, it);
    return GT_OK;
}

/* --- what comes of it ---------------------------------------------------------------- */

/* Of values that are all the same the mean is the value, and not that to rounding. */
static double mean_of(const struct seen *seen)
{
    double mean = seen->low == seen->high ? seen->low : seen->sum / seen->n;
    return isfinite(mean) ? mean : 0;
}

static void find_means(double *shift, const struct seen *seen, size_t n)
{
    for (size_t i = 0; i < n; i++)
        shift[i] = mean_of(&seen[i]);
}

/* Of the values less the mean or 0; 1 if there is none. */
static void find_lengths(double *scale, const double *shift, const struct seen *seen, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double mean = (shift[i] - seen[i].first) / seen[i].largest,
                     length = seen[i].largest * sqrt(seen[i].squares - seen[i].n * mean * mean);
        scale[i] = length > 0 && isfinite(length) ? length : 1;
    }
}

static bool any_fraction(const struct seen *seen, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= seen[i].fraction;
    return any;
}

/* A sample without a sum has no shares: what is below 0 is infinitely far from all others. */
static void find_sums(double *shift, double *scale, const struct seen *seen, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool has_shares = seen[i].sum > 0 && isfinite(seen[i].sum);
        shift[i] = has_shares ? 0 : DBL_MAX;
        scale[i] = has_shares ? seen[i].sum : 1;
    }
}

/* found: shifts, then scales. */
static void put_moments(struct gt_numbers *numbers, double *found, const struct seen *seen, size_t n, unsigned moments)
{
    numbers->shift = found;
    if (moments & GT_METRIC_SHARES) {
        find_sums(found, found + n, seen, n);
        numbers->scale = found + n;
        return;
    }
    if (moments & GT_METRIC_CENTRED)
        find_means(found, seen, n);
    else
        memset(found, 0, n * sizeof *found);
    if ((moments & GT_METRIC_CENTRED) || any_fraction(seen, n)) {
        find_lengths(found + n, found, seen, n);
        numbers->scale = found + n;
    }
}

int gt_pdist_moments(struct gt_pdist_moments *moments, struct gt_engine *engine, struct gt_row_source *row_source,
                     const struct gt_pdist_plan *plan, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "survey",
                                           .read_name = "collect",
                                           .part_name = "add up",
                                           .item_size = sizeof(struct item),
                                           .read = read_rows,
                                           .part = look,
                                           .release = give_back};
    const size_t n = (size_t)plan->samples;
    struct pass pass = {.row_source = row_source, .samples = plan->samples, .moments = plan->moments};
    struct gt_flow_opts opts = {.tasks = -1,
                                .parts = gt_ceil_div(plan->samples, SOME),
                                .readers = 1,
                                .task_bytes = (size_t)plan->block_bytes,
                                .memory = plan->allotment[GT_PDIST_BLOCKS].size};
    moments->numbers = plan->numbers;
    moments->found.budget = &engine->budget;
    int status = gt_buf_resize(&moments->found, n * (sizeof(struct seen) + 2 * sizeof(double)), err);
    if (status || !n)
        return status;
    double *found = (double *)(void *)moments->found.data;
    pass.seen = (struct seen *)(void *)(found + 2 * n);
    for (size_t i = 0; i < n; i++)
        pass.seen[i] = (struct seen){0};
    status = gt_flow_run(engine, &ops, &opts, &pass, done, err);
    put_moments(&moments->numbers, found, pass.seen, n, plan->moments);
    return status;
}
