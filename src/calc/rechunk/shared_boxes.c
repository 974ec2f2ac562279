/* Boxes that all threads fill together and then empty together: batches of units and of the
 * same chunks; or bands, whose pieces come from the file. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "storage/codec/quick.h"

/* A box on its way. */
struct box {
    struct gt_rechunk *r;
    struct gt_box all;           /* its items, */
    struct gt_rechunk_room room; /* and what they become: the same, but where they are folded */
    int64_t count[GT_MAX_DIMS];  /* of units, chunks or pieces, along each axis */
    int64_t first[GT_MAX_DIMS];  /* pieces */
    int64_t n_units;
    int together; /* units that are fetched together */
};

/* --- units into a box ----------------------------------------------------------------------- */

static int unit_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct gt_rechunk_held *held = data;
    held->next = task * box->together;
    held->end = gt_min_i64(held->next + box->together, box->n_units);
    return gt_rechunk_acquire(box->r, &box->room.box, box->count, box->together, held, err);
}

static int unit_work(void *ctx, int64_t task, void *held, struct gt_err *err)
{
    struct box *box = ctx;
    (void)task;
    return gt_rechunk_put_in(box->r, &box->room.box, box->count, &box->room, held, err);
}

static void unit_release(void *ctx, void *held)
{
    gt_rechunk_held_release(((struct box *)ctx)->r, held);
}

static int reduction(struct box *box, struct gt_err *err)
{
    return gt_rechunk_reduce(box->r, &box->all, box->room.data, err);
}

static int decode(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "decode",
                                           .work_name = "decode",
                                           .item_size = sizeof(struct gt_rechunk_held),
                                           .read = unit_read,
                                           .work = unit_work,
                                           .release = unit_release};
    const struct gt_rechunk_request *request = &box->r->request;
    box->n_units = gt_rechunk_units(box->r, &box->room.box, box->count);
    const int64_t each = box->n_units / (4 * box->r->engine->limits.threads); /* all threads have something to decode */
    box->together = (int)gt_max_i64(1, gt_min_i64(gt_rechunk_ahead(box->r, request->held_bytes), each));
    return gt_rechunk_flow(box->r, &ops, gt_ceil_div(box->n_units, box->together), request->unit_bytes, box, NULL, err);
}

/* --- chunks out of a box ---------------------------------------------------------------------- */

struct chunk {
    int64_t index[GT_MAX_DIMS];
    bool kept, ready;
    struct gt_rechunk_coder coder;
};

static int chunk_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct chunk *chunk = data;
    struct gt_box items;
    if (!chunk->ready)
        gt_rechunk_coder_take(box->r, &chunk->coder);
    chunk->ready = true;
    gt_rechunk_chunk(box->r, &box->room.box, box->count, task, chunk->index, &items);
    int status = gt_rechunk_chunk_done(box->r, chunk->index, &chunk->kept, err);
    if (status || chunk->kept)
        return status;
    return gt_rechunk_encode(box->r, &box->room, chunk->index, &items, &chunk->coder, &chunk->coder.stored, err);
}

static int chunk_put(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct chunk *chunk = data;
    (void)task;
    return chunk->kept ? 0 : gt_rechunk_put(((struct box *)ctx)->r, chunk->index, &chunk->coder.stored, err);
}

static void chunk_release(void *ctx, void *data)
{
    struct chunk *chunk = data;
    if (chunk->ready)
        gt_rechunk_coder_give(((struct box *)ctx)->r, &chunk->coder);
}

static int encode(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "encode", .work_name = "encode", .item_size = sizeof(struct chunk), .work = chunk_work, .release = chunk_release};
    int64_t n = gt_rechunk_chunks(box->r, &box->room.box, box->count);
    return gt_rechunk_flow(box->r, &ops, n, box->r->request.chunk_bytes, box, chunk_put, err);
}

/* --- the file --------------------------------------------------------------------------------- */

/* A piece of a band on its way from the file. */
struct piece {
    struct gt_box box;
    struct gt_buf bytes;
};

/* Where it stands in the file: its slab knows it by another number than the band. */
static int find_piece(const struct box *box, const struct gt_box *piece, struct gt_rechunk_part_at *at, struct gt_err *err)
{
    const struct gt_rechunk *r = box->r;
    const int64_t number = gt_rechunk_box_number(piece, r->plan.slab);
    int64_t first[GT_MAX_DIMS], count[GT_MAX_DIMS], index[GT_MAX_DIMS];
    struct gt_box slab;
    gt_rechunk_box(&slab, r->plan.slab, r->plan.ndim, number);
    gt_rechunk_parts(&slab, r->plan.band, first, count);
    for (int k = 0; k < piece->ndim; k++)
        index[k] = gt_partition_find(&r->plan.band[k], piece->from[k]) - first[k];
    const int64_t place = r->slab_at[number] + gt_nd_number(piece->ndim, count, index) * (int64_t)sizeof *at;
    int status = gt_spoolfile_read(&r->spool, at, sizeof *at, place, err);
    at->offset += r->slab_at[number];
    return status;
}

static int piece_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct piece *piece = data;
    struct gt_rechunk_part_at at;
    piece->box = gt_rechunk_part(&box->room.box, box->r->plan.slab, box->first, box->count, task);
    piece->bytes.budget = &box->r->engine->budget;
    int status = find_piece(box, &piece->box, &at, err);
    piece->bytes.len = 0;
    status = status ? status : gt_buf_resize(&piece->bytes, (size_t)at.bytes, err);
    gt_flow_bytes(at.bytes);
    return status ? status : gt_spoolfile_read(&box->r->spool, piece->bytes.data, piece->bytes.len, at.offset, err);
}

static int piece_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct piece *piece = data;
    const size_t item = box->r->item, n = (size_t)gt_box_items(&piece->box) * item;
    uint8_t *to = box->room.data + (size_t)gt_box_place(&box->room.box, &piece->box) * item;
    (void)task;
    if (piece->bytes.len < n)
        return gt_quick_decode(piece->bytes.data, piece->bytes.len, to, n, err);
    memcpy(to, piece->bytes.data, n);
    return 0;
}

static void piece_release(void *ctx, void *data)
{
    (void)ctx;
    gt_buf_release(&((struct piece *)data)->bytes);
}

static int read_back(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "read back",
                                           .work_name = "read back",
                                           .item_size = sizeof(struct piece),
                                           .read = piece_read,
                                           .work = piece_work,
                                           .release = piece_release};
    const struct gt_rechunk *r = box->r;
    int64_t n = gt_rechunk_parts(&box->room.box, r->plan.slab, box->first, box->count);
    return gt_rechunk_flow(box->r, &ops, n, r->plan.piece_bytes, box, NULL, err);
}

/* --- all boxes ---------------------------------------------------------------------------------- */

struct pass {
    const struct gt_partition *partition, *pieces;
    int64_t boxes;
    const bool *kept; /* boxes that need not be done; NULL: see */
    int (*fill)(struct box *box, struct gt_err *err);
    int (*empty)(struct box *box, struct gt_err *err);
};

static int run_pass(struct gt_rechunk *r, const struct pass *pass, struct gt_err *err)
{
    struct gt_buf items = {.budget = &r->engine->budget};
    int status = 0;
    for (int64_t i = 0; i < pass->boxes && !status; i++) {
        struct box box = {
            .r = r,
            .room = {.partition = pass->pieces, .chunks = r->reduction ? NULL : r->chunk_partition, .type = r->type, .item = r->item}};
        bool kept = pass->kept && pass->kept[i];
        gt_rechunk_box(&box.room.box, pass->partition, r->plan.ndim, i);
        if (!pass->kept)
            status = gt_rechunk_box_done(r, &box.room.box, &kept, err);
        if (status || kept)
            continue;
        box.all = box.room.box;
        box.room.box = gt_rechunk_reduced(r, &box.all);
        items.len = 0; /* nothing of it is to be copied to a larger one */
        status = gt_buf_resize(&items, (size_t)gt_box_items(&box.room.box) * r->item, err);
        box.room.data = items.data;
        status = status ? status : pass->fill(&box, err);
        gt_cache_trim(r->cache);
        status = status ? status : pass->empty(&box, err);
    }
    gt_buf_release(&items);
    return status;
}

static int through_file(struct gt_rechunk *r, struct gt_err *err)
{
    const struct pass bands = {r->plan.band, r->plan.slab, r->plan.bands, r->band_kept, read_back, encode};
    int64_t n_kept = 0;
    int status = GT_OK;
    for (int64_t i = 0; i < r->plan.bands && !status; i++) {
        struct gt_box band;
        gt_rechunk_box(&band, r->plan.band, r->plan.ndim, i);
        status = gt_rechunk_box_done(r, &band, &r->band_kept[i], err);
        n_kept += r->band_kept[i];
    }
    if (status || n_kept == r->plan.bands)
        return status;
    status = gt_spoolfile_open(&r->spool, err);
    status = status ? status : gt_rechunk_slabs(r, err);
    return status ? status : run_pass(r, &bands, err);
}

int gt_rechunk_boxes(struct gt_rechunk *r, struct gt_err *err)
{
    const struct pass batches = {r->plan.slab, NULL, r->plan.slabs, NULL, r->reduction ? reduction : decode, encode};
    if (r->plan.way == GT_RECHUNK_BATCHES || r->plan.way == GT_RECHUNK_GATHER)
        return run_pass(r, &batches, err);
    r->band_kept = gt_alloc((size_t)r->plan.bands, sizeof *r->band_kept, err);
    r->slab_at = gt_alloc((size_t)r->plan.slabs, sizeof *r->slab_at, err);
    int status = r->band_kept && r->slab_at ? through_file(r, err) : GT_FAIL;
    free(r->band_kept);
    free(r->slab_at);
    r->band_kept = NULL;
    r->slab_at = NULL;
    return status;
}
