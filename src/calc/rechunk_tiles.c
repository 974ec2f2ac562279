/* Chunks that are copied as they are stored, and boxes that go through one thread each. */
#include <stdlib.h>

#include "base/mem.h"
#include "calc/rechunk_impl.h"

static int run(struct gt_rechunk *r, const struct gt_flow_ops *ops, int64_t ticket_bytes,
               int (*commit)(void *ctx, int64_t ticket, void *item, struct gt_err *err), struct gt_err *err)
{
    const struct gt_flow_opts opts = {.tickets = r->plan.slabs,
                                      .readers = r->engine->limits.io_threads,
                                      .ticket_bytes = (size_t)ticket_bytes,
                                      .memory = r->plan.tickets * ticket_bytes,
                                      .max_items = (int)r->plan.tickets};
    return gt_flow_run(r->engine, ops, &opts, r, commit, err);
}

/* --- copies ----------------------------------------------------------------------------------- */

struct copy {
    int64_t from[GT_MAX_DIMS], to[GT_MAX_DIMS];
    struct gt_buf stored;
    bool absent, kept;
    bool ready;
    struct gt_rechunk_coder coder;
};

static int copy_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct copy *copy = data;
    struct gt_box box, items;
    int64_t one[GT_MAX_DIMS];
    if (!copy->ready) {
        copy->ready = true;
        copy->stored.budget = &r->engine->budget;
        gt_rechunk_coder_init(&copy->coder, &r->engine->budget);
    }
    gt_rechunk_box(&box, r->plan.slab, r->plan.ndim, ticket);
    gt_rechunk_units(r, &box, one);
    gt_rechunk_unit(r, &box, one, 0, copy->from, &items);
    gt_rechunk_chunks(r, &box, one);
    gt_rechunk_chunk(r, &box, one, 0, copy->to, &items);
    int status = gt_rechunk_kept(r, copy->to, &copy->kept, err);
    if (status || copy->kept)
        return status;
    status = gt_array_fetch(r->from.array, copy->from, &copy->stored, err);
    copy->absent = status == GT_NOENT;
    if (!copy->absent) {
        atomic_fetch_add(&r->bytes_read, (int64_t)copy->stored.len);
        gt_flow_bytes((int64_t)copy->stored.len);
    }
    return copy->absent ? 0 : status;
}

/* Here all chunks are written, whatever was left out there. */
static int copy_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct copy *copy = data;
    (void)ticket;
    if (!copy->absent || copy->kept)
        return 0;
    int status = gt_array_decode(r->from.array, copy->from, NULL, &copy->coder.raw, copy->coder.scratch, err);
    return status ? status : gt_array_encode(r->to.array, &copy->coder.raw, &copy->stored, copy->coder.scratch, err);
}

static void copy_release(void *ctx, void *data)
{
    struct copy *copy = data;
    (void)ctx;
    gt_buf_release(&copy->stored);
    gt_rechunk_coder_release(&copy->coder);
}

static int copy_put(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct copy *copy = data;
    (void)ticket;
    return copy->kept ? 0 : gt_rechunk_put(ctx, copy->to, &copy->stored, err);
}

int gt_rechunk_copy(struct gt_rechunk *r, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "copy", .item_size = sizeof(struct copy), .read = copy_read, .work = copy_work, .release = copy_release};
    return run(r, &ops, r->wish.chunk_bytes, copy_put, err);
}

/* --- tiles --------------------------------------------------------------------------------------- */

struct tile {
    struct gt_box box;
    int64_t n_units, n_chunks, units[GT_MAX_DIMS], chunks[GT_MAX_DIMS]; /* of the box, along each axis */
    struct gt_chunk **held;
    size_t cap_held;
    int64_t n_held;
    struct gt_buf items;
    struct gt_buf *stored;
    size_t cap_stored;
    bool ready;
    struct gt_rechunk_coder coder;
};

static int tile_room(struct gt_rechunk *r, struct tile *tile, struct gt_err *err)
{
    size_t had = tile->cap_stored;
    if (!tile->ready) {
        tile->ready = true;
        tile->items.budget = &r->engine->budget;
        gt_rechunk_coder_init(&tile->coder, &r->engine->budget);
    }
    if (gt_grow(&tile->held, &tile->cap_held, (size_t)tile->n_units, sizeof(struct gt_chunk *), err) ||
        gt_grow(&tile->stored, &tile->cap_stored, (size_t)tile->n_chunks, sizeof *tile->stored, err))
        return GT_FAIL;
    for (size_t i = had; i < tile->cap_stored; i++)
        tile->stored[i] = (struct gt_buf){.budget = &r->engine->budget};
    return gt_buf_resize(&tile->items, (size_t)gt_box_items(&tile->box) * r->item, err);
}

static int tile_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    gt_rechunk_box(&tile->box, r->plan.slab, r->plan.ndim, ticket);
    bool kept;
    tile->n_units = tile->n_chunks = 0;
    int status = gt_rechunk_box_kept(r, &tile->box, &kept, err);
    if (status || kept)
        return status;
    tile->n_units = gt_rechunk_units(r, &tile->box, tile->units);
    tile->n_chunks = gt_rechunk_chunks(r, &tile->box, tile->chunks);
    status = tile_room(r, tile, err);
    for (int64_t i = 0; i < tile->n_units && !status; i++) {
        gt_rechunk_unit(r, &tile->box, tile->units, i, index, &items);
        status = gt_rechunk_fetch(r, index, &tile->held[i], err);
        tile->n_held += tile->held[i] != NULL;
    }
    return status;
}

static int tile_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    const struct gt_rechunk_room room = {tile->box, NULL, tile->items.data};
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = 0;
    (void)ticket;
    while (tile->n_held > 0 && !status) {
        struct gt_chunk *unit = tile->held[--tile->n_held];
        gt_rechunk_unit(r, &tile->box, tile->units, tile->n_held, index, &items);
        status = gt_rechunk_decode(r, &room, unit, &items, &tile->coder, err);
    }
    for (int64_t i = 0; i < tile->n_chunks && !status; i++) {
        gt_rechunk_chunk(r, &tile->box, tile->chunks, i, index, &items);
        status = gt_rechunk_encode(r, &room, index, &items, &tile->coder, &tile->stored[i], err);
    }
    return status;
}

static void tile_release(void *ctx, void *data)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    while (tile->n_held > 0)
        gt_cache_give(r->cache, tile->held[--tile->n_held]);
    for (size_t i = 0; i < tile->cap_stored; i++)
        gt_buf_release(&tile->stored[i]);
    free(tile->held);
    free(tile->stored);
    gt_buf_release(&tile->items);
    gt_rechunk_coder_release(&tile->coder);
}

static int tile_put(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = 0;
    (void)ticket;
    for (int64_t i = 0; i < tile->n_chunks && !status; i++) {
        gt_rechunk_chunk(r, &tile->box, tile->chunks, i, index, &items);
        status = gt_rechunk_put(r, index, &tile->stored[i], err);
    }
    return status;
}

int gt_rechunk_tiles(struct gt_rechunk *r, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "rechunk", .item_size = sizeof(struct tile), .read = tile_read, .work = tile_work, .release = tile_release};
    return run(r, &ops, r->plan.peak / r->plan.tickets, tile_put, err);
}
