/* Sums of pairs of float64 rows on a device: the tiles of the cpu, by a kernel. */
#include <stdlib.h>

#include "calc/pairs/acc_float.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "kernels/device/floats.h"

struct gt_float_on_device {
    struct gt_device *device;
    const struct gt_device_ops *ops;
    struct gt_stream *copies, *work;
    struct gt_event *copied, *free_again[2]; /* free_again: the buffer was read */
    struct gt_device_buf tiles;              /* int32_t [n][2], see struct gt_device_floats */
    struct gt_device_buf sums;               /* double [planes][n][GT_FLOAT_CELLS] */
    struct gt_device_buf blocks[2];          /* panels, then weights */
    struct gt_buf own;                       /* int64_t [n]: indices of the tiles that are counted here, ascending */
    int64_t n, added;                        /* added: blocks */
};

/* --- making it --------------------------------------------------------------------------------- */

static int64_t panels_bytes(int64_t panels, int64_t sites)
{
    return gt_bytes_mul(panels * GT_PANEL, sites * (int64_t)sizeof(double));
}

static int64_t block_bytes(int64_t panels, int64_t sites)
{
    return gt_bytes_add(panels_bytes(panels, sites), sites * (int64_t)sizeof(double));
}

static int64_t sums_bytes(int64_t tiles, int n_planes)
{
    return gt_bytes_mul(tiles, n_planes * GT_FLOAT_CELLS * (int64_t)sizeof(double));
}

int64_t gt_float_device_bytes(const struct gt_acc_setup *setup)
{
    struct gt_tiling tiling;
    gt_tiling_measure(&tiling, &setup->box, setup->parts_wanted);
    const struct gt_rect *at = &tiling.panels;
    const int64_t panels = gt_max_i64(at->row1, at->column1) - gt_min_i64(at->row0, at->column0);
    return gt_bytes_add(gt_bytes_add(sums_bytes(tiling.tiles, setup->n_planes), gt_bytes_mul(tiling.tiles, 2 * (int64_t)sizeof(int32_t))),
                        gt_bytes_add(gt_bytes_mul(2, block_bytes(panels, setup->block_rows)), 1 << 10));
}

/* The tiles that are counted here: of several ranks, those of its rectangles.  All have sums per pair. */
static int list_tiles(const struct gt_float_acc *acc, struct gt_buf *own, struct gt_buf *panels, struct gt_err *err)
{
    const struct gt_tiling *tiling = &acc->tiling;
    const struct gt_acc_setup *setup = &acc->base.setup;
    const struct gt_rect *at = &tiling->panels;
    int64_t n = 0;
    int status = gt_buf_resize(own, (size_t)tiling->tiles * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_resize(panels, (size_t)tiling->tiles * 2 * sizeof(int32_t), err);
    if (status)
        return status;
    int32_t *pair = (int32_t *)(void *)panels->data;
    for (int64_t a = at->row0; a < at->row1; a++)
        for (int64_t b = gt_max_i64(a, at->column0); b < at->column1; b++) {
            const int64_t tile = gt_tiling_tile(tiling, a, b);
            gt_float_apart(acc)[tile] = 1;
            if (setup->ranks > 1 && gt_tiling_rect(tiling, a, b) % setup->ranks != setup->rank)
                continue;
            gt_buf_i64(own)[n++] = tile;
            *pair++ = (int32_t)(a - acc->first);
            *pair++ = (int32_t)(b - acc->first);
        }
    own->len = (size_t)n * sizeof(int64_t);
    return GT_OK;
}

static int make_streams(struct gt_float_on_device *on, struct gt_err *err)
{
    int status = gt_device_stream_plain(on->device, "sums", &on->work, err);
    if (!status)
        status = gt_device_stream_plain(on->device, "copies", &on->copies, err);
    if (status)
        return status;
    int code = on->ops->event_new(on->device->impl, &on->copied);
    for (int k = 0; k < 2 && !code; k++)
        code = on->ops->event_new(on->device->impl, &on->free_again[k]);
    return gt_device_status(on->device, code, "cannot make an event", err);
}

static int make_memory(struct gt_float_on_device *on, const struct gt_float_acc *acc, const int32_t *panels, struct gt_err *err)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const int64_t block = block_bytes(acc->panels, setup->block_rows), list = on->n * 2 * (int64_t)sizeof *panels;
    int status = gt_device_alloc(&on->sums, on->device, (size_t)sums_bytes(on->n, setup->n_planes), err);
    if (!status)
        status = gt_device_alloc(&on->tiles, on->device, (size_t)list, err);
    for (int k = 0; k < 2 && !status; k++)
        status = gt_device_alloc(&on->blocks[k], on->device, (size_t)block, err);
    if (status)
        return status;
    int code = on->ops->zero(on->work, on->sums.data, on->sums.bytes);
    if (!code)
        code = on->ops->copy_to(on->work, on->tiles.data, panels, (size_t)list);
    const int waited = on->ops->stream_wait(on->work); /* also after a failure: nothing reads the list afterwards */
    return gt_device_status(on->device, code ? code : waited, "clearing sums", err);
}

int gt_float_device_new(struct gt_float_acc *acc, struct gt_err *err)
{
    struct gt_float_on_device *on = gt_alloc(1, sizeof *on, err);
    struct gt_budget *budget = acc->sums.budget;
    struct gt_buf panels = {.budget = budget};
    if (!on)
        return GT_FAIL;
    acc->on = on;
    acc->base.parts = 1;
    on->device = acc->base.setup.device;
    on->ops = on->device->ops;
    on->own.budget = budget;
    int status = list_tiles(acc, &on->own, &panels, err);
    on->n = (int64_t)(on->own.len / sizeof(int64_t));
    if (!status)
        status = make_streams(on, err);
    if (!status && on->n)
        status = make_memory(on, acc, (const int32_t *)(const void *)panels.data, err);
    gt_buf_release(&panels);
    return status;
}

/* What is on the device. */
static void leave(struct gt_float_on_device *on)
{
    if (on->copies)
        on->ops->stream_free(on->copies);
    if (on->work)
        on->ops->stream_free(on->work);
    if (on->copied)
        on->ops->event_free(on->copied);
    on->copies = on->work = NULL;
    on->copied = NULL;
    for (int k = 0; k < 2; k++) {
        if (on->free_again[k])
            on->ops->event_free(on->free_again[k]);
        on->free_again[k] = NULL;
        gt_device_release(&on->blocks[k]);
    }
    gt_device_release(&on->tiles);
    gt_device_release(&on->sums);
}

void gt_float_device_free(struct gt_float_on_device *on)
{
    if (!on)
        return;
    leave(on);
    gt_buf_release(&on->own);
    free(on);
}

/* --- blocks -------------------------------------------------------------------------------------- */

/* Returns a code, like the next. */
static int copy_block(struct gt_float_on_device *on, const struct gt_float_block *block, const struct gt_device_buf *to)
{
    int code = on->ops->stream_after(on->copies, on->free_again[on->added % 2]);
    if (!code)
        code = on->ops->copy_to(on->copies, to->data, block->values.data, block->values.len);
    if (!code && block->weights.len)
        code = on->ops->copy_to(on->copies, (uint8_t *)to->data + block->values.len, block->weights.data, block->weights.len);
    if (!code)
        code = on->ops->event_record(on->copied, on->copies);
    return code ? code : on->ops->stream_after(on->work, on->copied);
}

static int add_plane(const struct gt_float_acc *acc, const struct gt_float_block *block, const struct gt_device_buf *at, int k)
{
    const struct gt_float_on_device *on = acc->on;
    const struct gt_plane *plane = &acc->base.setup.planes[k];
    const double *weights = (const double *)(const void *)((const uint8_t *)at->data + block->values.len);
    const struct gt_device_floats of = {.values = at->data,
                                        .weights = block->weights.len && !plane->unweighted ? weights : NULL,
                                        .sites = block->base.sites,
                                        .term = plane->term,
                                        .p = acc->base.setup.numbers.p,
                                        .tiles = on->tiles.data,
                                        .sums = (double *)on->sums.data + k * on->n * GT_FLOAT_CELLS};
    const struct gt_device_float_cell_args cell = {of};
    const struct gt_device_float_cells_args cells = {of};
    return gt_float_is_heavy(plane->term) ? on->ops->launch(on->work, "float_cell", on->n * GT_FLOAT_CELLS, &cell, sizeof cell)
                                          : on->ops->launch(on->work, "float_cells", on->n * GT_FLOAT_CELLS / 8, &cells, sizeof cells);
}

/* The block's memory is free again afterwards. */
int gt_float_device_add(struct gt_float_acc *acc, const struct gt_float_block *block, struct gt_err *err)
{
    struct gt_float_on_device *on = acc->on;
    const struct gt_device_buf *at = &on->blocks[on->added % 2];
    if (!block->base.sites || !on->n)
        return GT_OK;
    int code = copy_block(on, block, at);
    for (int k = 0; k < acc->base.setup.n_planes && !code; k++)
        code = add_plane(acc, block, at, k);
    if (!code)
        code = on->ops->event_record(on->free_again[on->added++ % 2], on->work);
    const int waited = code ? on->ops->stream_wait(on->copies) : on->ops->event_wait(on->copied);
    return gt_device_status(on->device, code ? code : waited, "summing over pairs", err);
}

/* --- finish --------------------------------------------------------------------------------------- */

/* Tiles from number `at` of those counted here on that stand side by side in the sums of all. */
static int64_t run_of(const struct gt_float_on_device *on, int64_t at)
{
    const int64_t *own = (const int64_t *)(const void *)on->own.data;
    int64_t n = 1;
    while (at + n < on->n && own[at + n] == own[at] + n)
        n++;
    return n;
}

static int bring(struct gt_float_acc *acc)
{
    const struct gt_float_on_device *on = acc->on;
    int code = GT_DEVICE_OK;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        for (int64_t at = 0, n; at < on->n && !code; at += n) {
            n = run_of(on, at);
            const double *from = (const double *)on->sums.data + (k * on->n + at) * GT_FLOAT_CELLS;
            double *to = gt_float_sums(acc, k, ((const int64_t *)(const void *)on->own.data)[at]);
            code = on->ops->copy_from(on->work, to, from, (size_t)(n * GT_FLOAT_CELLS) * sizeof *to);
        }
    return code;
}

int gt_float_device_finish(struct gt_float_acc *acc, struct gt_err *err)
{
    struct gt_float_on_device *on = acc->on;
    const int code = bring(acc), waited = on->ops->stream_wait(on->work);
    const int status = gt_device_status(on->device, code ? code : waited, "copying sums", err);
    leave(on);
    return status;
}
