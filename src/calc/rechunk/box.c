#include <string.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/size.h"

/* --- units and chunks of a box ---------------------------------------------------------- */

static int64_t count_cells(const struct gt_rechunk *r, enum gt_partition_at where, const struct gt_box *box, int64_t *count)
{
    int64_t all = 1;
    for (int k = 0; k < box->ndim; k++)
        all *= count[k] = gt_partition_cells(&r->request.axis[k], where, box->from[k], box->to[k]);
    return all;
}

/* Number i of them: its place among all cells, and its items. */
static void find_cell(const struct gt_rechunk *r, enum gt_partition_at where, const struct gt_box *box, const int64_t *count, int64_t i,
                      int64_t *cell, struct gt_box *items)
{
    int64_t at[GT_MAX_DIMS];
    gt_nd_index(box->ndim, count, i, at);
    items->ndim = box->ndim;
    for (int k = 0; k < box->ndim; k++)
        cell[k] = gt_partition_cell(&r->request.axis[k], where, box->from[k], at[k], &items->from[k], &items->to[k]);
}

int64_t gt_rechunk_units(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count)
{
    return count_cells(r, GT_PARTITION_UNITS, box, count);
}

void gt_rechunk_unit(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                     struct gt_box *items)
{
    int64_t cell[GT_MAX_DIMS];
    find_cell(r, GT_PARTITION_UNITS, box, count, i, cell, items);
    for (int k = 0; k < box->ndim; k++)
        index[r->axis[k]] = cell[k];
    for (int k = r->from.ndim; k < r->from.array->ndim; k++)
        index[k] = 0; /* alleles of calls stand in one chunk */
}

bool gt_rechunk_unit_has(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *index)
{
    bool has = true;
    for (int k = 0; k < box->ndim && has; k++)
        has = gt_partition_index_has(&r->request.axis[k], index[r->axis[k]], box->from[k], box->to[k]);
    return has;
}

int64_t gt_rechunk_chunks(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count)
{
    return count_cells(r, GT_PARTITION_CHUNKS, box, count);
}

void gt_rechunk_chunk(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                      struct gt_box *items)
{
    int64_t cell[GT_MAX_DIMS];
    find_cell(r, GT_PARTITION_CHUNKS, box, count, i, cell, items);
    memcpy(index, cell, (size_t)r->to.ndim * sizeof *index);
    for (int k = r->to.ndim; k < r->to.array->ndim; k++)
        index[k] = 0;
}

/* --- pieces ------------------------------------------------------------------------------ */

int64_t gt_rechunk_parts(const struct gt_box *box, const struct gt_partition *partition, int64_t *first, int64_t *count)
{
    for (int i = 0; i < box->ndim; i++) {
        bool none = box->from[i] == box->to[i];
        first[i] = partition && !none ? gt_partition_find(&partition[i], box->from[i]) : 0;
        count[i] = none ? 0 : partition ? gt_partition_find(&partition[i], box->to[i] - 1) - first[i] + 1 : 1;
    }
    int64_t all = 1;
    for (int i = 0; i < box->ndim; i++)
        all *= count[i];
    return all;
}

struct gt_box gt_rechunk_part(const struct gt_box *box, const struct gt_partition *partition, const int64_t *first, const int64_t *count,
                              int64_t i)
{
    struct gt_box part = *box;
    int64_t at[GT_MAX_DIMS];
    if (!partition)
        return part;
    gt_nd_index(box->ndim, count, i, at);
    for (int k = 0; k < box->ndim; k++) {
        part.from[k] = partition[k].at[first[k] + at[k]];
        part.to[k] = partition[k].at[first[k] + at[k] + 1];
    }
    return gt_box_both(box, &part);
}

/* --- items from one place to another -------------------------------------------------------- */

struct gt_rechunk_position gt_rechunk_unit_place(const struct gt_rechunk *r, const int64_t *index)
{
    struct gt_rechunk_position place = {0};
    int64_t stride[GT_MAX_DIMS];
    gt_nd_strides(r->from.ndim, r->from.cell, stride);
    for (int k = 0; k < r->request.ndim; k++) {
        const struct gt_partition_axis *axis = &r->request.axis[k];
        const int64_t begin = index[r->axis[k]] * axis->unit;
        place.stride[k] = stride[r->axis[k]] * (axis->list ? 1 : axis->step);
        place.zero += ((axis->list ? 0 : axis->start) - begin) * stride[r->axis[k]];
        place.axis[k] = axis->list ? axis : NULL;
        place.index[k] = index[r->axis[k]];
        place.listed = place.listed || axis->list;
    }
    return place;
}

bool gt_rechunk_at(const struct gt_rechunk_position *place, int ndim, const int64_t *item, int64_t *number)
{
    *number = place->zero;
    for (int k = 0; k < ndim; k++) {
        const struct gt_partition_axis *axis = place->axis[k];
        const int64_t at = axis ? axis->list->place[item[k]] : item[k];
        if (axis && at / axis->unit != place->index[k])
            return false;
        *number += at * place->stride[k];
    }
    return true;
}

struct gt_rechunk_position gt_rechunk_chunk_position(const struct gt_rechunk *r, const int64_t *index)
{
    struct gt_rechunk_position place = {0};
    gt_nd_strides(r->to.ndim, r->to.cell, place.stride);
    for (int k = 0; k < r->to.ndim; k++)
        place.zero -= index[k] * r->to.cell[k] * place.stride[k];
    return place;
}

/* A unit or a chunk in memory. */
struct side {
    struct gt_rechunk_position place;
    uint8_t *data;
};

/* Items of `part`, which lie in the room as those of `whole`, whose first one is number `at` there. */
struct stretch {
    struct gt_box part, whole;
    int64_t at;
};

/* Axes of a unit that have lists: which of the stretch's items are the unit's, and where they stand in it. */
static void set_lists(const struct stretch *s, const struct gt_rechunk_position *place, struct gt_nd *nd, struct gt_nd_list *lists)
{
    for (int k = 0; k < nd->ndim; k++) {
        const struct gt_partition_index *list = place->axis[k] ? place->axis[k]->list : NULL;
        int64_t at;
        lists[k] = (struct gt_nd_list){.place = list ? list->place : NULL, .first = s->part.from[k]};
        if (!list || !list->order)
            continue;
        nd->axis[k].n = gt_partition_index_items(list, place->index[k], s->part.from[k], s->part.to[k], &at);
        lists[k].item = list->order + at;
    }
}

static void move_stretch(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const struct stretch *s, const struct side *side,
                         bool in)
{
    int64_t stride[GT_MAX_DIMS], extent[GT_MAX_DIMS], here = s->at, there = side->place.zero;
    struct gt_nd nd = {.ndim = r->request.ndim};
    struct gt_nd_list lists[GT_MAX_DIMS];
    for (int k = 0; k < nd.ndim; k++)
        extent[k] = s->whole.to[k] - s->whole.from[k];
    gt_nd_strides(nd.ndim, extent, stride);
    for (int k = 0; k < nd.ndim; k++) {
        const int64_t out = side->place.stride[k], first = side->place.axis[k] ? 0 : s->part.from[k];
        nd.axis[k] = (struct gt_nd_axis){s->part.to[k] - s->part.from[k], in ? out : stride[k], in ? stride[k] : out};
        here += (first - s->whole.from[k]) * stride[k];
        there += first * out;
    }
    if (side->place.listed) {
        set_lists(s, &side->place, &nd, lists);
        gt_nd_copy_lists(&nd, lists, here, there, room->item, room->data, side->data);
        return;
    }
    uint8_t *inside = room->data + here * (int64_t)room->item, *outside = side->data + there * (int64_t)room->item;
    gt_nd_copy(&nd, room->item, in ? inside : outside, in ? outside : inside);
}

/* What the room and `items` share, piece by piece, and in each chunk by chunk. */
static void move(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const struct gt_box *items, const struct side *side,
                 bool in)
{
    int64_t first[GT_MAX_DIMS], count[GT_MAX_DIMS], inner[GT_MAX_DIMS], chunks[GT_MAX_DIMS];
    const struct gt_box shared = gt_box_both(&room->box, items);
    const int64_t pieces = gt_rechunk_parts(&shared, room->partition, first, count);
    for (int64_t i = 0; i < pieces; i++) {
        const struct gt_box part = gt_rechunk_part(&shared, room->partition, first, count, i);
        const struct gt_box piece = gt_rechunk_part(&room->box, room->partition, first, count, i);
        const int64_t at = gt_box_place(&room->box, &piece), n = gt_rechunk_parts(&part, room->chunks, inner, chunks);
        for (int64_t k = 0; k < n; k++) {
            struct stretch s = {.part = gt_rechunk_part(&part, room->chunks, inner, chunks, k),
                                .whole = gt_rechunk_part(&piece, room->chunks, inner, chunks, k)};
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
    const struct side side = {gt_rechunk_chunk_position(r, index), chunk};
    move(r, room, items, &side, false);
}
