/* Axes cut into parts, and boxes cut along all of theirs. */
#ifndef GT_CALC_CUTS_H
#define GT_CALC_CUTS_H

#include <stdint.h>

#include "base/err.h"
#include "base/nd.h"

/* An axis of what is written: its items, the units that they are read in and the chunks
 * that they are written in.  Item i is number start + i * step of the source's axis. */
struct gt_cut_axis {
    int64_t n;
    int64_t start, step;
    int64_t unit, chunk;
};

/* Where an axis may be cut: between two units, between two chunks, or where both end. */
enum gt_cut_at { GT_CUT_UNITS, GT_CUT_CHUNKS, GT_CUT_BOTH };

/* Part i has the items [at[i], at[i + 1]).  An axis of no items has no parts. */
struct gt_cuts {
    int64_t *at;
    int64_t n;      /* parts */
    int64_t widest; /* items of the widest */
};

/* Parts of at most `width` items, as wide as that allows; wider where it may not be cut before.
 * Fails only when memory is short; freed by gt_cuts_release. */
int gt_cuts_make(struct gt_cuts *cuts, const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t width, struct gt_err *err);
/* The widest of the parts that cannot be cut further, and how many of them there are. */
void gt_cuts_measure(const struct gt_cut_axis *axis, enum gt_cut_at where, int64_t *widest, int64_t *parts);
/* The part that an item is in. */
int64_t gt_cuts_find(const struct gt_cuts *cuts, int64_t item);
void gt_cuts_release(struct gt_cuts *cuts);

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
