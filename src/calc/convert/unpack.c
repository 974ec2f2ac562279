/* gt_unpack_run: one flow that reads the source's variants in row groups, formats them on the
 * workers and writes them in order. */
#include "calc/convert/unpack.h"

#include "core/base/size.h"
#include "core/engine/flow_deal.h"

#define ROW_GROUP_BYTES ((int64_t)2 << 20) /* of what a format makes */
#define ROW_GROUP_MOST 8192
#define SITE_BYTES 256 /* of a variant's site, about */

struct unpack {
    struct gt_engine *engine;
    struct gt_source *source; /* in row groups */
    struct gt_calls_sink *sink;
    int64_t row_bytes, variants;
};

struct item {
    bool ready;
    struct gt_block *block; /* until it is written; NULL: another rank formats it */
    struct gt_calls calls;  /* a view of the block */
    struct gt_buf bytes[GT_CALLS_BUFS];
};

static void prepare(const struct unpack *unpack, struct item *item)
{
    for (int i = 0; i < GT_CALLS_BUFS && !item->ready; i++)
        item->bytes[i].budget = &unpack->engine->budget;
    item->ready = true;
}

static int read_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct unpack *unpack = ctx;
    struct item *item = data;

    (void)task;
    prepare(unpack, item);
    int status = gt_source_next(unpack->source, &item->block, err);
    if (status)
        return status;
    item->calls = (struct gt_calls){.block = *item->block};
    gt_flow_bytes(item->block->n * unpack->row_bytes);
    return 0;
}

static void give_back(void *ctx, void *data)
{
    struct unpack *unpack = ctx;
    struct item *item = data;

    if (item->block)
        gt_source_done(unpack->source, item->block);
    item->block = NULL;
}

static int drop(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    (void)task;
    (void)err;
    give_back(ctx, data);
    return GT_OK;
}

static int format_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct unpack *unpack = ctx;
    struct item *item = data;

    (void)task;
    gt_flow_bytes(item->block->n * unpack->row_bytes);
    int status = unpack->sink->ops->format(unpack->sink, &item->calls, item->bytes, err);
    if (unpack->engine->comm.rank > 0) /* nothing is written here */
        give_back(unpack, item);
    return status;
}

static int write_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct unpack *unpack = ctx;
    struct item *item = data;
    int status = unpack->sink->ops->write(unpack->sink, &item->calls, item->bytes, err);

    (void)task;
    unpack->variants += item->calls.block.n;
    give_back(unpack, item);
    return status;
}

static int results(void *ctx, void *data, struct gt_buf *list[GT_DEAL_RESULTS])
{
    const struct unpack *unpack = ctx;
    struct item *item = data;
    int n = 0;

    prepare(unpack, item);
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        if (unpack->sink->results & 1u << i)
            list[n++] = &item->bytes[i];
    return n;
}

static void release_row_group(void *ctx, void *data)
{
    struct item *item = data;

    give_back(ctx, item);
    for (int i = 0; i < GT_CALLS_BUFS && item->ready; i++)
        gt_buf_release(&item->bytes[i]);
}

enum { LINE_ROOM = 12 }; /* times the bytes of a record: see record_room in geno/vcf/record_write_text.c */

int gt_unpack_plan_make(struct gt_unpack_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info, int64_t variant_bytes,
                        int64_t row_group_bytes, struct gt_err *err)
{
    const int64_t site = gt_ceil_div(info->n_samples, 4) + SITE_BYTES, texts = gt_geno_info_site_texts(info);
    int64_t one = gt_bytes_add(variant_bytes, gt_bytes_add(site, texts)), n = ROW_GROUP_BYTES / one;

    *plan = (struct gt_unpack_plan){.row_group = n < 1 ? 1 : n > ROW_GROUP_MOST ? ROW_GROUP_MOST : n};
    if (info->n_samples <= 0 && !(info->has & GT_HAS_COLUMNS) && !info->head.len)
        return gt_fail(err, GT_INPUT, "'%s' has no samples", info->name);
    plan->row_group_bytes = gt_bytes_add(gt_bytes_mul(plan->row_group, one), gt_bytes_add(row_group_bytes, 64 << 10));
    if (info->has & GT_HAS_COLUMNS) /* a line gets the room that its columns may need at the most, and half of that */
        plan->row_group_bytes = gt_bytes_add(plan->row_group_bytes, gt_bytes_mul(LINE_ROOM, info->record_bytes));
    plan->allotment[GT_UNPACK_READING] =
        (struct gt_allotment){.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    plan->allotment[GT_UNPACK_ROW_GROUPS] = (struct gt_allotment){
        .name = "a row group", .minimum = plan->row_group_bytes, .preferred = gt_memory_plan_of_flow(engine, 1, plan->row_group_bytes)};
    gt_plan_record_step(engine->plan,
                        &(struct gt_plan_step){.flow = "unpack",
                                               .read = "collect",
                                               .work = "format",
                                               .tasks = info->n_variants < 0 ? -1 : gt_ceil_div(info->n_variants, plan->row_group),
                                               .task_bytes = plan->row_group_bytes,
                                               .passes = 1});
    return gt_memory_plan_fit(plan->allotment, GT_UNPACK_ALLOTMENTS, engine, err);
}

static int run_flow(struct unpack *unpack, struct gt_source *source, const struct gt_unpack_plan *plan, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "unpack",
        .read_name = "collect",
        .work_name = "format",
        .item_size = sizeof(struct item),
        .read = read_row_group,
        .work = format_row_group,
        .release = release_row_group,
    };
    const struct gt_flow_opts opts = {
        .tasks = -1,
        .readers = 1,
        .task_bytes = (size_t)plan->row_group_bytes,
        .memory = plan->allotment[GT_UNPACK_ROW_GROUPS].size,
    };
    const struct gt_deal deal = {.unit = 1, .results = results, .drop = drop};
    const struct gt_reblock_opts blocks = {.variants = plan->row_group, .sites = unpack->sink->fields != GT_SITE_NONE};

    gt_source_set_memory(source, plan->allotment[GT_UNPACK_READING].size);
    unpack->source = source;
    int status = gt_source_reblock(source, &blocks, err);
    status = status ? status : gt_flow_run_dealt(unpack->engine, &ops, &opts, &deal, unpack, write_row_group, err);
    gt_source_stop(source);
    return status;
}

int gt_unpack_run(struct gt_engine *engine, struct gt_source *source, const struct gt_unpack_plan *plan, struct gt_calls_sink *sink,
                  int64_t *variants, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    struct unpack unpack = {.engine = engine, .sink = sink, .row_bytes = gt_ceil_div(info->n_samples, 4)};
    int status = sink->ops->begin(sink, info, err);

    status = status ? status : run_flow(&unpack, source, plan, err);
    if (!status && engine->comm.rank == 0)
        status = sink->ops->finish(sink, err);
    *variants = unpack.variants;
    return status;
}
