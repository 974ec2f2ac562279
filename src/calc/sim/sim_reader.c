/* The simulation as a genotype reader: a flow whose tickets are stripes. */
#include "calc/sim/sim_internal.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/shares.h"
#include "geno/model/reader.h"
#include "geno/select/filter.h"

struct reader {
    struct gt_reader base;
    const struct gt_sim *sim;
    const struct gt_filter *filter;
    unsigned fields;
    struct gt_flow *flow;
};

struct item {
    struct gt_calls calls;
    struct gt_sim_room room;
    bool ready;
};

static int generate(void *ctx, int64_t ticket, void *p, struct gt_err *err)
{
    struct reader *r = ctx;
    struct item *item = p;
    int64_t each = gt_sim_stripe(r->sim), first = ticket * each, left = r->sim->o.variants - first;

    if (!item->ready) {
        gt_calls_init(&item->calls, &item->room, &r->base.engine->budget);
        item->ready = true;
    }
    int status = gt_sim_generate(r->sim, first, left < each ? left : each, r->fields, GT_CALLS_DOSAGE, &item->calls, &item->room, err);
    if (status == 0 && r->filter)
        status = gt_filter_block(r->filter, &item->calls.block, err);
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

static size_t ticket_bytes(const struct reader *r)
{
    return gt_sim_stripe_bytes(r->sim, gt_sim_stripe(r->sim), GT_CALLS_DOSAGE);
}

static void reader_needs(const struct gt_reader *base, unsigned fields, struct gt_reader_needs *needs)
{
    (void)fields;
    needs->least = (int64_t)ticket_bytes((const struct reader *)base);
    needs->wanted = gt_shares_of_flow(base->engine, 0, needs->least);
    needs->block = gt_sim_stripe(((const struct reader *)base)->sim);
}

static int reader_start(struct gt_reader *base, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err)
{
    struct reader *r = (struct reader *)base;
    int64_t each = gt_sim_stripe(r->sim);

    r->filter = filter;
    r->fields = fields | (filter ? gt_filter_fields(filter) : 0);
    return gt_flow_start(
        &r->flow, base->engine, &flow_ops,
        &(struct gt_flow_opts){.tickets = gt_ceil_div(r->sim->o.variants, each), .ticket_bytes = ticket_bytes(r), .memory = memory}, r,
        err);
}

static int reader_next(struct gt_reader *base, struct gt_block **block, struct gt_err *err)
{
    struct reader *r = (struct reader *)base;
    void *item;
    int64_t ticket;
    int status = gt_flow_next(r->flow, &item, &ticket, err);
    if (status == 0)
        *block = &((struct item *)item)->calls.block;
    return status;
}

static void reader_done(struct gt_reader *base, struct gt_block *block)
{
    gt_flow_done(((struct reader *)base)->flow, (char *)block - offsetof(struct item, calls.block));
}

static void reader_stop(struct gt_reader *base)
{
    struct reader *r = (struct reader *)base;
    gt_flow_free(r->flow);
    r->flow = NULL;
}

static void reader_free(struct gt_reader *base)
{
    reader_stop(base);
    gt_reader_base_release(base);
    free(base);
}

static const struct gt_reader_ops ops = {
    .needs = reader_needs, .start = reader_start, .next = reader_next, .done = reader_done, .stop = reader_stop, .free = reader_free};

int gt_sim_reader(struct gt_reader **out, struct gt_engine *engine, const struct gt_sim *sim, struct gt_err *err)
{
    struct reader *r = gt_alloc(1, sizeof *r, err);
    if (!r)
        return GT_FAIL;
    r->base.ops = &ops;
    r->base.engine = engine;
    r->base.can_restart = true;
    gt_geno_info_count_in(&r->base.info, &engine->budget);
    r->sim = sim;
    int status = gt_sim_info(sim, &r->base.info, err);
    if (status) {
        reader_free(&r->base);
        return status;
    }
    *out = &r->base;
    return 0;
}
