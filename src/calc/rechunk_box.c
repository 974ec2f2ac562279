#include "base/size.h"
#include "calc/rechunk_impl.h"

/* --- units and chunks of a box ---------------------------------------------------------- */

static int64_t unit_of(const struct gt_cut_axis *axis, int64_t item)
{
    return (axis->start + item * axis->step) / axis->unit;
}

/* The first item of a unit, or of a later one. */
static int64_t first_of(const struct gt_cut_axis *axis, int64_t unit)
{
    int64_t at = unit * axis->unit - axis->start;
    return at > 0 ? gt_ceil_div(at, axis->step) : 0;
}

/* Where steps are longer than units each item has a unit of its own, and others have none. */
static bool skips(const struct gt_cut_axis *axis)
{
    return axis->step > axis->unit;
}

static int64_t product(const int64_t *count, int n)
{
    int64_t all = 1;
    for (int i = 0; i < n; i++)
        all *= count[i];
    return all;
}

int64_t gt_rechunk_units(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count)
{
    for (int i = 0; i < box->ndim; i++) {
        const struct gt_cut_axis *axis = &r->wish.axis[i];
        int64_t items = box->to[i] - box->from[i];
        count[i] = items == 0 || skips(axis) ? items : unit_of(axis, box->to[i] - 1) - unit_of(axis, box->from[i]) + 1;
    }
    return product(count, box->ndim);
}

void gt_rechunk_unit(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                     struct gt_box *items)
{
    int64_t at[GT_MAX_DIMS];
    gt_nd_index(box->ndim, count, i, at);
    items->ndim = box->ndim;
    for (int k = 0; k < box->ndim; k++) {
        const struct gt_cut_axis *axis = &r->wish.axis[k];
        int64_t unit = skips(axis) ? unit_of(axis, box->from[k] + at[k]) : unit_of(axis, box->from[k]) + at[k], end;
        index[r->axis[k]] = unit;
        items->from[k] = first_of(axis, unit);
        end = first_of(axis, unit + 1);
        items->to[k] = end < axis->n ? end : axis->n;
    }
}

int64_t gt_rechunk_chunks(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count)
{
    for (int i = 0; i < box->ndim; i++)
        count[i] = gt_ceil_div(box->to[i] - box->from[i], r->wish.axis[i].chunk);
    return product(count, box->ndim);
}

void gt_rechunk_chunk(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                      struct gt_box *items)
{
    int64_t at[GT_MAX_DIMS];
    gt_nd_index(box->ndim, count, i, at);
    items->ndim = box->ndim;
    for (int k = 0; k < box->ndim; k++) {
        const struct gt_cut_axis *axis = &r->wish.axis[k];
        int64_t chunk = box->from[k] / axis->chunk + at[k], left;
        items->from[k] = chunk * axis->chunk;
        left = axis->n - items->from[k];
        items->to[k] = items->from[k] + (left < axis->chunk ? left : axis->chunk);
        if (k < r->to.ndim)
            index[k] = chunk;
    }
}

/* --- pieces ------------------------------------------------------------------------------ */

int64_t gt_rechunk_pieces(const struct gt_box *box, const struct gt_cuts *cuts, int64_t *first, int64_t *count)
{
    for (int i = 0; i < box->ndim; i++) {
        bool none = box->from[i] == box->to[i];
        first[i] = cuts && !none ? gt_cuts_find(&cuts[i], box->from[i]) : 0;
        count[i] = none ? 0 : cuts ? gt_cuts_find(&cuts[i], box->to[i] - 1) - first[i] + 1 : 1;
    }
    return product(count, box->ndim);
}

struct gt_box gt_rechunk_piece(const struct gt_box *box, const struct gt_cuts *cuts, const int64_t *first, const int64_t *count, int64_t i)
{
    struct gt_box part = *box;
    int64_t at[GT_MAX_DIMS];
    if (!cuts)
        return part;
    gt_nd_index(box->ndim, count, i, at);
    for (int k = 0; k < box->ndim; k++) {
        part.from[k] = cuts[k].at[first[k] + at[k]];
        part.to[k] = cuts[k].at[first[k] + at[k] + 1];
    }
    return gt_box_both(box, &part);
}

/* --- items from one place to another -------------------------------------------------------- */

struct gt_rechunk_place gt_rechunk_unit_place(const struct gt_rechunk *r, const int64_t *index)
{
    struct gt_rechunk_place place = {0};
    int64_t stride[GT_MAX_DIMS];
    gt_nd_strides(r->from.ndim, r->from.cell, stride);
    for (int k = 0; k < r->wish.ndim; k++) {
        const struct gt_cut_axis *axis = &r->wish.axis[k];
        place.stride[k] = stride[r->axis[k]] * axis->step;
        place.zero += (axis->start - index[r->axis[k]] * axis->unit) * stride[r->axis[k]];
    }
    return place;
}

struct gt_rechunk_place gt_rechunk_chunk_place(const struct gt_rechunk *r, const int64_t *index)
{
    struct gt_rechunk_place place = {0};
    gt_nd_strides(r->to.ndim, r->to.cell, place.stride);
    for (int k = 0; k < r->to.ndim; k++)
        place.zero -= index[k] * r->to.cell[k] * place.stride[k];
    return place;
}

/* A unit or a chunk in memory. */
struct side {
    struct gt_rechunk_place place;
    uint8_t *data;
};

/* Items of `part`, which lie in the room as those of `whole`, whose first one is number `at` there. */
struct stretch {
    struct gt_box part, whole;
    int64_t at;
};

static void move_stretch(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const struct stretch *s, const struct side *side,
                         bool in)
{
    int64_t stride[GT_MAX_DIMS], extent[GT_MAX_DIMS], here = s->at, there = side->place.zero;
    struct gt_nd nd = {.ndim = r->wish.ndim};
    for (int k = 0; k < nd.ndim; k++)
        extent[k] = s->whole.to[k] - s->whole.from[k];
    gt_nd_strides(nd.ndim, extent, stride);
    for (int k = 0; k < nd.ndim; k++) {
        int64_t out = side->place.stride[k];
        nd.axis[k] = (struct gt_nd_axis){s->part.to[k] - s->part.from[k], in ? out : stride[k], in ? stride[k] : out};
        here += (s->part.from[k] - s->whole.from[k]) * stride[k];
        there += s->part.from[k] * out;
    }
    uint8_t *inside = room->data + here * (int64_t)r->item, *outside = side->data + there * (int64_t)r->item;
    gt_nd_copy(&nd, r->item, in ? inside : outside, in ? outside : inside);
}

/* What the room and `items` share, piece by piece, and in each chunk by chunk. */
static void move(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const struct gt_box *items, const struct side *side,
                 bool in)
{
    int64_t first[GT_MAX_DIMS], count[GT_MAX_DIMS], inner[GT_MAX_DIMS], chunks[GT_MAX_DIMS];
    const struct gt_box shared = gt_box_both(&room->box, items);
    const int64_t pieces = gt_rechunk_pieces(&shared, room->cuts, first, count);
    for (int64_t i = 0; i < pieces; i++) {
        const struct gt_box part = gt_rechunk_piece(&shared, room->cuts, first, count, i);
        const struct gt_box piece = gt_rechunk_piece(&room->box, room->cuts, first, count, i);
        const int64_t at = gt_box_place(&room->box, &piece), n = gt_rechunk_pieces(&part, room->chunks, inner, chunks);
        for (int64_t k = 0; k < n; k++) {
            struct stretch s = {.part = gt_rechunk_piece(&part, room->chunks, inner, chunks, k),
                                .whole = gt_rechunk_piece(&piece, room->chunks, inner, chunks, k)};
            s.at = at + gt_box_place(&piece, &s.whole);
            move_stretch(r, room, &s, side, in);
        }
    }
}

void gt_rechunk_fill(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     const uint8_t *unit)
{
    const struct side side = {gt_rechunk_unit_place(r, index), (uint8_t *)unit};
    move(r, room, items, &side, true);
}

void gt_rechunk_take(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     uint8_t *chunk)
{
    const struct side side = {gt_rechunk_chunk_place(r, index), chunk};
    move(r, room, items, &side, false);
}
