/* Chunks that are copied as they are stored, and boxes that go through one thread each: tiles of whole chunks, and slabs,
 * which go to the file as pieces of bands. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/mem.h"
#include "storage/codec/quick.h"

/* --- copies ----------------------------------------------------------------------------------- */

struct copy {
    int64_t from[GT_MAX_DIMS], to[GT_MAX_DIMS];
    struct gt_buf stored;
    bool absent, kept;
    bool ready;
    struct gt_rechunk_coder coder;
};

static int copy_read(void *ctx, int64_t task, void *data, struct gt_err *err)
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
    gt_rechunk_box(&box, r->plan.slab, r->plan.ndim, task);
    gt_rechunk_units(r, &box, one);
    gt_rechunk_unit(r, &box, one, 0, copy->from, &items);
    gt_rechunk_chunks(r, &box, one);
    gt_rechunk_chunk(r, &box, one, 0, copy->to, &items);
    int status = gt_rechunk_chunk_done(r, copy->to, &copy->kept, err);
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

/* In another codec all chunks are decoded; else only those that are absent, to tell whether the output can do without them. */
static int copy_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct copy *copy = data;
    (void)task;
    if (copy->kept || (!copy->absent && r->plan.way == GT_RECHUNK_COPY))
        return 0;
    int status =
        gt_array_decode(r->from.array, copy->from, copy->absent ? NULL : &copy->stored, &copy->coder.raw, copy->coder.scratch, err);
    const bool drop = r->to.drop_empty || (copy->absent && r->to.drop_absent);
    return status ? status : gt_rechunk_encode_chunk(r, &copy->coder.raw, drop, &copy->stored, copy->coder.scratch, err);
}

static void copy_release(void *ctx, void *data)
{
    struct copy *copy = data;
    (void)ctx;
    gt_buf_release(&copy->stored);
    gt_rechunk_coder_release(&copy->coder);
}

static int copy_put(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct copy *copy = data;
    (void)task;
    return copy->kept ? 0 : gt_rechunk_put(ctx, copy->to, &copy->stored, err);
}

int gt_rechunk_copy(struct gt_rechunk *r, struct gt_err *err)
{
    const struct gt_flow_ops ops = {.name = r->plan.way == GT_RECHUNK_COPY ? "copy" : "recode",
                                    .item_size = sizeof(struct copy),
                                    .read = copy_read,
                                    .work = copy_work,
                                    .release = copy_release};
    return gt_rechunk_flow(r, &ops, r->plan.slabs, r->plan.peak / r->plan.tasks, r, copy_put, err);
}

/* --- tiles --------------------------------------------------------------------------------------- */

struct tile {
    struct gt_box box;
    int64_t n_units, n_chunks, units[GT_MAX_DIMS], chunks[GT_MAX_DIMS]; /* of the box, along each axis */
    struct gt_chunk **held;
    size_t cap_held;
    int64_t n_held;
    struct gt_buf items;
    struct gt_buf pieces; /* of a slab: as they go to the file */
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
        tile->items.budget = tile->pieces.budget = &r->engine->budget;
        gt_rechunk_coder_init(&tile->coder, &r->engine->budget);
    }
    if (gt_grow(&tile->held, &tile->cap_held, (size_t)tile->n_units, sizeof(struct gt_chunk *), err) ||
        gt_grow(&tile->stored, &tile->cap_stored, (size_t)tile->n_chunks, sizeof *tile->stored, err))
        return GT_FAIL;
    for (size_t i = had; i < tile->cap_stored; i++)
        tile->stored[i] = (struct gt_buf){.budget = &r->engine->budget};
    tile->items.len = 0; /* nothing of it is to be copied to a larger one */
    return gt_buf_resize(&tile->items, (size_t)gt_box_items(&tile->box) * r->item, err);
}

/* The units of the box, fetched. */
static int hold_units(struct gt_rechunk *r, struct tile *tile, struct gt_err *err)
{
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = tile_room(r, tile, err);
    for (int64_t i = 0; i < tile->n_units && !status; i++) {
        gt_rechunk_unit(r, &tile->box, tile->units, i, index, &items);
        tile->held[i] = NULL;
        status = gt_cache_acquire(r->cache, index, &tile->held[i], err);
        tile->n_held += tile->held[i] != NULL;
    }
    return status || !tile->n_units ? status : gt_rechunk_fetch_held(r, tile->held, tile->n_units, err);
}

/* And decoded into the room. */
static int decode_units(struct gt_rechunk *r, struct tile *tile, const struct gt_rechunk_room *room, struct gt_err *err)
{
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = 0;
    while (tile->n_held > 0 && !status) {
        struct gt_chunk *unit = tile->held[--tile->n_held];
        gt_rechunk_unit(r, &tile->box, tile->units, tile->n_held, index, &items);
        status = gt_rechunk_decode(r, room, unit, &items, &tile->coder, err);
    }
    return status;
}

static int tile_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    gt_rechunk_box(&tile->box, r->plan.slab, r->plan.ndim, task);
    bool kept;
    tile->n_units = tile->n_chunks = 0;
    int status = gt_rechunk_box_done(r, &tile->box, &kept, err);
    if (status || kept)
        return status;
    tile->n_units = gt_rechunk_units(r, &tile->box, tile->units);
    tile->n_chunks = gt_rechunk_chunks(r, &tile->box, tile->chunks);
    return hold_units(r, tile, err);
}

static int tile_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    const struct gt_rechunk_room room = {.box = tile->box, .type = r->type, .item = r->item, .data = tile->items.data};
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = decode_units(r, tile, &room, err);
    (void)task;
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
    gt_buf_release(&tile->pieces);
    gt_rechunk_coder_release(&tile->coder);
}

static int tile_put(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    struct gt_box items;
    int64_t index[GT_MAX_DIMS];
    int status = 0;
    (void)task;
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
    return gt_rechunk_flow(r, &ops, r->plan.slabs, r->plan.peak / r->plan.tasks, r, tile_put, err);
}

/* --- slabs ----------------------------------------------------------------------------------------- */

static int slab_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    gt_rechunk_box(&tile->box, r->plan.slab, r->plan.ndim, task);
    tile->n_units = gt_rechunk_units(r, &tile->box, tile->units);
    tile->n_chunks = 0;
    return hold_units(r, tile, err);
}

/* Piece number i of the slab, after what is in tile->pieces already: shorter, where it gets shorter. */
static void put_piece(struct gt_rechunk *r, struct tile *tile, const int64_t *first, const int64_t *count, int64_t i)
{
    const struct gt_box piece = gt_rechunk_part(&tile->box, r->plan.band, first, count, i);
    const struct gt_box band = gt_rechunk_part(&r->whole, r->plan.band, first, count, i);
    const size_t n = (size_t)gt_box_items(&piece) * r->item;
    const uint8_t *items = tile->items.data + (size_t)gt_box_place(&tile->box, &piece) * r->item;
    struct gt_rechunk_part_at *at = (struct gt_rechunk_part_at *)(void *)tile->pieces.data + i;
    uint8_t *to = tile->pieces.data + tile->pieces.len;
    *at = (struct gt_rechunk_part_at){.offset = (int64_t)tile->pieces.len};
    if (r->band_kept[gt_rechunk_box_number(&band, r->plan.band)])
        return;
    at->bytes = (int64_t)gt_quick_encode(items, n, r->item, to);
    if (at->bytes == 0) {
        memcpy(to, items, n);
        at->bytes = (int64_t)n;
    }
    tile->pieces.len += (size_t)at->bytes;
}

static int slab_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    const struct gt_rechunk_room room = {tile->box, r->plan.band, r->chunk_partition, r->type, r->item, tile->items.data};
    int64_t first[GT_MAX_DIMS], count[GT_MAX_DIMS];
    const int64_t n = gt_rechunk_parts(&tile->box, r->plan.band, first, count);
    const size_t head = (size_t)n * sizeof(struct gt_rechunk_part_at);
    int status = decode_units(r, tile, &room, err);
    (void)task;
    tile->pieces.len = 0;
    status = status ? status : gt_buf_resize(&tile->pieces, head + tile->items.len, err);
    if (status)
        return status;
    tile->pieces.len = head;
    for (int64_t i = 0; i < n; i++)
        put_piece(r, tile, first, count, i);
    return 0;
}

/* Slabs are consecutive in the file; slab_at has their offsets. */
static int slab_put(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct tile *tile = data;
    const int64_t at = r->spool.end;
    r->slab_at[task] = at;
    gt_flow_bytes((int64_t)tile->pieces.len);
    return gt_spoolfile_write(&r->spool, tile->pieces.data, tile->pieces.len, at, err);
}

int gt_rechunk_slabs(struct gt_rechunk *r, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "spill",
                                           .work_name = "decode",
                                           .item_size = sizeof(struct tile),
                                           .read = slab_read,
                                           .work = slab_work,
                                           .release = tile_release};
    int status = gt_rechunk_flow(r, &ops, r->plan.slabs, r->plan.slab_bytes, r, slab_put, err);
    gt_cache_trim(r->cache);
    return status;
}
