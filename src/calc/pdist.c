#include "calc/pdist.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/size.h"
#include "calc/pdist_impl.h"
#include "calc/tiles.h"
#include "engine/flow.h"
#include "kernels/kernels.h"

/* --- what is counted --------------------------------------------------------- */

#define SQUARED                                                                                                                            \
    {                                                                                                                                      \
        {0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define ABSOLUTE                                                                                                                           \
    {                                                                                                                                      \
        {0, 1, 2, 0}, {1, 0, 1, 0}, {2, 1, 0, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }
#define OBSERVED                                                                                                                           \
    {                                                                                                                                      \
        {1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0},                                                                                          \
        {                                                                                                                                  \
            0, 0, 0, 0                                                                                                                     \
        }                                                                                                                                  \
    }

static const struct gt_plane squared_planes[GT_PDIST_PLANES] = {{"sum", SQUARED, GT_TERM_SQUARE}, {"n", OBSERVED, GT_TERM_ONE}},
                             absolute_planes[GT_PDIST_PLANES] = {{"sum", ABSOLUTE, GT_TERM_ABS}, {"n", OBSERVED, GT_TERM_ONE}};

struct gt_acc_setup gt_pdist_setup(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, struct gt_engine *engine,
                                   int64_t row0, int64_t row1)
{
    return (struct gt_acc_setup){.rows = plan->rows,
                                 .n_samples = plan->samples,
                                 .box = {row0, row1, row0, plan->samples},
                                 .planes = opts->metric == GT_CITYBLOCK ? absolute_planes : squared_planes,
                                 .n_planes = GT_PDIST_PLANES,
                                 .block_rows = plan->block_sites,
                                 .parts_wanted = 64 * (int64_t)engine->limits.threads,
                                 .budget = &engine->budget};
}

/* --- plan -------------------------------------------------------------------- */

static int64_t sums_bytes(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, const struct gt_engine *engine, int64_t row0,
                          int64_t row1)
{
    struct gt_acc_setup setup = gt_pdist_setup(plan, opts, (struct gt_engine *)engine, row0, row1);
    return gt_acc_choose(&setup)->sums_bytes(&setup);
}

/* Sums may take half of the budget. */
int64_t gt_pdist_band(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, const struct gt_engine *engine, int64_t row0)
{
    int64_t room = engine->budget.limit / 2, low = 0, high = gt_ceil_div(plan->samples - row0, GT_PAIR_STEP);
    while (low < high) { /* steps of rows that fit: low do, more than high do not */
        int64_t steps = (low + high + 1) / 2, row1 = row0 + steps * GT_PAIR_STEP;
        if (sums_bytes(plan, opts, engine, row0, row1 < plan->samples ? row1 : plan->samples) <= room)
            low = steps;
        else
            high = steps - 1;
    }
    int64_t row1 = row0 + low * GT_PAIR_STEP;
    return row1 < plan->samples ? row1 : plan->samples;
}

static int64_t block_bytes(const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts, const struct gt_engine *engine,
                           const struct gt_feed_info *info)
{
    struct gt_acc_setup setup = gt_pdist_setup(plan, opts, (struct gt_engine *)engine, 0, plan->samples);
    return (int64_t)info->row_bytes * plan->block_sites + gt_acc_choose(&setup)->block_bytes(&setup);
}

/* A block may take a thirty-second of the budget, so that the source and a few blocks in
 * flight fit beside the sums. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err)
{
    enum { MOST_SITES = 8192, FEWEST_SITES = 64, BLOCK_BYTES = 24 << 20 };
    int64_t limit = engine->budget.limit, n = info->samples, most = limit / 32 < BLOCK_BYTES ? limit / 32 : BLOCK_BYTES;
    *plan = (struct gt_pdist_plan){
        .rows = info->rows, .samples = n, .pairs = n * (n - 1) / 2, .variants = info->sites, .block_sites = MOST_SITES};
    while (plan->block_sites > FEWEST_SITES && block_bytes(plan, opts, engine, info) > most)
        plan->block_sites /= 2;
    plan->block_bytes = block_bytes(plan, opts, engine, info);
    for (int64_t row = 0, end; row < n || !plan->passes; row = end, plan->passes++) {
        end = gt_pdist_band(plan, opts, engine, row);
        if (end == row && n) {
            char need[GT_NUM_LEN], have[GT_NUM_LEN];
            int64_t least = sums_bytes(plan, opts, engine, row, row + GT_PAIR_STEP < n ? row + GT_PAIR_STEP : n);
            gt_fail(err, GT_NOFIT, "%lld samples need %s for the sums of one band of rows, %s are there", (long long)n,
                    gt_format_size(need, least), gt_format_size(have, limit / 2));
            gt_hint(err, "give more with --memory");
            return GT_NOFIT;
        }
        int64_t bytes = sums_bytes(plan, opts, engine, row, end);
        plan->sums_bytes = bytes > plan->sums_bytes ? bytes : plan->sums_bytes;
    }
    return GT_OK;
}

/* --- summing: feed -> blocks -> parts ---------------------------------------- */

struct sum_run {
    struct gt_feed *feed;
    const struct gt_pdist_plan *plan;
    const struct gt_pdist_opts *opts;
    struct gt_acc *acc;
};

struct sum_item {
    struct gt_rows rows;
    const void *held; /* what they are of, until they are prepared */
    struct gt_acc_block *block;
};

static int sum_read(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    int status = run->feed->ops->next(run->feed, &item->rows, &item->held, err);
    if (!status)
        gt_flow_bytes(item->rows.n * (int64_t)item->rows.stride);
    return status;
}

static int sum_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    int status = run->acc->ops->prepare(run->acc, &item->rows, &item->block, err);
    run->feed->ops->done(run->feed, item->held);
    item->held = NULL;
    if (!status && run->opts->missing == GT_MISSING_ERROR && item->block->any_missing) {
        status = gt_fail(err, GT_INPUT, "%s has missing %s", run->feed->info.name, run->plan->rows == GT_ROWS_F64 ? "values" : "genotypes");
        gt_hint(err, "--missing rescale or --missing ignore says how to treat them");
    }
    return status;
}

static int sum_part(void *ctx, int64_t ticket, int64_t part, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    return run->acc->ops->add(run->acc, item->block, part, err);
}

static void sum_release(void *ctx, void *it)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    if (item->held)
        run->feed->ops->done(run->feed, item->held);
    run->acc->ops->block_free(item->block);
}

static int sum_pass(struct gt_engine *engine, struct sum_run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "pdist",
                                           .read_name = "gather",
                                           .work_name = "encode",
                                           .part_name = "pairs",
                                           .item_size = sizeof(struct sum_item),
                                           .read = sum_read,
                                           .work = sum_work,
                                           .part = sum_part,
                                           .release = sum_release};
    struct gt_flow_opts opts = {.tickets = -1,
                                .parts = run->acc->parts,
                                .readers = 1,
                                .ticket_bytes = (size_t)run->plan->block_bytes,
                                .memory = engine->budget.limit / (run->plan->passes > 1 ? 12 : 6)};
    return gt_flow_run(engine, &ops, &opts, run, NULL, err);
}

/* --- planes -> distances ---------------------------------------------------------- */

struct distances {
    const struct gt_pdist_opts *opts;
    int64_t sites;
    _Atomic int64_t low_overlap, no_overlap;
};

static double distance(const struct gt_pdist_opts *opts, double sum, double joint, double sites)
{
    if (opts->missing == GT_MISSING_RESCALE && (joint != sites || joint == 0))
        sum = joint > 0 ? sum * sites / joint : NAN;
    return opts->metric == GT_EUCLIDEAN ? sqrt(sum) : sum;
}

/* Exactly half of the sites is no low overlap. */
static bool is_low(double joint, double sites)
{
    return joint * 2 < sites || joint == 0;
}

static void make_distances(void *ctx, const struct gt_pair_box *box, double *const planes[])
{
    struct distances *d = ctx;
    double *sum = planes[GT_PDIST_SUM], *joint = planes[GT_PDIST_JOINT];
    int64_t low = 0, none = 0;
    for (int64_t i = box->row0; i < box->row1; i++)
        for (int64_t j = box->col0; j < box->col1; j++, sum++, joint++) {
            low += j > i && is_low(*joint, (double)d->sites);
            none += j > i && *joint == 0;
            *sum = distance(d->opts, *sum, *joint, (double)d->sites);
        }
    atomic_fetch_add_explicit(&d->low_overlap, low, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->no_overlap, none, memory_order_relaxed);
}

/* --- the run ------------------------------------------------------------------------ */

/* Rows [row0, row1): one pass over the feed, then their distances.  The sink begins
 * after the first pass, so that bad input is found before anything is written. */
static int run_band(struct gt_engine *engine, struct sum_run *run, struct gt_tiles *tiles, struct distances *d, int64_t row0, int64_t row1,
                    struct gt_err *err)
{
    const struct gt_acc_setup setup = gt_pdist_setup(run->plan, run->opts, engine, row0, row1);
    const struct gt_acc_ops *ops = gt_acc_choose(&setup);
    int status = ops->init(&run->acc, &setup, err);
    if (!status)
        status = sum_pass(engine, run, err);
    if (!status)
        status = ops->finish(run->acc, &engine->comm, err);
    if (!status && row0 == 0)
        status = tiles->sink->ops->begin(tiles->sink, run->feed->info.ids, err);
    if (!status) {
        d->sites = run->acc->sites;
        status = gt_tiles_pass(tiles, run->acc, err);
    }
    ops->free(run->acc);
    run->acc = NULL;
    return status;
}

int gt_pdist_run(struct gt_engine *engine, struct gt_feed *feed, const struct gt_pdist_plan *plan, const struct gt_pdist_opts *opts,
                 struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err)
{
    static const char *const names[] = {"distance", "n", NULL};
    struct sum_run run = {.feed = feed, .plan = plan, .opts = opts};
    struct distances d = {.opts = opts};
    const struct gt_tile_maker maker = {make_distances, &d, names};
    struct gt_tiles tiles;
    int status = gt_tiles_begin(&tiles, engine, sink, &maker, plan->samples, err);
    int64_t row = 0;
    if (!status)
        status = feed->ops->start(feed, plan->block_sites, plan->passes > 1, engine->budget.limit / 12, err);
    for (int64_t pass = 0; !status && pass < plan->passes; pass++) {
        int64_t end = gt_pdist_band(plan, opts, engine, row);
        status = pass ? feed->ops->rewind(feed, err) : GT_OK;
        if (!status)
            status = run_band(engine, &run, &tiles, &d, row, end, err);
        row = end;
    }
    gt_tiles_release(&tiles);
    *stats = (struct gt_pdist_stats){d.sites, d.low_overlap, d.no_overlap};
    return status ? status : sink->ops->finish(sink, err);
}
