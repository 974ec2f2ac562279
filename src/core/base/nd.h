/* N-dimensional boxes: index iteration, and copies between two arrays with arbitrary strides.
 *
 * The last axis varies fastest.  Positions are counted in items; the caller guarantees that
 * they are inside its arrays. */
#ifndef GT_BASE_ND_H
#define GT_BASE_ND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GT_MAX_DIMS 32

/* Advances to the next index of a box with these extents (all >= 1).  Returns false after the
 * last one and resets index to the first.  A box without axes has one index. */
bool gt_nd_next(int ndim, const int64_t *extent, int64_t *index);
/* Conversion between a linear number (from 0) and an index. */
void gt_nd_index(int ndim, const int64_t *extent, int64_t number, int64_t *index);
int64_t gt_nd_number(int ndim, const int64_t *extent, const int64_t *index);
/* Strides in items of an array of this shape in C order or (strides_f) in Fortran
 * order. */
void gt_nd_strides(int ndim, const int64_t *shape, int64_t *stride);
void gt_nd_strides_f(int ndim, const int64_t *shape, int64_t *stride);

/* One axis of a box: n items, with strides `from` in the source and `to` in the destination.
 * Strides may be negative; a `from` of 0 repeats an item. */
struct gt_nd_axis {
    int64_t n, from, to;
};
struct gt_nd {
    int ndim;
    struct gt_nd_axis axis[GT_MAX_DIMS];
};

/* Rewrites the box with as few axes as possible and the longest runs along the last one: drops
 * axes of one item, sorts axes in destination order and merges contiguous neighbours.  At least one
 * axis remains; an empty box becomes one axis of 0 items. */
void gt_nd_tidy(struct gt_nd *nd);

/* Iterates over the runs along the last axis of a box:
 *
 *     for (gt_nd_walk_begin(&walk, &nd); gt_nd_walk_run(&walk); gt_nd_walk_next(&walk))
 *         ... walk.run.n items at walk.from + i * walk.run.from, and as many at walk.to ...
 *
 * gt_nd_tidy is applied first. */
struct gt_nd_walk {
    struct gt_nd_axis run;
    int64_t from, to; /* position of the first item of the run */
    struct gt_nd outer;
    int64_t index[GT_MAX_DIMS];
    bool over;
};
void gt_nd_walk_begin(struct gt_nd_walk *walk, const struct gt_nd *nd);
static inline bool gt_nd_walk_run(const struct gt_nd_walk *walk)
{
    return !walk->over;
}
void gt_nd_walk_next(struct gt_nd_walk *walk);

/* Copies the box, items of `size` bytes; source and destination must not overlap.  Transposes
 * tile by tile for cache locality. */
void gt_nd_copy(const struct gt_nd *nd, size_t size, void *to, const void *from);

/* An axis with fancy indexing: destination item `at` is source item place[at].  `at` runs over item[0], item[1], ... or, if item is
 * NULL, over first, first + 1, ... */
struct gt_nd_list {
    const int64_t *place; /* NULL: this axis has no index list */
    const int64_t *item;
    int64_t first;
};
/* gt_nd_copy where axis i has the index list lists[i].  The item with index 0 along all axes, which need not exist, is at position
 * `here` of `to` and `there` of `from`. */
void gt_nd_copy_lists(const struct gt_nd *nd, const struct gt_nd_list *lists, int64_t here, int64_t there, size_t size, void *to,
                      const void *from);

#endif
