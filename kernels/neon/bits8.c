#include "kernels/bits8.h"

#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/neon/turn_bits.h"

/* Bytes at a time: 16 squares.  Taking even and odd bytes, or interleaving halves, rotates the address of a byte by one bit; three
 * times bring all bytes of a plane together, or apart again. */
enum { SOME = 128, VECTORS = SOME / 16 };

GT_INLINE void rotate(uint8x16_t v[VECTORS], bool apart)
{
    uint8x16_t to[VECTORS];
    GT_UNROLL
    for (int k = 0; k < VECTORS / 2; k++) {
        if (apart) {
            to[k] = vuzp1q_u8(v[2 * k], v[2 * k + 1]);
            to[k + VECTORS / 2] = vuzp2q_u8(v[2 * k], v[2 * k + 1]);
        } else {
            to[2 * k] = vzip1q_u8(v[k], v[k + VECTORS / 2]);
            to[2 * k + 1] = vzip2q_u8(v[k], v[k + VECTORS / 2]);
        }
    }
    memcpy(v, to, sizeof to);
}

void gt_bits_apart_neon(const uint8_t *bytes, int64_t n, uint8_t *planes)
{
    int64_t i = 0;
    for (; i + SOME <= n; i += SOME) {
        uint8x16_t v[VECTORS];
        for (int k = 0; k < VECTORS; k++)
            v[k] = turn_bits(vld1q_u8(bytes + i + 16 * k));
        for (int round = 0; round < 3; round++)
            rotate(v, true);
        for (int b = 0; b < 8; b++)
            vst1q_u8(planes + b * (n / 8) + i / 8, v[b]);
    }
    gt_bits8_apart(bytes, i, n, planes);
}

void gt_bits_together_neon(const uint8_t *planes, int64_t n, uint8_t *bytes)
{
    int64_t i = 0;
    for (; i + SOME <= n; i += SOME) {
        uint8x16_t v[VECTORS];
        for (int b = 0; b < 8; b++)
            v[b] = vld1q_u8(planes + b * (n / 8) + i / 8);
        for (int round = 0; round < 3; round++)
            rotate(v, false);
        for (int k = 0; k < VECTORS; k++)
            vst1q_u8(bytes + i + 16 * k, turn_bits(v[k]));
    }
    gt_bits8_together(planes, i, n, bytes);
}
