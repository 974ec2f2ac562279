/* The simulation into a sink: tasks are row groups, generated and formatted on the
 * workers of all ranks, written in order. */
#include "calc/sim/sim_internal.h"

#include "core/base/size.h"
#include "core/engine/flow_deal.h"

struct job {
    const struct gt_sim *sim;
    struct gt_engine *engine;
    struct gt_calls_sink *sink;
    const struct gt_geno_info *info;
    int64_t each;
};

struct item {
    struct gt_calls calls;
    struct gt_sim_room room;
    struct gt_buf bytes[GT_CALLS_BUFS];
    bool ready;
};

static void prepare(const struct job *job, struct item *item)
{
    if (item->ready)
        return;
    gt_calls_init(&item->calls, &item->room, &job->engine->budget);
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        item->bytes[i].budget = &job->engine->budget;
    item->ready = true;
}

static int work(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    struct job *job = ctx;
    struct item *item = p;
    int64_t first = task * job->each, left = job->sim->o.variants - first;

    prepare(job, item);
    int status = gt_sim_generate(job->sim, first, left < job->each ? left : job->each, job->sink->fields, job->sink->want, &item->calls,
                                 &item->room, err);
    item->calls.block.contigs = job->info->contigs;
    item->calls.block.filter_names = job->info->filters;
    return status ? status : job->sink->ops->format(job->sink, &item->calls, item->bytes, err);
}

static int results(void *ctx, void *p, struct gt_buf *list[GT_DEAL_RESULTS])
{
    const struct job *job = ctx;
    struct item *item = p;
    int n = 0;

    prepare(job, item);
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        if (job->sink->results & 1u << i)
            list[n++] = &item->bytes[i];
    return n;
}

/* The calls of other ranks were not generated here. */
static int commit(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    struct job *job = ctx;
    struct item *item = p;

    item->calls.block.first = task * job->each;
    item->calls.block.contigs = job->info->contigs;
    return job->sink->ops->write(job->sink, &item->calls, item->bytes, err);
}

static void release(void *ctx, void *p)
{
    struct item *item = p;
    (void)ctx;
    if (!item->ready)
        return;
    gt_calls_release(&item->calls, &item->room);
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        gt_buf_release(&item->bytes[i]);
}

int gt_sim_write(const struct gt_sim *sim, struct gt_engine *engine, struct gt_calls_sink *sink, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "sim", .work_name = "generate", .item_size = sizeof(struct item), .work = work, .release = release};
    struct gt_geno_info info = {.contig_lengths.budget = &engine->budget};
    struct job job = {sim, engine, sink, &info, 0};
    int status = gt_sim_info(sim, &info, err);

    if (!status)
        status = sink->ops->begin(sink, &info, err);
    if (!status) {
        job.each = sink->row_group ? sink->row_group : gt_sim_row_group(sim);
        const struct gt_sim_needs needs = {.row_group = job.each,
                                           .want = sink->want,
                                           .variant_bytes = sink->variant_bytes,
                                           .row_group_bytes = sink->row_group_bytes,
                                           .site_bytes = sink->site_bytes,
                                           .named = true};
        const struct gt_deal deal = {.unit = gt_max_i64(sink->deal, 1), .results = results};
        struct gt_flow_opts opts = {.tasks = gt_ceil_div(sim->o.variants, job.each)};
        opts.task_bytes =
            gt_sim_row_group_bytes(sim, job.each, sink->want) + (size_t)(job.each * sink->variant_bytes + sink->row_group_bytes);
        status = gt_sim_fit_memory(sim, engine, &needs, &opts.memory, err);
        status = status ? status : gt_flow_run_dealt(engine, &ops, &opts, &deal, &job, commit, err);
    }
    if (!status && engine->comm.rank == 0)
        status = sink->ops->finish(sink, err);
    gt_geno_info_release(&info);
    return status;
}
