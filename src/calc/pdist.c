#include "calc/pdist.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/size.h"
#include "calc/pdist_impl.h"
#include "calc/tiles.h"
#include "engine/flow.h"

/* Sites of a block, and what one takes with all that is made of it. */
enum { MOST_SITES = 8192, SHORT_SITES = 2048, FEWEST_SITES = 64, BLOCK_BYTES = 24 << 20 };

/* --- plan -------------------------------------------------------------------- */

static int64_t block_bytes(const struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info)
{
    struct gt_pair_box all = gt_pdist_all(plan);
    struct gt_acc_setup setup = gt_pdist_setup(plan, (struct gt_engine *)engine, &all);
    return (int64_t)info->row_bytes * plan->block_sites + gt_acc_choose(&setup)->block_bytes(&setup) + 4096;
}

static void shrink_blocks(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info, int64_t most)
{
    while (plan->block_sites > FEWEST_SITES && block_bytes(plan, engine, info) > most)
        plan->block_sites /= 2;
    plan->block_bytes = block_bytes(plan, engine, info);
}

/* Sites of equal weight come together in tall blocks, which are worth more memory. */
static int64_t block_limit(const struct gt_pdist_plan *plan, int64_t room)
{
    bool products = false;
    for (int k = 0; k < plan->n_planes; k++)
        products |= plan->planes[k].terms && plan->planes[k].reach == GT_TERMS_PRODUCTS;
    int64_t share = products ? room / 12 : room / 32, most = products ? 6 * BLOCK_BYTES : BLOCK_BYTES;
    return share < most ? share : most;
}

static int count_planes(const struct gt_sink_wants *wants)
{
    int n = 0;
    while (wants->planes[n])
        n++;
    return n;
}

static int64_t longest(const struct gt_strs *ids)
{
    size_t most = 0;
    for (size_t i = 0; i < ids->n; i++)
        most = strlen(gt_strs_get(ids, i)) > most ? strlen(gt_strs_get(ids, i)) : most;
    return (int64_t)most;
}

/* At the least boxes are as narrow as can be, and blocks and tiles as low. */
static void name_shares(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info,
                        const struct gt_pdist_opts *opts)
{
    struct gt_pdist_plan low = *plan;
    int64_t wanted_planes = opts->wants.counts ? plan->n_planes : count_planes(&opts->wants);
    int64_t cell = (plan->n_planes + 2 * wanted_planes) * (int64_t)sizeof(double) + gt_sink_cell_bytes(&opts->wants, longest(info->ids));
    int64_t row = gt_bytes_mul(plan->samples - plan->column_at, cell) + 4096, least, wanted;
    low.block_sites = FEWEST_SITES;
    plan->share[GT_PDIST_READING] = (struct gt_share){.name = "reading", .least = info->read_least, .wanted = info->read_wanted};
    plan->share[GT_PDIST_BLOCKS] = (struct gt_share){
        .name = "blocks of sites", .least = block_bytes(&low, engine, info), .wanted = gt_shares_of_flow(engine, 1, plan->block_bytes)};
    gt_pdist_sums(plan, engine, &least, &wanted);
    plan->share[GT_PDIST_SUMS] = (struct gt_share){.name = "pair sums of the fewest rows", .least = least, .wanted = wanted};
    plan->share[GT_PDIST_RESULTS] = (struct gt_share){
        .name = "a row of results", .least = row, .wanted = gt_shares_of_flow(engine, 0, gt_bytes_mul(GT_TILE_ROWS, row))};
    int64_t columns = plan->samples - plan->column_at, kept = opts->wants.kept < columns ? opts->wants.kept : columns;
    plan->share[GT_PDIST_SINK] = (struct gt_share){
        .name = "what the output keeps",
        .least = gt_bytes_mul(plan->last - plan->first, kept ? gt_bytes_mul(kept, opts->wants.kept_bytes) + (int64_t)sizeof(int64_t) : 0)};
    if (opts->wants.memory)
        plan->share[GT_PDIST_SINK].least = gt_bytes_add(
            plan->share[GT_PDIST_SINK].least, opts->wants.memory(&opts->wants, info->ids, info->column_ids ? info->column_ids : info->ids));
    plan->share[GT_PDIST_KEPT] = (struct gt_share){.name = "rows between passes"};
}

/* Rows that stay in memory between passes take a part of what the sums of one pass would like. */
static int settle(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info, struct gt_err *err)
{
    int64_t room = engine->budget.limit - atomic_load(&engine->budget.used);
    int status = gt_shares_settle(plan->share, GT_PDIST_SHARES, engine, err);
    if (status || plan->share[GT_PDIST_SUMS].size >= plan->share[GT_PDIST_SUMS].wanted)
        return status;
    plan->share[GT_PDIST_KEPT].wanted = info->sites < 0 || gt_bytes_mul(info->sites, (int64_t)info->row_bytes) > room / 12
                                            ? room / 12
                                            : gt_bytes_mul(info->sites, (int64_t)info->row_bytes);
    return gt_shares_settle(plan->share, GT_PDIST_SHARES, engine, err);
}

/* Blocks of few samples are short, to stay in the second cache: their sums are soon gone through. */
int gt_pdist_plan(struct gt_pdist_plan *plan, const struct gt_engine *engine, const struct gt_feed_info *info,
                  const struct gt_pdist_opts *opts, struct gt_err *err)
{
    int64_t n = info->samples, room = engine->budget.limit - atomic_load(&engine->budget.used);
    *plan = (struct gt_pdist_plan){.kind = info->rows,
                                   .part = opts->wants.part,
                                   .samples = n,
                                   .rows = info->rectangle ? info->rectangle : n,
                                   .column_at = gt_ceil_div(info->rectangle, GT_PAIR_STEP) * GT_PAIR_STEP,
                                   .head = opts->part == 0,
                                   .variants = info->sites,
                                   .block_sites = MOST_SITES};
    gt_pdist_choose_rows(plan, opts);
    int status = gt_pdist_choose_numbers(plan, info, opts, err);
    if (!status)
        status = gt_pdist_choose_planes(plan, info, opts, err);
    if (status)
        return status;
    while (plan->block_sites > SHORT_SITES && plan->block_sites > 8 * n)
        plan->block_sites /= 2;
    shrink_blocks(plan, engine, info, block_limit(plan, room));
    name_shares(plan, engine, info, opts);
    status = settle(plan, engine, info, err);
    if (status)
        return status;
    shrink_blocks(plan, engine, info, plan->share[GT_PDIST_BLOCKS].size);
    for (struct gt_pdist_walk walk = {0}; gt_pdist_next_box(plan, engine, &walk); plan->passes++)
        plan->sums_bytes = walk.sums_bytes > plan->sums_bytes ? walk.sums_bytes : plan->sums_bytes;
    plan->reads = plan->passes * gt_feed_reads(info, plan->share[GT_PDIST_READING].size) + (plan->survey != 0);
    return GT_OK;
}

/* --- summing: feed -> blocks -> parts ---------------------------------------- */

struct sum_run {
    struct gt_feed *feed;
    const struct gt_pdist_plan *plan;
    const struct gt_pdist_opts *opts;
    struct gt_pdist_survey survey;
    struct gt_acc *acc;
    struct gt_budget *sums;
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

static int check_missing(const struct sum_run *run, struct gt_err *err)
{
    const struct gt_metric_use *use = &run->opts->use;
    const char *things = run->plan->kind == GT_ROWS_F64 ? "values" : "genotypes", *name = run->feed->info.name;
    if (use->metric->traits & GT_METRIC_COMPLETE)
        return gt_fail(err, GT_INPUT, "%s has missing %s%s, and metric '%s' takes none", name,
                       use->metric->traits & GT_METRIC_WHITE ? "or infinite " : "", things, use->metric->name);
    if (use->missing != GT_MISSING_ERROR)
        return GT_OK;
    gt_fail(err, GT_INPUT, "%s has missing %s", name, things);
    gt_hint(err, "--missing rescale or --missing ignore says how to treat them");
    return GT_INPUT;
}

static int sum_work(void *ctx, int64_t ticket, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)ticket;
    int status = run->acc->ops->prepare(run->acc, &item->rows, &item->block, err);
    run->feed->ops->done(run->feed, item->held);
    item->held = NULL;
    if (!status && item->block->any_missing)
        status = check_missing(run, err);
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
                                .memory = run->plan->share[GT_PDIST_BLOCKS].size};
    return gt_flow_run(engine, &ops, &opts, run, NULL, err);
}

/* --- planes -> distances ---------------------------------------------------------- */

struct distances {
    const struct gt_pdist_plan *plan;
    struct gt_metric_use use;
    bool counts; /* are wanted as they are */
    int64_t sites;
    _Atomic int64_t low_overlap, no_overlap, no_value;
};

/* Exactly half of the sites is no low overlap. */
static bool is_low(double joint, double sites)
{
    return joint * 2 < sites || joint == 0;
}

static void count_pairs(struct distances *d, const struct gt_pair_box *box, const double *joint, const double *value)
{
    int64_t low = 0, none = 0, no_value = 0;
    for (int64_t i = box->row0; i < box->row1; i++)
        for (int64_t j = box->col0; j < box->col1; j++, joint++, value++) {
            bool counted = gt_pdist_is_counted(d->plan, i, j);
            low += counted && is_low(*joint, (double)d->sites);
            none += counted && *joint == 0;
            no_value += counted && *joint > 0 && !isfinite(*value);
        }
    atomic_fetch_add_explicit(&d->low_overlap, low, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->no_overlap, none, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->no_value, no_value, memory_order_relaxed);
}

static void make_distances(void *ctx, const struct gt_pair_box *box, double *const planes[])
{
    struct distances *d = ctx;
    int64_t cells = (box->row1 - box->row0) * (box->col1 - box->col0);
    if (!d->counts)
        gt_metric_values(&d->use, (const double *const *)planes, (double)d->sites, cells, planes[GT_PDIST_DISTANCE]);
    count_pairs(d, box, planes[GT_PDIST_NUMBER], planes[GT_PDIST_DISTANCE]);
}

/* --- the run ------------------------------------------------------------------------ */

static int begin_sink(struct gt_engine *engine, const struct sum_run *run, struct gt_sink *sink, struct gt_err *err)
{
    const struct gt_pdist_plan *plan = run->plan;
    const struct gt_feed_info *info = &run->feed->info;
    const struct gt_sink_subject subject = {.rows = info->ids,
                                            .columns = info->column_ids ? info->column_ids : info->ids,
                                            .first = plan->first,
                                            .last = plan->last,
                                            .head = plan->head,
                                            .planes = plan->results,
                                            .budget = &engine->budget,
                                            .sites = run->acc->sites,
                                            .digest = info->digest};
    return sink->ops->begin(sink, &subject, err);
}

/* A box: one pass over the feed, then its distances.  The sink begins after the first pass,
 * so that bad input is found before anything is written. */
static int run_box(struct gt_engine *engine, struct sum_run *run, struct gt_tiles *tiles, struct distances *d,
                   const struct gt_pdist_walk *walk, struct gt_err *err)
{
    struct gt_acc_setup setup = gt_pdist_setup(run->plan, engine, &walk->box);
    const struct gt_acc_ops *ops = gt_acc_choose(&setup);
    setup.sums = run->sums;
    setup.numbers = run->survey.numbers;
    int status = ops->init(&run->acc, &setup, err);
    if (!status)
        status = sum_pass(engine, run, err);
    if (!status)
        status = ops->finish(run->acc, &engine->comm, err);
    if (!status && walk->pass == 1)
        status = begin_sink(engine, run, tiles->sink, err);
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
    struct gt_budget sums = {0};
    struct sum_run run = {.feed = feed, .plan = plan, .opts = opts, .survey.numbers = plan->numbers, .sums = &sums};
    struct distances d = {.plan = plan, .use = gt_pdist_use(plan, opts), .counts = opts->wants.counts};
    const struct gt_tile_maker maker = {make_distances, &d, plan->results};
    const struct gt_tiles_frame frame = {plan->samples - plan->column_at, plan->column_at, plan->first, plan->last};
    struct gt_tiles tiles;
    const struct gt_feed_opts feeding = {.block_sites = plan->block_sites,
                                         .again = plan->passes > 1 || plan->survey,
                                         .digest = opts->wants.counts,
                                         .keep = plan->share[GT_PDIST_KEPT].size,
                                         .memory = plan->share[GT_PDIST_READING].size};
    int status = gt_tiles_begin(&tiles, engine, sink, &maker, &frame, plan->share[GT_PDIST_RESULTS].size, err);
    if (!status)
        status = gt_budget_part(&sums, &engine->budget, plan->sums_bytes, err);
    if (!status)
        status = feed->ops->start(feed, &feeding, err);
    if (!status && plan->survey)
        status = gt_pdist_survey(&run.survey, engine, feed, plan, err);
    for (struct gt_pdist_walk walk = {0}; !status && gt_pdist_next_box(plan, engine, &walk);) {
        status = walk.pass > 1 || plan->survey ? feed->ops->rewind(feed, err) : GT_OK;
        if (!status)
            status = run_box(engine, &run, &tiles, &d, &walk, err);
    }
    gt_buf_release(&run.survey.found);
    gt_budget_part_end(&sums);
    gt_tiles_release(&tiles);
    *stats = (struct gt_pdist_stats){d.sites, d.low_overlap, d.no_overlap, d.no_value};
    return status ? status : sink->ops->finish(sink, err);
}
