/* Partitions of axes into parts, and of boxes along all axes. */
#ifndef GT_CALC_PARTITION_H
#define GT_CALC_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/err.h"
#include "core/base/nd.h"

struct gt_partition_index;

/* An axis of the output: its number of items, the size of read chunks (unit) and of written chunks.  Item i has index start + i * step, or
 * list->place[i], on the axis of the source. */
struct gt_partition_axis {
    int64_t n;
    int64_t start, step;
    int64_t unit, chunk;
    const struct gt_partition_index *list; /* NULL: none */
    bool reduced;                          /* all items are reduced to one, in a single part */
};

static inline int64_t gt_partition_position(const struct gt_partition_axis *axis, int64_t item);

/* Boundaries allowed between parts: of read chunks, of written chunks, or of both. */
enum gt_partition_at { GT_PARTITION_UNITS, GT_PARTITION_CHUNKS, GT_PARTITION_BOTH };

/* Part i has the items [at[i], at[i + 1]).  An empty axis has no parts. */
struct gt_partition {
    int64_t *at;
    int64_t n;      /* parts */
    int64_t widest; /* maximum items of a part */
};

/* Makes parts as wide as possible, at most `width` items, or one indivisible part.  Fails only if out of memory; free with
 * gt_partition_release. */
int gt_partition_make(struct gt_partition *partition, const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t width,
                      struct gt_err *err);
/* Maximum width and number of the smallest possible parts. */
void gt_partition_measure(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t *widest, int64_t *parts);
/* Number of read or written chunks that overlap items [from, to).  With an index list that mixes read chunks, some of them may have no
 * items there (gt_partition_index_has); without, the range may start and end anywhere. */
int64_t gt_partition_cells(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t to);
/* The i-th of these chunks and its range of items [*first, *end), which may include items of other chunks if the list mixes
 * them. */
int64_t gt_partition_cell(const struct gt_partition_axis *axis, enum gt_partition_at where, int64_t from, int64_t i, int64_t *first,
                          int64_t *end);
/* The part that contains an item. */
int64_t gt_partition_find(const struct gt_partition *partition, int64_t item);
void gt_partition_release(struct gt_partition *partition);

/* --- partition_index.c: an axis with an index list --- */

struct gt_partition_index {
    const int64_t *place; /* index on the axis of the source of item i; borrowed */
    int64_t n;
    struct gt_partition parts; /* a read chunk never has items in two parts */
    /* NULL if every part has a single read chunk.  Otherwise read chunks are sorted by part and index: */
    int64_t *of_part; /* first read chunk of each part, parts.n + 1 entries */
    int64_t *unit;    /* index of read chunk u */
    int64_t *first;   /* its items are order[first[u]], ... order[first[u + 1] - 1], ascending */
    int64_t *order;
    int64_t bytes; /* memory, counted in: */
    struct gt_budget *budget;
};

/* GT_FAIL, GT_NOFIT; free with gt_partition_index_release. */
int gt_partition_index_make(struct gt_partition_index *list, const int64_t *place, int64_t n, int64_t unit, struct gt_budget *budget,
                            struct gt_err *err);
void gt_partition_index_release(struct gt_partition_index *list); /* safe on a zeroed struct */
/* The items of a read chunk in [from, to) as a range of `order`: starts at *at, returns the number.  Not if parts have a single read chunk.
 */
int64_t gt_partition_index_items(const struct gt_partition_index *list, int64_t unit, int64_t from, int64_t to, int64_t *at);
/* Does a read chunk that overlaps [from, to) have items there? */
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
/* Intersection of two boxes; may be empty. */
struct gt_box gt_box_both(const struct gt_box *a, const struct gt_box *b);

/* Storage order of a partitioned box in memory or in a file: parts in index order, each contiguous.  Returns the number of items before a
 * part. */
int64_t gt_box_place(const struct gt_box *box, const struct gt_box *piece);

#endif
