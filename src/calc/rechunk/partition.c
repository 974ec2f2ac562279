#include "calc/rechunk/partition.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"

/* The first item, `from` or after it, of another unit than the one before it; with a list, of another part. */
static int64_t unit_from(const struct gt_partition_axis *axis, int64_t from)
{
    if (axis->list)
        return axis->list->parts.at[gt_partition_find(&axis->list->parts, from - 1) + 1];
    int64_t unit = (axis->start + (from - 1) * axis->step) / axis->unit;
    return gt_min_i64(axis->n, gt_ceil_div((unit + 1) * axis->unit - axis->start, axis->step));
}

static int64_t chunk_from(const struct gt_partition_axis *axis, int64_t from)
{
    int64_t chunks = gt_ceil_div(from, axis->chunk);
    return chunks > axis->n / axis->chunk ? axis->n : chunks * axis->chunk;
}

/* The first place after `after` where the axis may be cut, n at the latest. */
static int64_t cut_next(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t after)
{
    int64_t at = after + 1, last;
    if (where != GT_PARTITION_BOTH)
        return where == GT_PARTITION_UNITS ? unit_from(axis, at) : chunk_from(axis, at);
    do {
        last = unit_from(axis, at);
        at = chunk_from(axis, last);
    } while (at != last && unit_from(axis, at) != at && at < axis->n);
    return at;
}

/* From `from` on, as many parts that cannot be cut as fit in the width. */
static int64_t next_part(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t width, int64_t from)
{
    int64_t to = cut_next(axis, where, from), more;
    while (to < axis->n && (more = cut_next(axis, where, to)) - from <= width)
        to = more;
    return to;
}

int gt_partition_make(struct gt_partition *partition, const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t width,
                      struct gt_err *err)
{
    size_t cap = 0;
    *partition = (struct gt_partition){0};
    for (int64_t at = 0;; at = next_part(axis, where, width, at)) {
        if (gt_grow(&partition->at, &cap, (size_t)partition->n + 2, sizeof *partition->at, err)) {
            gt_partition_release(partition);
            return GT_FAIL;
        }
        partition->at[partition->n] = at;
        if (partition->n > 0 && at - partition->at[partition->n - 1] > partition->widest)
            partition->widest = at - partition->at[partition->n - 1];
        if (at >= axis->n)
            return 0;
        partition->n++;
    }
}

void gt_partition_measure(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t *widest, int64_t *parts)
{
    *widest = *parts = 0;
    for (int64_t at = 0, to; at < axis->n; at = to, ++*parts) {
        to = cut_next(axis, where, at);
        *widest = to - at > *widest ? to - at : *widest;
    }
}

/* --- units and chunks ------------------------------------------------------------------- */

/* Cells of that many places each; item i has place start + i * step. */
struct grid {
    int64_t start, step, cell;
};

static struct grid grid_of(const struct gt_partition_axis *axis, enum gt_partition_at where)
{
    return where == GT_PARTITION_CHUNKS ? (struct grid){0, 1, axis->chunk} : (struct grid){axis->start, axis->step, axis->unit};
}

static int64_t cell_of(const struct grid *grid, int64_t item)
{
    return (grid->start + item * grid->step) / grid->cell;
}

/* The first item of a cell, or of a later one. */
static int64_t first_of(const struct grid *grid, int64_t cell)
{
    int64_t at = cell * grid->cell - grid->start;
    return at > 0 ? gt_ceil_div(at, grid->step) : 0;
}

/* Where steps are longer than cells each item has a cell of its own, and others have none. */
static bool skips(const struct grid *grid)
{
    return grid->step > grid->cell;
}

/* The first of a part's units. */
static int64_t units_before(const struct gt_partition_index *list, int64_t part)
{
    return list->order ? list->of_part[part] : part;
}

int64_t gt_partition_cells(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t to)
{
    const struct grid grid = grid_of(axis, where);
    if (from >= to)
        return 0;
    if (axis->list && where == GT_PARTITION_UNITS)
        return units_before(axis->list, gt_partition_find(&axis->list->parts, to - 1) + 1) -
               units_before(axis->list, gt_partition_find(&axis->list->parts, from));
    return skips(&grid) ? to - from : cell_of(&grid, to - 1) - cell_of(&grid, from) + 1;
}

/* The part of unit number u. */
static int64_t part_of(const struct gt_partition_index *list, int64_t u)
{
    const struct gt_partition units = {.at = list->of_part, .n = list->parts.n};
    return list->order ? gt_partition_find(&units, u) : u;
}

static int64_t listed_unit(const struct gt_partition_axis *axis, int64_t from, int64_t i, int64_t *first, int64_t *end)
{
    const struct gt_partition_index *list = axis->list;
    const int64_t u = units_before(list, gt_partition_find(&list->parts, from)) + i, part = part_of(list, u);
    *first = list->parts.at[part];
    *end = list->parts.at[part + 1];
    return list->order ? list->unit[u] : list->place[*first] / axis->unit;
}

int64_t gt_partition_cell(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t i, int64_t *first,
                          int64_t *end)
{
    const struct grid grid = grid_of(axis, where);
    if (axis->list && where == GT_PARTITION_UNITS)
        return listed_unit(axis, from, i, first, end);
    const int64_t cell = skips(&grid) ? cell_of(&grid, from + i) : cell_of(&grid, from) + i;
    *first = first_of(&grid, cell);
    *end = gt_min_i64(axis->n, first_of(&grid, cell + 1));
    return cell;
}

int64_t gt_partition_find(const struct gt_partition *partition, int64_t item)
{
    int64_t low = 0, high = partition->n;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (partition->at[mid] <= item)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void gt_partition_release(struct gt_partition *partition)
{
    free(partition->at);
    *partition = (struct gt_partition){0};
}

/* --- boxes ------------------------------------------------------------------------------- */

int64_t gt_box_items(const struct gt_box *box)
{
    int64_t items = 1;
    for (int i = 0; i < box->ndim; i++)
        items *= box->to[i] > box->from[i] ? box->to[i] - box->from[i] : 0;
    return items;
}

struct gt_box gt_box_both(const struct gt_box *a, const struct gt_box *b)
{
    struct gt_box both = {.ndim = a->ndim};
    for (int i = 0; i < a->ndim; i++) {
        both.from[i] = a->from[i] > b->from[i] ? a->from[i] : b->from[i];
        both.to[i] = gt_min_i64(a->to[i], b->to[i]);
    }
    return both;
}

/* Before it, axis by axis, are the pieces that have the same indices so far and a lower
 * one here: as wide as the piece along the axes before, and as the box along those after. */
int64_t gt_box_place(const struct gt_box *box, const struct gt_box *piece)
{
    int64_t before = gt_box_items(box), place = 0, narrow = 1;
    for (int i = 0; i < box->ndim && before > 0; i++) {
        before /= box->to[i] - box->from[i];
        place += narrow * (piece->from[i] - box->from[i]) * before;
        narrow *= piece->to[i] - piece->from[i];
    }
    return place;
}
