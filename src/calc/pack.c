/* gt_pack_run: one flow that reads blocks, regroups them into stripes, encodes
 * stripes on the workers and puts them in order. */
#include "calc/pack.h"

#include <json-c/json.h>

#include "base/size.h"
#include "calc/pack_impl.h"
#include "engine/flow.h"

static void drop_block(struct pack *pack)
{
    if (pack->block)
        gt_source_done(pack->source, pack->block);
    pack->block = NULL;
    pack->block_pos = 0;
}

/* A block with variants left in it; GT_END after the last. */
static int need_block(struct pack *pack, struct gt_err *err)
{
    while (!pack->block || pack->block_pos == pack->block->n) {
        int rc;
        drop_block(pack);
        if (pack->ended)
            return GT_END;
        rc = gt_source_next(pack->source, &pack->block, err);
        pack->ended = rc == GT_END;
        if (rc) {
            pack->block = NULL;
            return rc;
        }
    }
    return 0;
}

static int read_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct pack_item *item = data;

    (void)ticket;
    if (!item->ready) {
        pack_item_init(pack, item);
        item->ready = true;
    }
    gt_block_clear(&item->block);
    while (item->block.n < pack->plan.chunk_variants) {
        int64_t want = pack->plan.chunk_variants - item->block.n, have;
        int rc = need_block(pack, err);
        if (rc == GT_END)
            break;
        if (rc)
            return rc;
        have = pack->block->n - pack->block_pos;
        rc = gt_block_append(&item->block, pack->block, pack->block_pos, have < want ? have : want, err);
        if (rc)
            return rc;
        pack->block_pos += have < want ? have : want;
    }
    gt_flow_bytes(item->block.n * pack->row_bytes);
    return item->block.n ? 0 : GT_END;
}

static int encode_stripe(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct pack *pack = ctx;
    struct pack_item *item = data;

    (void)ticket;
    gt_flow_bytes(item->block.n * pack->row_bytes);
    return pack_stripe_encode(pack, item, err);
}

static void release_stripe(void *ctx, void *data)
{
    struct pack_item *item = data;

    (void)ctx;
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
    int rc = gt_flow_run(pack->engine, &ops, &opts, pack, put_stripe, err);

    drop_block(pack);
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
