/* Trees of items from their distances: average linkage (UPGMA) and neighbour joining. */
#ifndef GT_CALC_CLUSTER_H
#define GT_CALC_CLUSTER_H

#include <stddef.h>

#include "core/base/budget.h"

/* Distances of n items, float64: a triangle of rows, each with those to the items before its own. */
static inline size_t gt_triangle_at(int64_t row, int64_t column)
{
    return (size_t)(row * (row - 1) / 2 + column);
}

/* Joins of a tree, each below all that it is part of; the last is the root.  Items are nodes
 * 0 .. n - 1, join k is node n + k. */
struct gt_join {
    int children; /* 2; 3 of an unrooted tree's last */
    uint32_t child[3];
    double length[3]; /* of the branches to them */
    double height;    /* of average linkage: the distance that joined them */
};

/* n - 1 joins into `joins`, which has its budget.  The triangle is used up, and must be free of
 * NaN.  Of equal distances the first is joined, in the order of items. */
int gt_cluster_average(double *triangle, int64_t n, struct gt_buf *joins, struct gt_err *err);

/* The tree of Saitou and Nei, unrooted: n - 2 joins, the last of three nodes; of two items one
 * join at half of their distance.  Pairs that are skipped are known to be no neighbours, so that
 * it is the tree of a full search.  Lengths may be below 0.  All distances must be finite. */
int gt_cluster_neighbours(double *triangle, int64_t n, struct gt_buf *joins, struct gt_err *err);

/* Items in the order of a drawing, n of them: in each join the closer cluster comes first, of
 * equally close ones that with the earlier item.  Fails only when memory is short. */
int gt_cluster_order(const struct gt_buf *joins, int64_t n, uint32_t *order, struct gt_err *err);

/* Memory that these take in addition to the triangle. */
int64_t gt_cluster_bytes(int64_t n);

#endif
