#include "calc/convert/pack_flow.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow_deal.h"

struct pack {
    struct gt_engine *engine;
    struct gt_source *source; /* in row groups */
    struct gt_pack_resume *resume;
    const struct gt_deal *deal;
    int64_t first; /* row group of this run */
    int64_t row_bytes;
};

/* A task: one row_group. */
struct item {
    bool ready;             /* buffers know their budget */
    struct gt_block *block; /* until it is encoded */
    struct gt_checkpoint end;
    int64_t number;
    struct gt_fields_row_group *fields; /* NULL: packed */
    struct gt_buf bytes[GT_CALLS_BUFS];
};

static int read_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status = 0;

    item->number = pack->first + task;
    for (int i = 0; i < GT_CALLS_BUFS && !item->ready; i++)
        item->bytes[i].budget = &pack->engine->budget;
    item->ready = true;
    if (pack->resume->fields && !item->fields)
        status = gt_fields_row_group_new(pack->resume->fields, &item->fields, err);
    status = status ? status : gt_source_next(pack->source, &item->block, err);
    if (status)
        return status;
    gt_source_checkpoint(pack->source, &item->end);
    gt_flow_bytes(item->fields ? (int64_t)item->block->texts.len : item->block->n * pack->row_bytes);
    return 0;
}

static void give_back(void *ctx, void *data)
{
    struct pack *pack = ctx;
    struct item *item = data;

    if (item->block)
        gt_source_done(pack->source, item->block);
    item->block = NULL;
}

/* A chunk of sites is encoded by one rank: that of its last row group. */
static bool has_sites(const struct pack *pack, int64_t row_group)
{
    const struct gt_comm *comm = &pack->engine->comm;
    const int64_t last = gt_vcz_last_of_sites(pack->resume->vcz, row_group);
    return gt_deal_owner(pack->deal, comm->size, last - pack->first) == comm->rank;
}

/* Of a row group that another rank encodes. */
static int take_sites(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    const int64_t number = pack->first + task;
    int status = has_sites(pack, number) ? gt_vcz_add_sites(pack->resume->vcz, number, item->block, err) : GT_OK;
    give_back(pack, item);
    return status;
}

static int encode_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status;

    (void)task;
    if (!item->fields)
        gt_flow_bytes(item->block->n * pack->row_bytes);
    status = gt_vcz_encode(pack->resume->vcz, item->number, item->block, NULL, has_sites(pack, item->number), item->bytes, err);
    if (item->fields && !status)
        status = gt_fields_encode(pack->resume->fields, item->number, item->block, item->fields, err);
    give_back(pack, item);
    return status;
}

static int results(void *ctx, void *data, struct gt_buf *list[GT_DEAL_RESULTS])
{
    struct item *item = data;
    int n = 0;

    (void)ctx;
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        if (GT_VCZ_RESULTS & 1u << i)
            list[n++] = &item->bytes[i];
    return n;
}

static int put_row_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct item *item = data;
    int status = gt_vcz_put(pack->resume->vcz, item->number, item->bytes, err);

    (void)task;
    if (item->fields && !status)
        status = gt_fields_put(pack->resume->fields, item->fields, err);
    return status ? status : gt_pack_checkpoint(pack->resume, pack->source, item->number + 1, &item->end, item->fields, err);
}

static void release_row_group(void *ctx, void *data)
{
    struct item *item = data;

    give_back(ctx, item);
    gt_fields_row_group_free(item->fields);
    for (int i = 0; i < GT_CALLS_BUFS && item->ready; i++)
        gt_buf_release(&item->bytes[i]);
}

/* All ranks start where rank 0 does, which has the journal. */
static int start(struct pack *pack, const struct gt_pack_plan *plan, struct gt_err *err)
{
    struct gt_comm *comm = &pack->engine->comm;
    struct gt_pack_resume *resume = pack->resume;
    int status = comm->rank == 0 ? gt_pack_resume(resume, plan, pack->source, err) : GT_OK;
    if (status || comm->size == 1)
        return status;
    status = gt_comm_broadcast(comm, &resume->row_groups, sizeof resume->row_groups, 0, err);
    status = status ? status : gt_comm_broadcast(comm, &resume->start, sizeof resume->start, 0, err);
    if (!status && resume->row_groups)
        status = gt_pack_ids_share(&resume->ids, pack->source, comm, err);
    if (!status && comm->rank > 0 && resume->row_groups)
        gt_source_start_at(pack->source, &resume->start);
    return status;
}

/* The last chunk of sites, if nobody knew that it is the last: the rank that would have encoded its last row group has it. */
static int collect_rest(const struct pack *pack, struct gt_err *err)
{
    struct gt_comm *comm = &pack->engine->comm;
    struct gt_buf rest = {.budget = &pack->engine->budget}, all = {.budget = &pack->engine->budget};
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, err);
    int status = sizes ? GT_OK : GT_FAIL;
    if (!status && comm->rank > 0)
        status = gt_vcz_encode_rest(pack->resume->vcz, &rest, err);
    status = status ? status : gt_comm_gatherv(comm, rest.data, rest.len, &all, sizes, 0, err);
    if (!status && comm->rank == 0)
        status = gt_vcz_put_rest(pack->resume->vcz, &all, err);
    gt_buf_release(&rest);
    gt_buf_release(&all);
    free(sizes);
    return status;
}

int gt_pack_row_groups(struct gt_engine *engine, struct gt_source *source, const struct gt_pack_plan *plan, struct gt_pack_resume *resume,
                       int64_t *kept, struct gt_err *err)
{
    const struct gt_flow_ops ops = {
        .name = "pack",
        .read_name = "collect",
        .work_name = resume->fields ? "parse and encode" : "encode",
        .item_size = sizeof(struct item),
        .read = read_row_group,
        .work = encode_row_group,
        .release = release_row_group,
    };
    const struct gt_flow_opts opts = {
        .tasks = -1,
        .readers = 1,
        .task_bytes = (size_t)plan->shape.row_group_bytes,
        .memory = plan->allotment[GT_PACK_ROW_GROUPS].size,
    };
    const struct gt_deal deal = {
        .unit = 1, .joined = gt_ceil_div(plan->shape.site_variants, plan->shape.chunk_variants), .results = results, .drop = take_sites};
    const struct gt_reblock_opts blocks = {.variants = plan->shape.chunk_variants, .sites = true};
    struct pack pack = {.engine = engine,
                        .source = source,
                        .resume = resume,
                        .deal = &deal,
                        .row_bytes = gt_ceil_div(gt_source_info(source)->n_samples, 4)};
    gt_source_set_memory(source, plan->allotment[GT_PACK_READING].size);
    int status = gt_source_reblock(source, &blocks, err);
    status = status ? status : start(&pack, plan, err);

    *kept = pack.first = resume->row_groups;
    status = status ? status : gt_flow_run_dealt(engine, &ops, &opts, &deal, &pack, put_row_group, err);
    gt_source_stop(source);
    if (!status && engine->comm.size > 1)
        status = collect_rest(&pack, err);
    gt_pack_ids_release(&resume->ids);
    return status;
}
