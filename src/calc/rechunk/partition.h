/* Axes cut into parts, and boxes cut along all of theirs. */
#ifndef GT_CALC_PARTITION_H
#define GT_CALC_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/err.h"
#include "core/base/nd.h"

struct gt_partition_index;

/* An axis of what is written: its items, the units that they are read in and the chunks
 * that they are written in.  Item i is number start + i * step of the source's axis, or list->place[i]. */
struct gt_partition_axis {
    int64_t n;
    int64_t start, step;
    int64_t unit, chunk;
    const struct gt_partition_index *list; /* NULL: there is none */
    bool reduced;                          /* all its items become one, and are one part */
};

static inline int64_t gt_partition_position(const struct gt_partition_axis *axis, int64_t item);

/* Where an axis may be cut: between two units, between two chunks, or where both end. */
enum gt_partition_at { GT_PARTITION_UNITS, GT_PARTITION_CHUNKS, GT_PARTITION_BOTH };

/* Part i has the items [at[i], at[i + 1]).  An axis of no items has no parts. */
struct gt_partition {
    int64_t *at;
    int64_t n;      /* parts */
    int64_t widest; /* items of the widest */
};

/* Parts of at most `width` items, as wide as that allows; wider where it may not be cut before.
 * Fails only when memory is short; freed by gt_partition_release. */
int gt_partition_make(struct gt_partition *partition, const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t width,
                      struct gt_err *err);
/* The widest of the parts that cannot be cut further, and how many of them there are. */
void gt_partition_measure(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t *widest, int64_t *parts);
/* Units, or chunks, that have items in [from, to): how many.  Where a list mixes units some of these may have none there
 * (gt_partition_index_has), and where it does not, from and to stand between any two items. */
int64_t gt_partition_cells(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t to);
/* Number i of those from `from` on, and the items [*first, *end) that it has, here and elsewhere, others between them
 * where units are mixed. */
int64_t gt_partition_cell(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t i, int64_t *first,
                          int64_t *end);
/* The part that an item is in. */
int64_t gt_partition_find(const struct gt_partition *partition, int64_t item);
void gt_partition_release(struct gt_partition *partition);

/* --- cut_list.c: places in any order, any of them any number of times ------------------------- */

struct gt_partition_index {
    const int64_t *place; /* of item i on the source's axis; borrowed */
    int64_t n;
    struct gt_partition parts; /* no unit has items in two of them */
    /* Where parts have a unit each these are NULL.  Else units stand part after part, and those of a part by their numbers: */
    int64_t *of_part; /* the first of a part, parts.n + 1 of them */
    int64_t *unit;    /* number of unit u, */
    int64_t *first;   /* whose items are order[first[u]], ... order[first[u + 1] - 1], rising */
    int64_t *order;
    int64_t bytes; /* that it takes, counted in: */
    struct gt_budget *budget;
};

/* GT_FAIL, GT_NOFIT; freed by gt_partition_index_release. */
int gt_partition_index_make(struct gt_partition_index *list, const int64_t *place, int64_t n, int64_t unit, struct gt_budget *budget,
                            struct gt_err *err);
void gt_partition_index_release(struct gt_partition_index *list); /* safe on a zeroed struct */
/* The items of a unit in [from, to), by their number in `order`: from *at on, how many.  Not where parts have a unit each. */
int64_t gt_partition_index_items(const struct gt_partition_index *list, int64_t unit, int64_t from, int64_t to, int64_t *at);
/* Has a unit, one of those of [from, to), items there? */
bool gt_partition_index_has(const struct gt_partition_axis *axis, int64_t unit, int64_t from, int64_t to);

static inline int64_t gt_partition_position(const struct gt_partition_axis *axis, int64_t item)
{
    return axis->list ? axis->list->place[item] : axis->start + item * axis->step;
}

/* A box of items. */
struct gt_box {
    int ndim;
    int64_t from[GT_MAX_DIMS], to[GT_MAX_DIMS];
};

int64_t gt_box_items(const struct gt_box *box);
/* What two boxes share; may be empty. */
struct gt_box gt_box_both(const struct gt_box *a, const struct gt_box *b);

/* A box lies in memory or in a file as its pieces, in the order of their indices and each as
 * a whole: the items in front of the piece, one of a box that is cut along all axes. */
int64_t gt_box_place(const struct gt_box *box, const struct gt_box *piece);

#endif
