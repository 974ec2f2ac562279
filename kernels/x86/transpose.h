/* Transpositions, tile by tile.  Every 128-bit lane of 16 / size vectors is a square of
 * items, turned as turn.h says; the lanes are squares of rows that follow one another, so
 * that whole vectors are written.  The including file gives
 *     vec, LANES
 *     vec load_lanes(const uint8_t *p, int64_t apart)   16 bytes at p, p + apart, ...
 *     void store(uint8_t *p, vec v)
 *     vec low_SIZE(vec, vec), high_SIZE(vec, vec)       unpack in lanes: items of 1, 2, 4, 8 bytes */
#ifndef GT_KERNELS_TRANSPOSE_H
#define GT_KERNELS_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/unroll.h"
#include "kernels/x86/zip.h"

/* Bytes along either side of what is turned before the next is begun: its lines stay in the
 * second-level cache, and its pages in the tables of addresses. */
#define BLOCK 256

GT_INLINE vec low(int size, vec a, vec b)
{
    return size == 1 ? low_1(a, b) : size == 2 ? low_2(a, b) : size == 4 ? low_4(a, b) : low_8(a, b);
}

GT_INLINE vec high(int size, vec a, vec b)
{
    return size == 1 ? high_1(a, b) : size == 2 ? high_2(a, b) : size == 4 ? high_4(a, b) : high_8(a, b);
}

/* LANES * 16 / size rows of 16 bytes. */
GT_INLINE void turn_tile(int size, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    const int n = 16 / size;
    vec v[16], t[16];
    GT_UNROLL
    for (int r = 0; r < n; r++)
        v[r] = load_lanes(from + r * from_stride, n * from_stride);
    GT_UNROLL
    for (int turned = 1; turned < n; turned *= 2) {
        GT_UNROLL
        for (int k = 0; k < n / 2; k++) {
            t[2 * k] = low(size, v[k], v[k + n / 2]);
            t[2 * k + 1] = high(size, v[k], v[k + n / 2]);
        }
        GT_UNROLL
        for (int k = 0; k < n; k++)
            v[k] = t[k];
    }
    GT_UNROLL
    for (int c = 0; c < n; c++)
        store(to + c * to_stride, v[c]);
}

GT_INLINE void copy_both_ends(uint8_t *to, const uint8_t *from, int64_t n, int piece)
{
    memcpy(to, from, (size_t)piece);
    memcpy(to + n - piece, from + n - piece, (size_t)piece);
}

/* n is 1 to 64. */
GT_INLINE void copy_few(uint8_t *to, const uint8_t *from, int64_t n)
{
    if (n >= 32)
        copy_both_ends(to, from, n, 32);
    else if (n >= 16)
        copy_both_ends(to, from, n, 16);
    else if (n >= 8)
        copy_both_ends(to, from, n, 8);
    else if (n >= 4)
        copy_both_ends(to, from, n, 4);
    else if (n >= 2)
        copy_both_ends(to, from, n, 2);
    else
        *to = *from;
}

/* A tile of fewer rows or columns, where items are small enough for this to gain. */
GT_INLINE void turn_part(int size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    _Alignas(64) uint8_t in[LANES * 16][16], out[16][LANES * 16];
    for (int64_t r = 0; r < rows; r++)
        copy_few(in[r], from + r * from_stride, columns * size);
    turn_tile(size, in[0], 16, out[0], LANES * 16);
    for (int64_t c = 0; c < columns; c++)
        copy_few(to + c * to_stride, out[c], rows * size);
}

GT_INLINE void turn_edge(int size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    if (size < 4)
        turn_part(size, rows, columns, from, from_stride, to, to_stride);
    for (int64_t c = 0; size >= 4 && c < columns; c++)
        for (int64_t r = 0; r < rows; r++)
            memcpy(to + c * to_stride + r * size, from + r * from_stride + c * size, (size_t)size);
}

GT_INLINE int64_t minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

GT_INLINE void turn_block(int size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    const int64_t tall = LANES * 16 / size, wide = 16 / size;
    for (int64_t r = 0; r < rows; r += tall)
        for (int64_t c = 0; c < columns; c += wide) {
            const uint8_t *source = from + r * from_stride + c * size;
            uint8_t *target = to + c * to_stride + r * size;
            if (r + tall <= rows && c + wide <= columns)
                turn_tile(size, source, from_stride, target, to_stride);
            else
                turn_edge(size, minimum(tall, rows - r), minimum(wide, columns - c), source, from_stride, target, to_stride);
        }
}

GT_INLINE void turn_all(int size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    const int64_t side = BLOCK / size;
    for (int64_t c = 0; c < columns; c += side)
        for (int64_t r = 0; r < rows; r += side)
            turn_block(size, minimum(side, rows - r), minimum(side, columns - c), from + r * from_stride + c * size, from_stride,
                       to + c * to_stride + r * size, to_stride);
}

GT_INLINE void transpose(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to,
                         int64_t to_stride)
{
    if (size == 1 && transpose_zip(rows, columns, from, from_stride, to, to_stride))
        return;
    /* Few large items a line: moved one by one, they already come as fast as memory is. */
    if (size >= 4 && minimum(rows, columns) * (int64_t)size < 64)
        gt_transpose_ref(size, rows, columns, from, from_stride, to, to_stride);
    else if (size == 1)
        turn_all(1, rows, columns, from, from_stride, to, to_stride);
    else if (size == 2)
        turn_all(2, rows, columns, from, from_stride, to, to_stride);
    else if (size == 4)
        turn_all(4, rows, columns, from, from_stride, to, to_stride);
    else
        turn_all(8, rows, columns, from, from_stride, to, to_stride);
}

#endif
