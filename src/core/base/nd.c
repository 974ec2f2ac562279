#include "core/base/nd.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

bool gt_nd_next(int ndim, const int64_t *extent, int64_t *index)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++index[i] < extent[i])
            return true;
        index[i] = 0;
    }
    return false;
}

void gt_nd_index(int ndim, const int64_t *extent, int64_t number, int64_t *index)
{
    for (int i = ndim - 1; i >= 0; i--) {
        index[i] = number % extent[i];
        number /= extent[i];
    }
}

int64_t gt_nd_number(int ndim, const int64_t *extent, const int64_t *index)
{
    int64_t number = 0;

    for (int i = 0; i < ndim; i++)
        number = number * extent[i] + index[i];
    return number;
}

void gt_nd_strides(int ndim, const int64_t *shape, int64_t *stride)
{
    int64_t items = 1;

    for (int i = ndim - 1; i >= 0; i--) {
        stride[i] = items;
        items *= shape[i];
    }
}

void gt_nd_strides_f(int ndim, const int64_t *shape, int64_t *stride)
{
    int64_t items = 1;

    for (int i = 0; i < ndim; i++) {
        stride[i] = items;
        items *= shape[i];
    }
}

/* --- boxes -------------------------------------------------------------------- */

/* Outer axes of the destination first. */
static int by_destination(const void *a, const void *b)
{
    int64_t x = llabs(((const struct gt_nd_axis *)a)->to), y = llabs(((const struct gt_nd_axis *)b)->to);
    return (x < y) - (x > y);
}

static bool follows(const struct gt_nd_axis *outer, const struct gt_nd_axis *inner)
{
    return outer->from == inner->from * inner->n && outer->to == inner->to * inner->n;
}

void gt_nd_tidy(struct gt_nd *nd)
{
    struct gt_nd_axis *axis = nd->axis;
    int n = 0;

    for (int i = 0; i < nd->ndim; i++) {
        if (axis[i].n == 0) {
            axis[0] = axis[i];
            nd->ndim = 1;
            return;
        }
        if (axis[i].n > 1)
            axis[n++] = axis[i];
    }
    qsort(axis, (size_t)n, sizeof *axis, by_destination);
    nd->ndim = 0;
    for (int i = 0; i < n; i++) {
        struct gt_nd_axis *last = nd->ndim > 0 ? &axis[nd->ndim - 1] : NULL;
        if (last && follows(last, &axis[i]))
            *last = (struct gt_nd_axis){last->n * axis[i].n, axis[i].from, axis[i].to};
        else
            axis[nd->ndim++] = axis[i];
    }
    if (nd->ndim == 0)
        axis[nd->ndim++] = (struct gt_nd_axis){1, 1, 1};
}

/* Runs along the last axis of `box`, which is as it should be walked. */
static void begin(struct gt_nd_walk *walk, const struct gt_nd *box)
{
    walk->outer = *box;
    walk->run = box->axis[--walk->outer.ndim];
    walk->from = walk->to = 0;
    walk->over = walk->run.n == 0;
    memset(walk->index, 0, sizeof walk->index);
}

void gt_nd_walk_begin(struct gt_nd_walk *walk, const struct gt_nd *nd)
{
    struct gt_nd box = *nd;

    gt_nd_tidy(&box);
    begin(walk, &box);
}

void gt_nd_walk_next(struct gt_nd_walk *walk)
{
    for (int i = walk->outer.ndim - 1; i >= 0; i--) {
        const struct gt_nd_axis *axis = &walk->outer.axis[i];
        walk->from += axis->from;
        walk->to += axis->to;
        if (++walk->index[i] < axis->n)
            return;
        walk->from -= axis->from * axis->n;
        walk->to -= axis->to * axis->n;
        walk->index[i] = 0;
    }
    walk->over = true;
}

/* --- copies --------------------------------------------------------------------- */

/* memcpy of a fixed size compiles to plain moves, so that items need no alignment. */
#define BY_SIZE(loop)                                                                                                                      \
    if (size == 1)                                                                                                                         \
    loop(1) else if (size == 2) loop(2) else if (size == 4) loop(4) else if (size == 8) loop(8) else loop(size)

#define COPY_LOOP(n_bytes)                                                                                                                 \
    for (int64_t i = 0; i < run.n; i++, to += run.to * (n_bytes), from += run.from * (n_bytes))                                            \
        memcpy(to, from, (size_t)(n_bytes));

static void copy_run(struct gt_nd_axis run, int64_t size, uint8_t *restrict to, const uint8_t *restrict from)
{
    if (run.from == 1 && run.to == 1)
        memcpy(to, from, (size_t)(run.n * size));
    else
        BY_SIZE(COPY_LOOP)
}

/* A row of 2 * piece bytes at the most, and of piece at the least, by its two ends. */
#define COPY_ENDS(piece)                                                                                                                   \
    for (int64_t i = 0; i < rows.n; i++, to += rows.to, from += rows.from) {                                                               \
        memcpy(to, from, (piece));                                                                                                         \
        memcpy(to + bytes - (piece), from + bytes - (piece), (piece));                                                                     \
    }

/* Rows of so few bytes that going from one to the next costs more than they do. */
#define SHORT_ROW 64

/* bytes: of each of the rows, which are rows.from and rows.to bytes apart; at most SHORT_ROW. */
static void copy_short_rows(struct gt_nd_axis rows, int64_t bytes, uint8_t *restrict to, const uint8_t *restrict from)
{
    if (bytes >= 32)
        COPY_ENDS(32)
    else if (bytes >= 16)
        COPY_ENDS(16)
    else if (bytes >= 8)
        COPY_ENDS(8)
    else if (bytes >= 4)
        COPY_ENDS(4)
    else if (bytes >= 2)
        COPY_ENDS(2)
    else
        COPY_ENDS(1)
}

/* Of a tile of two axes, along either: see kernels/ref/transpose.c. */
#define TILE 16

/* Both axes step over lines, the one in the source and the other in the
 * destination: a tile reads whole lines and writes whole lines. */
static void copy_tiles(struct gt_nd_axis a, struct gt_nd_axis b, int64_t size, uint8_t *to, const uint8_t *from)
{
    for (int64_t i = 0; i < a.n; i += TILE)
        for (int64_t j = 0; j < b.n; j += TILE) {
            struct gt_nd_axis run = {b.n - j < TILE ? b.n - j : TILE, b.from, b.to};
            for (int64_t k = i; k < a.n && k < i + TILE; k++)
                copy_run(run, size, to + (k * a.to + j * b.to) * size, from + (k * a.from + j * b.from) * size);
        }
}

static void copy_turned(struct gt_nd_axis a, struct gt_nd_axis b, int64_t size, uint8_t *to, const uint8_t *from)
{
    const bool of_kernel = size == 1 || size == 2 || size == 4 || size == 8;

    if (of_kernel && a.from == 1 && b.to == 1)
        gt_kernels()->transpose((size_t)size, b.n, a.n, from, b.from * size, to, a.to * size);
    else
        copy_tiles(a, b, size, to, from);
}

/* The outer axis along which the source lies closest, if closer than along the last one; else -1. */
static int across(const struct gt_nd *nd)
{
    int64_t closest = llabs(nd->axis[nd->ndim - 1].from);
    int found = -1;

    for (int i = 0; i < nd->ndim - 1; i++)
        if (llabs(nd->axis[i].from) < closest) {
            closest = llabs(nd->axis[i].from);
            found = i;
        }
    return found;
}

/* Are the runs short ones, of neighbours on both sides? */
static bool has_short_rows(const struct gt_nd *nd, size_t size)
{
    const struct gt_nd_axis *run = &nd->axis[nd->ndim - 1];
    return nd->ndim > 1 && run->from == 1 && run->to == 1 && run->n > 0 && run->n <= SHORT_ROW / (int64_t)size;
}

static struct gt_nd_axis take_axis(struct gt_nd *nd, int at)
{
    struct gt_nd_axis axis = nd->axis[at];
    memmove(&nd->axis[at], &nd->axis[at + 1], (size_t)(--nd->ndim - at) * sizeof axis);
    return axis;
}

void gt_nd_copy(const struct gt_nd *nd, size_t size, void *to, const void *from)
{
    struct gt_nd box = *nd;
    struct gt_nd_walk walk;
    struct gt_nd_axis rows = {1, 0, 0};
    bool turned, short_rows;

    gt_nd_tidy(&box);
    const int closest = across(&box);
    turned = closest >= 0;
    short_rows = !turned && has_short_rows(&box, size);
    if (turned || short_rows)
        rows = take_axis(&box, turned ? closest : box.ndim - 2);
    for (begin(&walk, &box); gt_nd_walk_run(&walk); gt_nd_walk_next(&walk)) {
        uint8_t *row = (uint8_t *)to + walk.to * (int64_t)size;
        const uint8_t *source = (const uint8_t *)from + walk.from * (int64_t)size;
        if (turned)
            copy_turned(rows, walk.run, (int64_t)size, row, source);
        else if (short_rows)
            copy_short_rows((struct gt_nd_axis){rows.n, rows.from * (int64_t)size, rows.to * (int64_t)size}, walk.run.n * (int64_t)size,
                            row, source);
        else
            copy_run(walk.run, (int64_t)size, row, source);
    }
}

/* --- lists ------------------------------------------------------------------------- */

struct spot {
    int64_t from, to;
};

static struct spot spot_of(const struct gt_nd_axis *axis, const struct gt_nd_list *list, int64_t i)
{
    if (!list->place)
        return (struct spot){i * axis->from, i * axis->to};
    const int64_t at = list->item ? list->item[i] : list->first + i;
    return (struct spot){list->place[at] * axis->from, at * axis->to};
}

#define COPY_LISTED(n_bytes)                                                                                                               \
    for (int64_t i = 0; i < run->n; i++) {                                                                                                 \
        const struct spot spot = spot_of(run, list, i);                                                                                    \
        memcpy(to + (at.to + spot.to) * (n_bytes), from + (at.from + spot.from) * (n_bytes), (size_t)(n_bytes));                           \
    }

static void copy_listed(const struct gt_nd_axis *run, const struct gt_nd_list *list, struct spot at, int64_t size, uint8_t *restrict to,
                        const uint8_t *restrict from)
{
    if (!list->place)
        copy_run(*run, size, to + at.to * size, from + at.from * size);
    else
        BY_SIZE(COPY_LISTED)
}

/* The axis along which the destination lies closest: of several items, if one has them. */
static int innermost(const struct gt_nd *nd)
{
    int best = 0;
    for (int i = 1; i < nd->ndim; i++) {
        const bool more = nd->axis[i].n > 1 && llabs(nd->axis[i].to) < llabs(nd->axis[best].to);
        best = nd->axis[best].n <= 1 || more ? i : best;
    }
    return best;
}

/* Makes an axis with a list one without, if its items are evenly spaced: a slice with a negative step, say.  The first is then at `at`. */
static bool make_even(struct gt_nd_axis *axis, const struct gt_nd_list *list, struct spot *at)
{
    const struct spot first = spot_of(axis, list, 0), second = axis->n > 1 ? spot_of(axis, list, 1) : first;
    const int64_t from = second.from - first.from, to = second.to - first.to;
    if (axis->n > 1 && to == 0)
        return false; /* the last of several counts */
    for (int64_t i = 2; i < axis->n; i++) {
        const struct spot spot = spot_of(axis, list, i);
        if (spot.from != first.from + i * from || spot.to != first.to + i * to)
            return false;
    }
    *axis = (struct gt_nd_axis){axis->n, from, to};
    at->from += first.from;
    at->to += first.to;
    return true;
}

/* gt_nd_copy, if all axes can be without a list. */
static bool copy_even(const struct gt_nd *nd, const struct gt_nd_list *lists, struct spot at, size_t size, void *to, const void *from)
{
    struct gt_nd even = *nd;
    for (int i = 0; i < nd->ndim; i++)
        if (lists[i].place && !make_even(&even.axis[i], &lists[i], &at))
            return false;
    gt_nd_copy(&even, size, (uint8_t *)to + at.to * (int64_t)size, (const uint8_t *)from + at.from * (int64_t)size);
    return true;
}

void gt_nd_copy_lists(const struct gt_nd *nd, const struct gt_nd_list *lists, int64_t here, int64_t there, size_t size, void *to,
                      const void *from)
{
    const int run = innermost(nd);
    int64_t extent[GT_MAX_DIMS], index[GT_MAX_DIMS] = {0};
    for (int i = 0; i < nd->ndim; i++) {
        extent[i] = i == run ? 1 : nd->axis[i].n;
        if (nd->axis[i].n == 0)
            return;
    }
    if (copy_even(nd, lists, (struct spot){there, here}, size, to, from))
        return;
    do {
        struct spot at = {there, here};
        for (int i = 0; i < nd->ndim; i++) {
            const struct spot spot = i == run ? (struct spot){0, 0} : spot_of(&nd->axis[i], &lists[i], index[i]);
            at.from += spot.from;
            at.to += spot.to;
        }
        copy_listed(&nd->axis[run], &lists[run], at, (int64_t)size, to, from);
    } while (gt_nd_next(nd->ndim, extent, index));
}
