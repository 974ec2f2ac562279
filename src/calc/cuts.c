#include "calc/cuts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/size.h"

/* The first item, `from` or behind it, of another unit than the one before it. */
static int64_t unit_from(const struct gt_cut_axis *axis, int64_t from)
{
    int64_t unit = (axis->start + (from - 1) * axis->step) / axis->unit;
    return gt_least(axis->n, gt_ceil_div((unit + 1) * axis->unit - axis->start, axis->step));
}

static int64_t chunk_from(const struct gt_cut_axis *axis, int64_t from)
{
    int64_t chunks = gt_ceil_div(from, axis->chunk);
    return chunks > axis->n / axis->chunk ? axis->n : chunks * axis->chunk;
}

/* The first place after `after` where the axis may be cut, n at the latest. */
static int64_t cut_next(const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t after)
{
    int64_t at = after + 1, last;
    if (where != GT_CUT_BOTH)
        return where == GT_CUT_UNITS ? unit_from(axis, at) : chunk_from(axis, at);
    do {
        last = unit_from(axis, at);
        at = chunk_from(axis, last);
    } while (at != last && unit_from(axis, at) != at && at < axis->n);
    return at;
}

/* From `from` on, as many parts that cannot be cut as fit in the width. */
static int64_t next_part(const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t width, int64_t from)
{
    int64_t to = cut_next(axis, where, from), more;
    while (to < axis->n && (more = cut_next(axis, where, to)) - from <= width)
        to = more;
    return to;
}

int gt_cuts_make(struct gt_cuts *cuts, const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t width, struct gt_err *err)
{
    size_t cap = 0;
    *cuts = (struct gt_cuts){0};
    for (int64_t at = 0;; at = next_part(axis, where, width, at)) {
        if (gt_grow(&cuts->at, &cap, (size_t)cuts->n + 2, sizeof *cuts->at, err)) {
            gt_cuts_release(cuts);
            return GT_FAIL;
        }
        cuts->at[cuts->n] = at;
        if (cuts->n > 0 && at - cuts->at[cuts->n - 1] > cuts->widest)
            cuts->widest = at - cuts->at[cuts->n - 1];
        if (at >= axis->n)
            return 0;
        cuts->n++;
    }
}

void gt_cuts_measure(const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t *widest, int64_t *parts)
{
    *widest = *parts = 0;
    for (int64_t at = 0, to; at < axis->n; at = to, ++*parts) {
        to = cut_next(axis, where, at);
        *widest = to - at > *widest ? to - at : *widest;
    }
}

int64_t gt_cuts_find(const struct gt_cuts *cuts, int64_t item)
{
    int64_t low = 0, high = cuts->n;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (cuts->at[mid] <= item)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void gt_cuts_release(struct gt_cuts *cuts)
{
    free(cuts->at);
    *cuts = (struct gt_cuts){0};
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
        both.to[i] = gt_least(a->to[i], b->to[i]);
    }
    return both;
}

/* In front of it, axis by axis, are the pieces that have the same indices so far and a lower
 * one here: as wide as the piece along the axes before, and as the box along those behind. */
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
