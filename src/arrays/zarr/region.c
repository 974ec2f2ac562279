#include "arrays/zarr/region.h"

void gt_region_all(struct gt_region *region, const struct gt_array *array)
{
    for (int i = 0; i < array->ndim; i++) {
        region->start[i] = 0;
        region->count[i] = array->shape[i];
        region->step[i] = 1;
    }
}

int gt_region_check(const struct gt_region *region, const struct gt_array *array, struct gt_err *err)
{
    for (int i = 0; i < array->ndim; i++) {
        int64_t start = region->start[i], count = region->count[i], step = region->step[i], size = array->shape[i];
        if (start < 0 || count < 0 || step < 1 || (count > 0 && (start >= size || (count - 1) > (size - 1 - start) / step)))
            return gt_fail(err, GT_USAGE, "array '%s': %lld items from %lld by %lld are not all on axis %d, which has %lld",
                           gt_array_name(array->path), (long long)count, (long long)start, (long long)step, i, (long long)size);
    }
    return GT_OK;
}

/* Along an axis: the chunk of item `at` of the region, and its items. */
static void set_axis(struct gt_region_walk *walk, int axis)
{
    const struct gt_region *region = walk->region;
    int64_t unit = walk->array->unit[axis], place = region->start[axis] + walk->at[axis] * region->step[axis];
    int64_t n = (unit - 1 - place % unit) / region->step[axis] + 1, left = region->count[axis] - walk->at[axis];

    walk->index[axis] = place / unit;
    walk->part.axis[axis].n = n < left ? n : left;
}

/* Where the chunk's first item is, from the place along each axis. */
static void set_places(struct gt_region_walk *walk)
{
    const struct gt_region *region = walk->region;
    int64_t in_chunk = 1;

    walk->from = walk->to = 0;
    for (int i = walk->array->ndim - 1; i >= 0; i--) {
        int64_t place = region->start[i] + walk->at[i] * region->step[i];
        walk->part.axis[i].from = in_chunk * region->step[i];
        walk->part.axis[i].to = walk->stride[i];
        walk->from += place % walk->array->unit[i] * in_chunk;
        walk->to += walk->at[i] * walk->stride[i];
        in_chunk *= walk->array->unit[i];
    }
}

void gt_region_walk_begin(struct gt_region_walk *walk, const struct gt_array *array, const struct gt_region *region, const int64_t *stride)
{
    *walk = (struct gt_region_walk){.array = array, .region = region, .stride = stride, .part.ndim = array->ndim};
    for (int i = 0; i < array->ndim; i++) {
        walk->over = walk->over || region->count[i] == 0;
        set_axis(walk, i);
    }
    set_places(walk);
}

void gt_region_walk_next(struct gt_region_walk *walk)
{
    walk->over = true;
    for (int i = walk->array->ndim - 1; i >= 0 && walk->over; i--) {
        walk->at[i] += walk->part.axis[i].n;
        walk->over = walk->at[i] == walk->region->count[i];
        if (walk->over)
            walk->at[i] = 0;
        set_axis(walk, i);
    }
    set_places(walk);
}

size_t gt_region_walk_span(const struct gt_region_walk *walk)
{
    int64_t last = 0;
    for (int i = 0; i < walk->part.ndim; i++)
        last += (walk->part.axis[i].n - 1) * walk->part.axis[i].from;
    return (size_t)last + 1;
}

int gt_region_read(struct gt_cache *cache, const struct gt_region *region, void *to, const int64_t *stride, struct gt_buf scratch[2],
                   struct gt_err *err)
{
    const struct gt_array *array = gt_cache_array(cache);
    size_t size = array->dtype.size;
    struct gt_region_walk walk;
    struct gt_chunk *chunk;
    int status = gt_region_check(region, array, err);

    if (status)
        return status;
    if (size == 0)
        return gt_fail(err, GT_INPUT, "array '%s' holds strings; numbers are needed", gt_array_name(array->path));
    for (gt_region_walk_begin(&walk, array, region, stride); !status && gt_region_walk_chunk(&walk); gt_region_walk_next(&walk)) {
        status = gt_cache_acquire(cache, walk.index, &chunk, err);
        if (status)
            break;
        status = gt_cache_decode_part(cache, chunk, (size_t)walk.from, gt_region_walk_span(&walk), scratch, err);
        if (!status)
            gt_nd_copy(&walk.part, size, (uint8_t *)to + walk.to * (int64_t)size, chunk->raw.data + (size_t)walk.from * size);
        gt_cache_give(cache, chunk);
    }
    return status;
}
