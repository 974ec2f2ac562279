#include <string.h>

#include "kernels/impl.h"

/* Rows and columns of a tile.  If the distance between rows is a power of two, their cache lines share a few sets of the
 * first-level cache, and more rows than this would evict each other. */
enum { TILE = 16 };

static void turn_tile(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++)
            memcpy(to + c * to_stride + r * (int64_t)size, from + r * from_stride + c * (int64_t)size, size);
}

void gt_transpose_ref(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    for (int64_t c = 0; c < columns; c += TILE)
        for (int64_t r = 0; r < rows; r += TILE) {
            const int64_t tall = rows - r < TILE ? rows - r : TILE, wide = columns - c < TILE ? columns - c : TILE;
            const uint8_t *source = from + r * from_stride + c * (int64_t)size;
            uint8_t *target = to + c * to_stride + r * (int64_t)size;
            if (size == 1)
                turn_tile(1, tall, wide, source, from_stride, target, to_stride);
            else if (size == 2)
                turn_tile(2, tall, wide, source, from_stride, target, to_stride);
            else if (size == 4)
                turn_tile(4, tall, wide, source, from_stride, target, to_stride);
            else
                turn_tile(8, tall, wide, source, from_stride, target, to_stride);
        }
}
