/* gt_pack_run: one flow that reads the source's blocks as stripes, encodes stripes on the
 * workers and puts them in order. */
#include "calc/pack.h"

#include <json-c/json.h>

#include "base/size.h"
#include "calc/pack_impl.h"
#include "engine/flow.h"

static int read_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct pack_item *item = data;
    int rc;

    (void)ticket;
    if (!item->ready) {
        pack_item_init(pack, item);
        item->ready = true;
    }
    rc = gt_regroup_next(pack->stripes_in, &item->block, err);
    if (rc)
        return rc;
    item->variants = item->block->n;
    gt_flow_bytes(item->variants * pack->row_bytes);
    return 0;
}

static int encode_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct pack_item *item = data;
    int rc;

    (void)ticket;
    gt_flow_bytes(item->variants * pack->row_bytes);
    rc = pack_stripe_encode(pack, item, err);
    gt_regroup_done(pack->stripes_in, item->block);
    item->block = NULL;
    return rc;
}

static void release_stripe(void *ctx, void *data)
{
    struct pack *pack = ctx;
    struct pack_item *item = data;

    if (item->block)
        gt_regroup_done(pack->stripes_in, item->block);
    if (item->ready)
        pack_item_release(item);
}

static int put_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    int rc = 0;

    if (pack->opts->stream && !pack->begun)
        rc = pack_meta_begin(pack, data, err);
    return rc ? rc : pack_put_stripe(pack, ticket, data, err);
}

static int run_flow(struct pack *pack, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "pack",
        .read_name = "regroup",
        .work_name = "encode",
        .item_size = sizeof(struct pack_item),
        .read = read_stripe,
        .work = encode_stripe,
        .release = release_stripe,
    };
    struct gt_flow_opts opts = {
        .tickets = -1,
        .readers = 1,
        .ticket_bytes = (size_t)pack->plan.stripe_bytes,
        .memory = pack->plan.memory,
    };
    struct gt_regroup_opts blocks = {.variants = pack->plan.chunk_variants, .sites = true};
    int rc = gt_regroup_open(&pack->stripes_in, pack->engine, pack->source, &blocks, err);

    rc = rc ? rc : gt_flow_run(pack->engine, &ops, &opts, pack, put_stripe, err);
    gt_regroup_free(pack->stripes_in);
    return rc;
}

int gt_pack_run(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                struct gt_pack_stats *stats, struct gt_err *err)
{
    struct pack pack = {.engine = engine, .source = source, .out = out, .opts = opts, .stats = stats};
    int rc;

    *stats = (struct gt_pack_stats){0};
    pack.info = gt_source_info(source);
    stats->samples = pack.info->n_samples;
    pack.row_bytes = gt_ceil_div(pack.info->n_samples, 4);
    rc = gt_pack_plan_make(&pack.plan, engine, pack.info, opts, err);
    rc = rc ? rc : pack_meta_init(&pack, err);
    rc = rc ? rc : run_flow(&pack, err);
    rc = rc ? rc : pack_meta_end(&pack, err);
    stats->bytes_raw = stats->variants * pack.row_bytes;
    pack_meta_release(&pack);
    return rc;
}
