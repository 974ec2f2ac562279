/* Reduces each unit of a box to states on a thread, and joins the states in unit order.  A box contains all units of its output items, so
 * results do not depend on threads or memory. */
#include "calc/rechunk/rechunk_internal.h"
#include "core/base/size.h"

struct gt_box gt_rechunk_reduced(const struct gt_rechunk *r, const struct gt_box *box)
{
    struct gt_box reduced = *box;
    for (int k = 0; k < box->ndim; k++)
        if (r->reduction && r->request.axis[k].reduced)
            reduced.to[k] = reduced.from[k] + 1;
    return reduced;
}

int64_t gt_rechunk_reduce_cell(const struct gt_rechunk *r)
{
    return (int64_t)(r->item + sizeof(struct gt_reduction_state));
}

/* Its items once more, row by row, and states of all that stay. */
int64_t gt_rechunk_reduce_unit(const struct gt_rechunk *r)
{
    int64_t items = (int64_t)r->from.item, cells = (int64_t)sizeof(struct gt_reduction_state);
    for (int k = 0; k < r->request.ndim; k++) {
        const struct gt_partition_axis *axis = &r->request.axis[k];
        const int64_t n = axis->list ? axis->list->parts.widest : gt_min_i64(axis->unit, axis->n);
        items = gt_bytes_mul(items, n);
        cells = gt_bytes_mul(cells, axis->reduced ? 1 : n);
    }
    return gt_bytes_add(items, cells);
}

/* A box that is folded. */
struct folding {
    struct gt_rechunk *r;
    struct gt_box box, cells;
    int64_t count[GT_MAX_DIMS];
    struct gt_buf states; /* struct gt_reduction_state of each cell */
};

struct unit {
    struct gt_rechunk_held held; /* one */
    struct gt_box items, cells;
    struct gt_buf rows, states;
};

static int unit_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct folding *f = ctx;
    struct unit *unit = data;
    unit->rows.budget = unit->states.budget = &f->r->engine->budget;
    int64_t index[GT_MAX_DIMS];
    gt_rechunk_unit(f->r, &f->box, f->count, task, index, &unit->items);
    unit->cells = gt_rechunk_reduced(f->r, &unit->items);
    for (int k = f->r->to.ndim; k < unit->cells.ndim; k++)
        unit->cells.from[k] = f->cells.from[k], unit->cells.to[k] = f->cells.to[k];
    unit->held.next = task;
    unit->held.end = task + 1;
    return gt_rechunk_acquire(f->r, &f->box, f->count, 1, &unit->held, err);
}

/* The unit's items with those that are folded last, so that they are rows; and these folded. */
static int unit_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct folding *f = ctx;
    struct unit *unit = data;
    const struct gt_rechunk *r = f->r;
    const int64_t items = gt_box_items(&unit->items), cells = gt_box_items(&unit->cells);
    (void)task;
    int status = gt_buf_resize(&unit->rows, (size_t)items * r->from.item, err);
    status = status ? status : gt_buf_resize(&unit->states, (size_t)cells * sizeof(struct gt_reduction_state), err);
    if (status)
        return status;
    const struct gt_rechunk_room room = {.box = unit->items, .type = r->from.type, .item = r->from.item, .data = unit->rows.data};
    status = gt_rechunk_put_in(f->r, &f->box, f->count, &room, &unit->held, err);
    if (!status)
        gt_reduction_rows(r->reduction, &r->to.skip, r->from.type, unit->rows.data, cells, items / cells,
                          (struct gt_reduction_state *)(void *)unit->states.data);
    return status;
}

/* States of the unit's cells, a run along the last axis that stays at a time. */
static int unit_join(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct folding *f = ctx;
    const struct unit *unit = data;
    struct gt_reduction_state *all = (struct gt_reduction_state *)(void *)f->states.data;
    const struct gt_reduction_state *more = (const struct gt_reduction_state *)(const void *)unit->states.data;
    int64_t stride[GT_MAX_DIMS], extent[GT_MAX_DIMS];
    struct gt_nd nd = {.ndim = f->box.ndim};
    struct gt_nd_walk walk;
    int64_t at = 0, inner = 1;
    (void)task, (void)err;
    for (int k = 0; k < nd.ndim; k++)
        extent[k] = f->cells.to[k] - f->cells.from[k];
    gt_nd_strides(nd.ndim, extent, stride);
    for (int k = nd.ndim - 1; k >= 0; k--) {
        const int64_t n = unit->cells.to[k] - unit->cells.from[k];
        nd.axis[k] = (struct gt_nd_axis){n, inner, stride[k]};
        at += (unit->cells.from[k] - f->cells.from[k]) * stride[k];
        inner *= n;
    }
    for (gt_nd_walk_begin(&walk, &nd); gt_nd_walk_run(&walk); gt_nd_walk_next(&walk))
        for (int64_t i = 0; i < walk.run.n; i++)
            gt_reduction_join(f->r->reduction, f->r->from.type, &all[at + walk.to + i * walk.run.to], &more[walk.from + i * walk.run.from]);
    return 0;
}

static void unit_release(void *ctx, void *data)
{
    struct folding *f = ctx;
    struct unit *unit = data;
    gt_rechunk_held_release(f->r, &unit->held);
    gt_buf_release(&unit->rows);
    gt_buf_release(&unit->states);
}

static int reduce_units(struct folding *f, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "reduce",
                                           .work_name = "reduce",
                                           .item_size = sizeof(struct unit),
                                           .read = unit_read,
                                           .work = unit_work,
                                           .release = unit_release};
    const int64_t units = gt_rechunk_units(f->r, &f->box, f->count);
    return gt_rechunk_flow(f->r, &ops, units, f->r->request.unit_bytes, f, unit_join, err);
}

int gt_rechunk_reduce(struct gt_rechunk *r, const struct gt_box *box, uint8_t *to, struct gt_err *err)
{
    struct folding f = {.r = r, .box = *box, .cells = gt_rechunk_reduced(r, box), .states.budget = &r->engine->budget};
    const int64_t cells = gt_box_items(&f.cells);
    int status = gt_buf_zeros(&f.states, (size_t)cells * sizeof(struct gt_reduction_state), err);
    status = status || r->none ? status : reduce_units(&f, err);
    if (!status)
        gt_reduction_finish(r->reduction, &r->to.skip, r->from.type, (const struct gt_reduction_state *)(const void *)f.states.data, cells,
                            to);
    gt_buf_release(&f.states);
    return status;
}
