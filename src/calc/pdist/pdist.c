#include "calc/pdist/pdist.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "calc/pairs/tile_writer.h"
#include "calc/pdist/candidates.h"
#include "calc/pdist/pdist_internal.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

/* --- summing: row source -> blocks -> parts ---------------------------------------- */

struct sum_run {
    struct gt_row_source *row_source;
    const struct gt_pdist_plan *plan;
    const struct gt_pdist_opts *opts;
    struct gt_pdist_moments moments;
    struct gt_acc *acc;
    struct gt_acc_block *spare; /* a block of the pass that has ended, used again for the rest */
    struct gt_budget *sums;
    const struct gt_comm *comm;
    bool shares;            /* the row source delivers this rank's rows only */
    int64_t block;          /* next one of this pass, counted where ranks take turns */
    int64_t boxes, written; /* that were counted, of several sweeps together; of them those that the sink has */
};

struct sum_item {
    struct gt_rows rows;
    const void *held; /* what they are of, until they are prepared */
    struct gt_acc_block *block;
};

/* Does another rank count this block?  Of float64 rows each rank counts all blocks, for some of the pairs. */
static bool is_of_another(struct sum_run *run)
{
    const struct gt_comm *comm = run->comm;
    return run->plan->kind == GT_ROWS_PACKED && comm->size > 1 && !run->shares && run->block++ % comm->size != comm->rank;
}

static int sum_read(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    const struct gt_row_source_ops *ops = run->row_source->ops;
    (void)task;
    int status = ops->next(run->row_source, &item->rows, &item->held, err);
    while (!status && is_of_another(run)) {
        ops->done(run->row_source, item->held);
        item->held = NULL;
        status = ops->next(run->row_source, &item->rows, &item->held, err);
    }
    if (!status)
        gt_flow_bytes(item->rows.n * (int64_t)item->rows.stride);
    return status;
}

static int check_missing(const struct sum_run *run, struct gt_err *err)
{
    const struct gt_metric_use *use = &run->opts->use;
    const char *things = run->plan->kind == GT_ROWS_F64 || run->row_source->info.plain ? "values" : "genotypes",
               *name = run->row_source->info.name;
    if (use->metric->traits & GT_METRIC_COMPLETE)
        return gt_fail(err, GT_INPUT, "%s has missing %s%s, and %s does not allow any", name,
                       use->metric->traits & GT_METRIC_MAHALANOBIS ? "or infinite " : "", things, use->metric->name);
    if (use->missing != GT_MISSING_ERROR)
        return GT_OK;
    gt_fail(err, GT_INPUT, "%s has missing %s", name, things);
    gt_hint(err, "choose how to treat them: --missing rescale or --missing ignore");
    return GT_INPUT;
}

static int sum_work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)task;
    int status = run->acc->ops->prepare(run->acc, &item->rows, &item->block, err);
    run->row_source->ops->done(run->row_source, item->held);
    item->held = NULL;
    if (!status && item->block->any_missing)
        status = check_missing(run, err);
    return status;
}

static int sum_part(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    (void)task;
    return run->acc->ops->add(run->acc, item->block, part, err);
}

static bool sum_light(void *ctx, const void *it)
{
    const struct sum_item *item = it;
    (void)ctx;
    return item->block->light;
}

/* One block, if any rows are left. */
static int rest_read(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    if (task)
        return GT_END;
    item->block = run->spare;
    run->spare = NULL;
    return run->acc->ops->rest(run->acc, &item->block, err);
}

static void sum_release(void *ctx, void *it)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    if (item->held)
        run->row_source->ops->done(run->row_source, item->held);
    run->acc->ops->block_free(item->block);
}

static void sum_end(void *ctx, void *it)
{
    struct sum_run *run = ctx;
    struct sum_item *item = it;
    if (!run->spare) {
        run->spare = item->block;
        item->block = NULL;
    }
    sum_release(ctx, it);
}

static int run_sums(struct gt_engine *engine, const struct gt_flow_ops *ops, struct sum_run *run, struct gt_err *err)
{
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .parts = run->acc->parts,
                                      .readers = 1,
                                      .task_bytes = (size_t)run->plan->block_bytes,
                                      .memory = run->plan->allotment[GT_PDIST_BLOCKS].size,
                                      .max_items = gt_pdist_blocks(engine)};
    return gt_flow_run(engine, ops, &opts, run, NULL, err);
}

static int sum_pass(struct gt_engine *engine, struct sum_run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "pdist",
                                           .read_name = "collect",
                                           .work_name = "encode",
                                           .part_name = "pairs",
                                           .item_size = sizeof(struct sum_item),
                                           .read = sum_read,
                                           .work = sum_work,
                                           .part = sum_part,
                                           .light = sum_light,
                                           .release = sum_release,
                                           .end = sum_end};
    return run_sums(engine, &ops, run, err);
}

/* Rows that waited for others until the end. */
static int sum_rest(struct gt_engine *engine, struct sum_run *run, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "rest",
                                           .read_name = "encode",
                                           .part_name = "pairs",
                                           .item_size = sizeof(struct sum_item),
                                           .read = rest_read,
                                           .part = sum_part,
                                           .release = sum_release};
    return run->acc->ops->rest ? run_sums(engine, &ops, run, err) : GT_OK;
}

/* --- planes -> distances ---------------------------------------------------------- */

struct distances {
    const struct gt_pdist_plan *plan;
    struct gt_metric_use use;
    bool counts;        /* are wanted as they are */
    const double *self; /* as struct gt_sink_wants has it */
    int64_t sites;
    _Atomic int64_t low_overlap, no_overlap, no_value;
};

static void count_pairs(struct distances *d, const struct gt_pair_box *box, const double *joint, const double *value)
{
    int64_t low = 0, none = 0, no_value = 0;
    for (int64_t i = box->row0; i < box->row1; i++)
        for (int64_t j = box->col0; j < box->col1; j++, joint++, value++) {
            bool counted = gt_pdist_is_counted(d->plan, i, j);
            low += counted && gt_pdist_is_low(*joint, (double)d->sites);
            none += counted && *joint == 0;
            no_value += counted && *joint > 0 && !isfinite(*value);
        }
    atomic_fetch_add_explicit(&d->low_overlap, low, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->no_overlap, none, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->no_value, no_value, memory_order_relaxed);
}

/* What the mean is of. */
static void make_numbers(void *ctx, const struct gt_pair_box *box, double *const planes[])
{
    struct distances *d = ctx;
    gt_metric_values(&d->use, (const double *const *)planes, (double)d->sites, (box->row1 - box->row0) * (box->col1 - box->col0),
                     planes[GT_PDIST_DISTANCE]);
}

/* On the diagonal, where there is no number. */
static void put_self(const struct gt_pair_box *box, double self, double *values)
{
    const int64_t width = box->col1 - box->col0;
    for (int64_t i = box->row0 > box->col0 ? box->row0 : box->col0; i < box->row1 && i < box->col1; i++) {
        double *value = &values[(i - box->row0) * width + i - box->col0];
        *value = isnan(*value) ? self : *value;
    }
}

static void make_distances(void *ctx, const struct gt_pair_box *box, double *const planes[])
{
    struct distances *d = ctx;
    if (!d->counts)
        make_numbers(ctx, box, planes);
    if (d->self)
        put_self(box, *d->self, planes[GT_PDIST_DISTANCE]);
    count_pairs(d, box, planes[GT_PDIST_NUMBER], planes[GT_PDIST_DISTANCE]);
}

/* --- the run ------------------------------------------------------------------------ */

static int begin_sink(struct gt_engine *engine, const struct sum_run *run, int64_t sites, struct gt_sink *sink, struct gt_err *err)
{
    const struct gt_pdist_plan *plan = run->plan;
    const struct gt_row_source_info *info = &run->row_source->info;
    const struct gt_sink_subject subject = {.rows = info->ids,
                                            .columns = info->column_ids ? info->column_ids : info->ids,
                                            .plink_ids = info->plink_ids,
                                            .row_samples = info->row_samples,
                                            .column_samples = info->column_samples,
                                            .first = plan->first,
                                            .last = plan->last,
                                            .head = plan->head,
                                            .planes = plan->results,
                                            .budget = &engine->budget,
                                            .sites = sites,
                                            .digest = info->digest,
                                            .ranges = info->ranges};
    return sink->ops->begin(sink, &subject, err);
}

/* What becomes of boxes: numbers that are made of the mean of all are looked at before any is written. */
struct output {
    struct gt_engine *engine;
    struct gt_tiles tiles, looks; /* looks: into the mean */
    struct gt_pdist_mean mean;
    bool relative;
};

static int count_box(struct gt_engine *engine, struct sum_run *run, const struct gt_pair_box *box, struct gt_err *err)
{
    struct gt_acc_setup setup = gt_pdist_setup(run->plan, engine, box);
    const struct gt_acc_ops *ops = gt_acc_choose(&setup);
    setup.sums = run->sums;
    run->block = 0;
    setup.numbers = run->moments.numbers;
    int status = ops->init(&run->acc, &setup, err);
    if (!status)
        status = sum_pass(engine, run, err);
    if (!status)
        status = sum_rest(engine, run, err);
    ops->block_free(run->spare);
    run->spare = NULL;
    if (!status && run->shares && !run->boxes)
        status = run->row_source->join(run->row_source, err);
    return status ? status : ops->finish(run->acc, &engine->comm, err);
}

static int look(struct output *out, struct sum_run *run, struct distances *d, struct gt_err *err)
{
    int status = gt_tiles_pass(&out->looks, run->acc, err);
    if (!status && run->boxes == run->plan->boxes)
        d->use.mean = gt_pdist_mean_value(&out->mean);
    return status;
}

/* The sink begins after the first pass, so that bad input is found before anything is written. */
static int write_box(struct output *out, struct sum_run *run, struct gt_err *err)
{
    int status = run->written++ ? GT_OK : begin_sink(out->engine, run, run->acc->sites, out->tiles.sink, err);
    return status ? status : gt_tiles_pass(&out->tiles, run->acc, err);
}

/* A box: one pass over the row source, then its distances. */
static int run_box(struct output *out, struct sum_run *run, struct distances *d, const struct gt_pair_box *box, struct gt_err *err)
{
    const bool looked = run->boxes >= run->plan->boxes;
    int status = run->boxes || run->plan->moments ? run->row_source->ops->rewind(run->row_source, err) : GT_OK;
    if (!status)
        status = count_box(out->engine, run, box, err);
    run->boxes++;
    if (!status && run->comm->rank == 0) { /* who has the sums of all ranks */
        d->sites = run->acc->sites;
        if (out->relative && !looked)
            status = look(out, run, d, err);
        if (!status && (!out->relative || looked || run->plan->boxes == 1))
            status = write_box(out, run, err);
    }
    if (run->acc)
        run->acc->ops->free(run->acc);
    run->acc = NULL;
    return status;
}

static int begin_output(struct output *out, const struct sum_run *run, struct gt_sink *sink, const struct gt_tile_maker *maker,
                        const struct gt_tile_maker *looker, struct gt_err *err)
{
    const struct gt_pdist_plan *plan = run->plan;
    const struct gt_tiles_frame frame = {plan->samples - plan->column_at, plan->column_at, plan->first, plan->last};
    const int64_t memory = plan->allotment[GT_PDIST_RESULTS].size;
    out->relative = gt_pdist_is_relative(run->opts);
    gt_pdist_mean_init(&out->mean, plan);
    int status = gt_tiles_begin(&out->tiles, out->engine, sink, maker, &frame, memory, err);
    return status || !out->relative ? status : gt_tiles_begin(&out->looks, out->engine, &out->mean.sink, looker, &frame, memory, err);
}

/* Instead of boxes: pairs that the sink has no use for are left out early.  GT_NOENT if they are not; then the boxes are next. */
static int run_candidates(struct output *out, struct sum_run *run, struct gt_tile_maker *maker, struct distances *d, struct gt_err *err)
{
    const struct gt_pdist_plan *plan = run->plan;
    const struct gt_acc all = {.setup = {.box = gt_pdist_all(plan), .n_planes = plan->n_planes}};
    const struct gt_tile_maker counts = *maker;
    struct gt_candidates found;
    int status = gt_candidates_find(&found, out->engine, run->row_source, plan, run->opts, err);
    if (status)
        return status == GT_NOENT ? (status = run->row_source->ops->rewind(run->row_source, err)) ? status : GT_NOENT : status;
    *maker = (struct gt_tile_maker){.fill = gt_candidates_fill, .ctx = &found, .names = counts.names};
    status = begin_sink(out->engine, run, found.rows.sites, out->tiles.sink, err);
    status = status ? status : gt_tiles_pass(&out->tiles, &all, err);
    *maker = counts;
    d->sites = found.rows.sites;
    d->low_overlap = found.low_overlap;
    d->no_overlap = found.no_overlap;
    d->no_value = found.no_value;
    gt_candidates_release(&found);
    return status;
}

/* All boxes, several times if they are looked at before. */
static int run_boxes(struct output *out, struct sum_run *run, struct distances *d, struct gt_err *err)
{
    const struct gt_pdist_plan *plan = run->plan;
    int status = gt_budget_part(run->sums, &out->engine->budget, plan->sums_bytes, err);
    while (!status && run->boxes < plan->passes)
        for (struct gt_pdist_walk walk = {0}; !status && gt_pdist_next_box(plan, out->engine, &walk);)
            status = run_box(out, run, d, &walk.box, err);
    gt_budget_part_end(run->sums);
    return status;
}

/* The blocks of ranks are the same where their plans are. */
static int check_same_plan(struct gt_comm *comm, const struct gt_pdist_plan *plan, struct gt_err *err)
{
    const int64_t own[] = {plan->block_sites, plan->passes, plan->boxes, plan->sums_bytes};
    int64_t first[sizeof own / sizeof *own];
    memcpy(first, own, sizeof own);
    int status = gt_comm_broadcast(comm, first, sizeof first, 0, err);
    if (!status && memcmp(first, own, sizeof own) != 0)
        status = gt_fail(err, GT_FAIL, "the plan is not that of rank 0: %lld sites in a block, not %lld", (long long)own[0],
                         (long long)first[0]);
    return status;
}

int gt_pdist_run(struct gt_engine *engine, struct gt_row_source *row_source, const struct gt_pdist_plan *plan,
                 const struct gt_pdist_opts *opts, struct gt_sink *sink, struct gt_pdist_stats *stats, struct gt_err *err)
{
    struct gt_budget sums = {0};
    struct sum_run run = {
        .row_source = row_source, .plan = plan, .opts = opts, .moments.numbers = plan->numbers, .sums = &sums, .comm = &engine->comm};
    struct distances d = {.plan = plan, .use = gt_pdist_use(plan, opts), .counts = opts->wants.counts, .self = opts->wants.self};
    struct gt_tile_maker maker = {.make = make_distances, .ctx = &d, .names = plan->results};
    const struct gt_tile_maker looker = {.make = make_numbers, .ctx = &d, .names = plan->results};
    struct output out = {.engine = engine};
    run.shares = plan->shared;
    const struct gt_row_source_opts feeding = {.block_sites = plan->block_sites,
                                               .gathered = plan->rare != GT_RARE_DENSE && !plan->device,
                                               .exact = engine->comm.size > 1 || plan->bound,
                                               .again = plan->passes > 1 || plan->moments || plan->bound,
                                               .digest = opts->wants.counts,
                                               .share = run.shares,
                                               .keep = plan->allotment[GT_PDIST_CACHE].size,
                                               .memory = plan->allotment[GT_PDIST_READING].size};
    int status = check_same_plan(&engine->comm, plan, err);
    if (!status && sink)
        status = begin_output(&out, &run, sink, &maker, &looker, err);
    if (!status)
        status = row_source->ops->start(row_source, &feeding, err);
    if (!status && plan->moments)
        status = gt_pdist_moments(&run.moments, engine, row_source, plan, err);
    if (!status)
        status = plan->bound ? run_candidates(&out, &run, &maker, &d, err) : GT_NOENT;
    if (status == GT_NOENT)
        status = run_boxes(&out, &run, &d, err);
    gt_buf_release(&run.moments.found);
    if (sink) {
        gt_tiles_release(&out.tiles);
        gt_pdist_mean_release(&out.mean);
    }
    *stats = (struct gt_pdist_stats){d.sites, d.low_overlap, d.no_overlap, d.no_value};
    return status || !sink ? status : sink->ops->finish(sink, err);
}
