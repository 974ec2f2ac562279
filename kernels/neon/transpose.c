/* Squares of 16 bytes a side, in registers: interleaving the first half of the rows with the second one rotates the address of an item
 * by one bit; as many times as a row has bits of columns, rows and columns are exchanged. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

#define DEFINE_SQUARE(bits, log)                                                                                                           \
    GT_INLINE void square_##bits(const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)                                 \
    {                                                                                                                                      \
        enum { SIDE = 128 / (bits) };                                                                                                      \
        uint##bits##_t item[SIDE];                                                                                                         \
        __typeof__(vld1q_u##bits(item)) v[SIDE], turned[SIDE];                                                                             \
        GT_UNROLL                                                                                                                          \
        for (int k = 0; k < SIDE; k++)                                                                                                     \
            memcpy(&v[k], from + k * from_stride, sizeof v[k]);                                                                            \
        GT_UNROLL                                                                                                                          \
        for (int round = 0; round < (log); round++) {                                                                                      \
            GT_UNROLL                                                                                                                      \
            for (int k = 0; k < SIDE / 2; k++) {                                                                                           \
                turned[2 * k] = vzip1q_u##bits(v[k], v[k + SIDE / 2]);                                                                     \
                turned[2 * k + 1] = vzip2q_u##bits(v[k], v[k + SIDE / 2]);                                                                 \
            }                                                                                                                              \
            memcpy(v, turned, sizeof v);                                                                                                   \
        }                                                                                                                                  \
        GT_UNROLL                                                                                                                          \
        for (int k = 0; k < SIDE; k++)                                                                                                     \
            memcpy(to + k * to_stride, &v[k], sizeof v[k]);                                                                                \
    }
DEFINE_SQUARE(8, 4)
DEFINE_SQUARE(16, 3)
DEFINE_SQUARE(32, 2)
DEFINE_SQUARE(64, 1)

GT_INLINE void squares(const size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to,
                       int64_t to_stride)
{
    const int64_t side = 16 / (int64_t)size, item = (int64_t)size;
    for (int64_t c = 0; c + side <= columns; c += side)
        for (int64_t r = 0; r + side <= rows; r += side) {
            const uint8_t *source = from + r * from_stride + c * item;
            uint8_t *target = to + c * to_stride + r * item;
            if (size == 1)
                square_8(source, from_stride, target, to_stride);
            else if (size == 2)
                square_16(source, from_stride, target, to_stride);
            else if (size == 4)
                square_32(source, from_stride, target, to_stride);
            else
                square_64(source, from_stride, target, to_stride);
        }
    const int64_t r = rows / side * side, c = columns / side * side;
    gt_transpose_ref(size, rows - r, columns, from + r * from_stride, from_stride, to + r * item, to_stride);
    gt_transpose_ref(size, r, columns - c, from + c * item, from_stride, to + c * to_stride, to_stride);
}

void gt_transpose_neon(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    if (size == 1)
        squares(1, rows, columns, from, from_stride, to, to_stride);
    else if (size == 2)
        squares(2, rows, columns, from, from_stride, to, to_stride);
    else if (size == 4)
        squares(4, rows, columns, from, from_stride, to, to_stride);
    else
        squares(8, rows, columns, from, from_stride, to, to_stride);
}
