/* Boxes that all threads fill together and then empty together: batches of units and of the
 * same chunks; or slabs, from which pieces go to a file, and bands, which come from there. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/rechunk_impl.h"

/* A box on its way. */
struct box {
    struct gt_rechunk *r;
    struct gt_rechunk_room room;
    int64_t count[GT_MAX_DIMS]; /* of units, chunks or pieces, along each axis */
    int64_t first[GT_MAX_DIMS]; /* pieces */
    int64_t at;                 /* of the box in the file, in bytes */
    int64_t bytes;
};

/* workers: 0 = all. */
static int run(struct box *box, const struct gt_flow_ops *ops, int64_t tickets, int64_t ticket_bytes, int workers,
               int (*commit)(void *ctx, int64_t ticket, void *item, struct gt_err *err), struct gt_err *err)
{
    const struct gt_rechunk *r = box->r;
    const struct gt_flow_opts opts = {.tickets = tickets,
                                      .readers = r->engine->limits.io_threads,
                                      .ticket_bytes = (size_t)ticket_bytes,
                                      .memory = r->plan.tickets * ticket_bytes,
                                      .max_items = (int)r->plan.tickets,
                                      .workers = workers};
    return gt_flow_run(r->engine, ops, &opts, box, commit, err);
}

/* --- units into a box ----------------------------------------------------------------------- */

struct unit {
    struct gt_chunk *held;
    struct gt_box items;
    struct gt_rechunk_coder coder;
};

static int unit_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct unit *unit = data;
    int64_t index[GT_MAX_DIMS];
    gt_rechunk_coder_init(&unit->coder, &box->r->engine->budget);
    gt_rechunk_unit(box->r, &box->room.box, box->count, ticket, index, &unit->items);
    return gt_rechunk_fetch(box->r, index, &unit->held, err);
}

static int unit_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct unit *unit = data;
    struct gt_chunk *held = unit->held;
    (void)ticket;
    unit->held = NULL;
    return gt_rechunk_decode(box->r, &box->room, held, &unit->items, &unit->coder, err);
}

static void unit_release(void *ctx, void *data)
{
    struct box *box = ctx;
    struct unit *unit = data;
    if (unit->held)
        gt_cache_give(box->r->cache, unit->held);
    gt_rechunk_coder_release(&unit->coder);
}

static int decode(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "decode",
                                           .work_name = "decode",
                                           .item_size = sizeof(struct unit),
                                           .read = unit_read,
                                           .work = unit_work,
                                           .release = unit_release};
    int64_t n = gt_rechunk_units(box->r, &box->room.box, box->count);
    return run(box, &ops, n, box->r->wish.unit_bytes, 0, NULL, err);
}

/* --- chunks out of a box ---------------------------------------------------------------------- */

struct chunk {
    int64_t index[GT_MAX_DIMS];
    bool kept;
    struct gt_buf stored;
    struct gt_rechunk_coder coder;
};

static int chunk_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct chunk *chunk = data;
    struct gt_box items;
    gt_rechunk_coder_init(&chunk->coder, &box->r->engine->budget);
    chunk->stored.budget = &box->r->engine->budget;
    gt_rechunk_chunk(box->r, &box->room.box, box->count, ticket, chunk->index, &items);
    int status = gt_rechunk_kept(box->r, chunk->index, &chunk->kept, err);
    if (status || chunk->kept)
        return status;
    return gt_rechunk_encode(box->r, &box->room, chunk->index, &items, &chunk->coder, &chunk->stored, err);
}

static int chunk_put(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct chunk *chunk = data;
    (void)ticket;
    return chunk->kept ? 0 : gt_rechunk_put(((struct box *)ctx)->r, chunk->index, &chunk->stored, err);
}

static void chunk_release(void *ctx, void *data)
{
    struct chunk *chunk = data;
    (void)ctx;
    gt_buf_release(&chunk->stored);
    gt_rechunk_coder_release(&chunk->coder);
}

static int encode(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "encode", .work_name = "encode", .item_size = sizeof(struct chunk), .work = chunk_work, .release = chunk_release};
    int64_t n = gt_rechunk_chunks(box->r, &box->room.box, box->count);
    return run(box, &ops, n, box->r->wish.chunk_bytes, 0, chunk_put, err);
}

/* --- the file --------------------------------------------------------------------------------- */

/* Bands lie in the file one after another, each as its pieces. */
static int64_t place_in_file(const struct gt_rechunk *r, const struct gt_box *band)
{
    return gt_box_place(&r->whole, band) * (int64_t)r->item;
}

static int piece_write(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    struct gt_rechunk *r = box->r;
    const struct gt_box *slab = &box->room.box;
    const struct gt_box piece = gt_rechunk_piece(slab, r->plan.band, box->first, box->count, ticket);
    const struct gt_box band = gt_rechunk_piece(&r->whole, r->plan.band, box->first, box->count, ticket);
    const int64_t item = (int64_t)r->item, bytes = gt_box_items(&piece) * item;
    (void)data;
    if (r->band_kept[gt_rechunk_box_number(&band, r->plan.band)])
        return 0;
    gt_flow_bytes(bytes);
    return gt_spoolfile_write(&r->spool, box->room.data + gt_box_place(slab, &piece) * item, (size_t)bytes,
                              place_in_file(r, &band) + gt_box_place(&band, &piece) * item, err);
}

static int spill(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "spill", .work_name = "write", .item_size = 1, .work = piece_write};
    int64_t n = gt_rechunk_pieces(&box->room.box, box->r->plan.band, box->first, box->count);
    return run(box, &ops, n, 0, 1, NULL, err); /* a file takes one write at a time: others would spin */
}

enum { READ_BYTES = 4 << 20 };

static int band_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct box *box = ctx;
    int64_t from = ticket * READ_BYTES, left = box->bytes - from, n = left < READ_BYTES ? left : READ_BYTES;
    (void)data;
    gt_flow_bytes(n);
    return gt_spoolfile_read(&box->r->spool, box->room.data + from, (size_t)n, box->at + from, err);
}

static int read_back(struct box *box, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "read back", .item_size = 1, .read = band_read};
    return run(box, &ops, gt_ceil_div(box->bytes, READ_BYTES), 0, 0, NULL, err);
}

/* --- all boxes ---------------------------------------------------------------------------------- */

struct pass {
    const struct gt_cuts *cuts, *pieces;
    int64_t boxes;
    bool ends;        /* in chunks, rather than in the file */
    const bool *kept; /* boxes that need not be done; NULL: see */
    int (*fill)(struct box *box, struct gt_err *err);
    int (*empty)(struct box *box, struct gt_err *err);
};

static int run_pass(struct gt_rechunk *r, const struct pass *pass, struct gt_err *err)
{
    struct gt_buf items = {.budget = &r->engine->budget};
    int status = 0;
    for (int64_t i = 0; i < pass->boxes && !status; i++) {
        struct box box = {.r = r, .room.cuts = pass->pieces};
        bool kept = pass->kept && pass->kept[i];
        gt_rechunk_box(&box.room.box, pass->cuts, r->plan.ndim, i);
        if (pass->ends && !pass->kept)
            status = gt_rechunk_box_kept(r, &box.room.box, &kept, err);
        if (status || kept)
            continue;
        box.bytes = gt_box_items(&box.room.box) * (int64_t)r->item;
        box.at = place_in_file(r, &box.room.box);
        status = gt_buf_resize(&items, (size_t)box.bytes, err);
        box.room.data = items.data;
        status = status ? status : pass->fill(&box, err);
        status = status ? status : pass->empty(&box, err);
    }
    gt_buf_release(&items);
    return status;
}

static int through_file(struct gt_rechunk *r, struct gt_err *err)
{
    const struct pass slabs = {r->plan.slab, r->plan.band, r->plan.slabs, false, NULL, decode, spill};
    const struct pass bands = {r->plan.band, r->plan.slab, r->plan.bands, true, r->band_kept, read_back, encode};
    int64_t n_kept = 0;
    int status = GT_OK;
    for (int64_t i = 0; i < r->plan.bands && !status; i++) {
        struct gt_box band;
        gt_rechunk_box(&band, r->plan.band, r->plan.ndim, i);
        status = gt_rechunk_box_kept(r, &band, &r->band_kept[i], err);
        n_kept += r->band_kept[i];
    }
    if (status || n_kept == r->plan.bands)
        return status;
    status = gt_spoolfile_open(&r->spool, err);
    status = status ? status : run_pass(r, &slabs, err);
    return status ? status : run_pass(r, &bands, err);
}

int gt_rechunk_boxes(struct gt_rechunk *r, struct gt_err *err)
{
    const struct pass batches = {r->plan.slab, NULL, r->plan.slabs, true, NULL, decode, encode};
    if (r->plan.way == GT_RECHUNK_BATCHES)
        return run_pass(r, &batches, err);
    r->band_kept = gt_alloc((size_t)r->plan.bands, sizeof *r->band_kept, err);
    int status = r->band_kept ? through_file(r, err) : GT_FAIL;
    free(r->band_kept);
    r->band_kept = NULL;
    return status;
}
