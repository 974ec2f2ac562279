/* The simulation as a genotype reader: a flow whose tasks are row_groups. */
#include "calc/sim/sim_internal.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "geno/model/reader.h"
#include "geno/select/filter.h"

struct reader {
    struct gt_reader base;
    const struct gt_sim *sim;
    unsigned fields;
    struct gt_flow *flow;
};

struct item {
    struct gt_calls calls;
    struct gt_sim_room room;
    bool ready;
};

static int generate(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    struct reader *r = ctx;
    struct item *item = p;
    int64_t each = gt_sim_row_group(r->sim), first = task * each, left = r->sim->o.variants - first;

    if (!item->ready) {
        gt_calls_init(&item->calls, &item->room, &r->base.engine->budget);
        item->ready = true;
    }
    int status = gt_sim_generate(r->sim, first, left < each ? left : each, r->fields, GT_CALLS_DOSAGE, &item->calls, &item->room, err);
    if (status == 0 && r->base.filter)
        status = gt_filter_block(r->base.filter, &item->calls.block, err);
    gt_flow_bytes((int64_t)item->calls.block.rows.len);
    return status;
}

static void release(void *ctx, void *p)
{
    struct item *item = p;
    (void)ctx;
    if (item->ready)
        gt_calls_release(&item->calls, &item->room);
}

static const struct gt_flow_ops flow_ops = {
    .name = "sim", .work_name = "generate", .item_size = sizeof(struct item), .work = generate, .release = release};

static size_t task_bytes(const struct reader *r)
{
    return gt_sim_row_group_bytes(r->sim, gt_sim_row_group(r->sim), GT_CALLS_DOSAGE);
}

static void reader_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct reader *r = (const struct reader *)stage;
    (void)fields;
    needs->minimum = (int64_t)task_bytes(r);
    needs->preferred = gt_memory_plan_of_flow(r->base.engine, 0, needs->minimum);
    needs->block = gt_sim_row_group(r->sim);
}

static int reader_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct reader *r = (struct reader *)stage;
    int64_t each = gt_sim_row_group(r->sim);

    r->fields = start->fields | (r->base.filter ? gt_filter_fields(r->base.filter) : 0);
    return gt_flow_start(
        &r->flow, r->base.engine, &flow_ops,
        &(struct gt_flow_opts){.tasks = gt_ceil_div(r->sim->o.variants, each), .task_bytes = task_bytes(r), .memory = start->memory}, r,
        err);
}

static int reader_next(struct gt_stage *stage, struct gt_block **block, struct gt_err *err)
{
    struct reader *r = (struct reader *)stage;
    void *item;
    int64_t task;
    int status = gt_flow_next(r->flow, &item, &task, err);
    if (status)
        return status;
    *block = &((struct item *)item)->calls.block;
    (*block)->owner = stage;
    return GT_OK;
}

static void reader_release(struct gt_stage *stage, struct gt_block *block)
{
    gt_flow_done(((struct reader *)stage)->flow, (char *)block - offsetof(struct item, calls.block));
}

static void reader_stop(struct gt_stage *stage)
{
    struct reader *r = (struct reader *)stage;
    gt_flow_free(r->flow);
    r->flow = NULL;
}

static void reader_close(struct gt_stage *stage)
{
    reader_stop(stage);
    gt_reader_base_release((struct gt_reader *)stage);
    free(stage);
}

static const struct gt_stage_ops ops = {reader_needs, reader_start, reader_next, reader_release, reader_stop, reader_close, NULL};

int gt_sim_reader(struct gt_reader **out, struct gt_engine *engine, const struct gt_sim *sim, struct gt_err *err)
{
    struct reader *r = gt_alloc(1, sizeof *r, err);
    if (!r)
        return GT_FAIL;
    gt_reader_init(&r->base, &ops, engine, true);
    r->sim = sim;
    int status = gt_sim_info(sim, &r->base.info, err);
    if (status) {
        reader_close(&r->base.stage);
        return status;
    }
    *out = &r->base;
    return 0;
}
