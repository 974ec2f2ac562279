/* Regions: boxes of an array with steps, and the chunks that they lie in.
 *
 * Chunks here are read units (gt_array.unit): what can be fetched and decoded
 * alone.  That is a chunk of the grid, or, where chunks are shards, one of those
 * inside. */
#ifndef GT_ZARR_REGION_H
#define GT_ZARR_REGION_H

#include "arrays/zarr/array.h"
#include "arrays/zarr/cache.h"

/* Items start, start + step, ... along each axis, count of them (0 = none). */
struct gt_region {
    int64_t start[GT_MAX_DIMS], count[GT_MAX_DIMS], step[GT_MAX_DIMS];
};

/* All of the array. */
void gt_region_all(struct gt_region *region, const struct gt_array *array);
/* GT_USAGE, naming the axis, when an item of it lies outside of the array or a step is below 1. */
int gt_region_check(const struct gt_region *region, const struct gt_array *array, struct gt_err *err);

/* The chunks that hold items of a region, each once, last axis fastest:
 *
 *     for (gt_region_walk_begin(&walk, array, &region, stride); gt_region_walk_chunk(&walk); gt_region_walk_next(&walk))
 *         ... chunk walk.index holds the items walk.part ...
 *
 * stride: items from one item of the region to the next along each axis, where the
 * caller puts them (of its own choice; gt_nd_strides for C order).  part: where the
 * items of this chunk stand in it (the first at walk.from) and at the caller's (at
 * walk.to); gt_nd_copy moves them, gt_nd_walk visits them. */
struct gt_region_walk {
    const struct gt_array *array;
    const struct gt_region *region;
    const int64_t *stride;
    int64_t at[GT_MAX_DIMS]; /* number of the chunk's first item in the region, along each axis */
    int64_t index[GT_MAX_DIMS];
    struct gt_nd part;
    int64_t from, to;
    bool over;
};
void gt_region_walk_begin(struct gt_region_walk *walk, const struct gt_array *array, const struct gt_region *region, const int64_t *stride);
static inline bool gt_region_walk_chunk(const struct gt_region_walk *walk)
{
    return !walk->over;
}
void gt_region_walk_next(struct gt_region_walk *walk);
/* Items of the chunk from the first of the region's to the last (walk.from is the first). */
size_t gt_region_walk_span(const struct gt_region_walk *walk);

/* Reads a region of numbers: its first item to `to`, the others `stride` items from
 * one another.  Chunk after chunk, on this thread; scratch as for gt_cache_decode. */
int gt_region_read(struct gt_cache *cache, const struct gt_region *region, void *to, const int64_t *stride, struct gt_buf scratch[2],
                   struct gt_err *err);

#endif
