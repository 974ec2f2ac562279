/* Whole arrays into a store, for tests: encode and put of all chunks. */
#ifndef GT_TEST_ZARR_WRITE_H
#define GT_TEST_ZARR_WRITE_H

#include <string.h>

#include "arrays/zarr/array.h"
#include "storage/codec/vlen.h"

/* Chunk `index` out of C order data, the overhang zero. */
static inline void cut_chunk(const struct gt_array *array, const int64_t *index, const uint8_t *data, uint8_t *chunk)
{
    struct gt_nd part = {.ndim = array->ndim};
    int64_t from[GT_MAX_DIMS], to[GT_MAX_DIMS], at = 0;

    gt_nd_strides(array->ndim, array->shape, from);
    gt_nd_strides(array->ndim, array->chunk, to);
    for (int i = 0; i < array->ndim; i++) {
        const int64_t start = index[i] * array->chunk[i], left = array->shape[i] - start;
        part.axis[i] = (struct gt_nd_axis){left < array->chunk[i] ? left : array->chunk[i], from[i], to[i]};
        at += start * from[i];
    }
    memset(chunk, 0, array->chunk_bytes);
    gt_nd_copy(&part, array->dtype.size, chunk, data + (size_t)at * array->dtype.size);
}

static inline bool is_empty(const struct gt_array *array)
{
    for (int i = 0; i < array->ndim; i++)
        if (array->shape[i] == 0)
            return true;
    return false;
}

/* data or strs: what the array is to hold. */
static inline int write_chunks(struct gt_array *array, const uint8_t *data, const struct gt_strs *strs, struct gt_err *err)
{
    struct gt_buf raw = {0}, stored = {0}, scratch[2] = {{0}, {0}};
    int64_t index[GT_MAX_DIMS] = {0}, grid[GT_MAX_DIMS];
    int status = GT_OK;

    if (is_empty(array))
        return GT_OK;
    for (int i = 0; i < array->ndim; i++)
        grid[i] = gt_array_grid(array, i);
    do {
        if (strs) {
            size_t from = (size_t)(index[0] * array->chunk[0]), n = array->chunk_items;
            status = gt_vlen_pack(strs, from, strs->n - from < n ? strs->n - from : n, n, &raw, err);
        } else {
            status = gt_buf_resize(&raw, array->chunk_bytes, err);
            if (!status)
                cut_chunk(array, index, data, raw.data);
        }
        if (!status)
            status = gt_array_encode(array, &raw, &stored, scratch, err);
        if (!status)
            status = gt_array_put(array, index, &stored, err);
    } while (!status && gt_nd_next(array->ndim, grid, index));
    gt_buf_release(&raw);
    gt_buf_release(&stored);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

static inline int write_array(struct gt_array *array, const void *data, struct gt_err *err)
{
    return write_chunks(array, data, NULL, err);
}

static inline int write_strings(struct gt_array *array, const struct gt_strs *strs, struct gt_err *err)
{
    if (array->dtype.type != GT_STRING || array->ndim != 1 || (size_t)array->shape[0] != strs->n)
        return gt_fail(err, GT_FAIL, "array '%s': %zu strings do not make it up", array->path, strs->n);
    return write_chunks(array, NULL, strs, err);
}

#endif
