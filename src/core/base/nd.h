/* N-dimensional boxes: their indices, and copies between two arrays that lie in
 * memory in any order, with any steps.
 *
 * Indices run with the last axis fastest.  Places are numbers of items; the
 * caller keeps them inside of its arrays. */
#ifndef GT_BASE_ND_H
#define GT_BASE_ND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GT_MAX_DIMS 32

/* The next index of a box of these extents (all at least 1); false after the
 * last, and it is the first one again then.  A box without axes has one index. */
bool gt_nd_next(int ndim, const int64_t *extent, int64_t *index);
/* Index number `number`, counted from 0, and the number of an index. */
void gt_nd_index(int ndim, const int64_t *extent, int64_t number, int64_t *index);
int64_t gt_nd_number(int ndim, const int64_t *extent, const int64_t *index);
/* Items from one place to the next along each axis, where all of an array of
 * this shape lies in C order, or (strides_f) in Fortran order. */
void gt_nd_strides(int ndim, const int64_t *shape, int64_t *stride);
void gt_nd_strides_f(int ndim, const int64_t *shape, int64_t *stride);

/* The items of a box in a source and in a destination: along an axis there are n
 * of them, `from` apart there and `to` apart here.  Either may be below 0; a
 * `from` of 0 repeats an item. */
struct gt_nd_axis {
    int64_t n, from, to;
};
struct gt_nd {
    int ndim;
    struct gt_nd_axis axis[GT_MAX_DIMS];
};

/* The same pairs of items with as few axes as can be and the longest runs along
 * the last one: axes of one item go, the rest stand in the order of the
 * destination, neighbours that are one run become one axis.  At least one axis is
 * left; an empty box is one axis of 0. */
void gt_nd_tidy(struct gt_nd *nd);

/* The runs along the last axis of a box, one after another:
 *
 *     for (gt_nd_walk_begin(&walk, &nd); gt_nd_walk_run(&walk); gt_nd_walk_next(&walk))
 *         ... walk.run.n items at walk.from + i * walk.run.from, and as many at walk.to ...
 *
 * The box is tidied first. */
struct gt_nd_walk {
    struct gt_nd_axis run;
    int64_t from, to; /* of the run's first item */
    struct gt_nd outer;
    int64_t index[GT_MAX_DIMS];
    bool over;
};
void gt_nd_walk_begin(struct gt_nd_walk *walk, const struct gt_nd *nd);
static inline bool gt_nd_walk_run(const struct gt_nd_walk *walk) { return !walk->over; }
void gt_nd_walk_next(struct gt_nd_walk *walk);

/* Copies the box, items of `size` bytes; source and destination do not overlap.
 * Transpositions go tile by tile, so that both sides stay in the cache. */
void gt_nd_copy(const struct gt_nd *nd, size_t size, void *to, const void *from);

/* Items of an axis in any order: destination's number `at` is the source's number place[at].  at: item[0], item[1], ...; where
 * item is NULL first, first + 1, ... */
struct gt_nd_list {
    const int64_t *place; /* NULL: the axis has no list */
    const int64_t *item;
    int64_t first;
};
/* gt_nd_copy where axis i of the box, whose n, from and to are as ever, has lists[i].  Items that have number 0 along all
 * axes, be there such or not, are number `here` of `to` and number `there` of `from`. */
void gt_nd_copy_lists(const struct gt_nd *nd, const struct gt_nd_list *lists, int64_t here, int64_t there, size_t size, void *to,
                      const void *from);

#endif
