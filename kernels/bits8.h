/* Bytes and their bit planes, eight bytes at a time: for plain C, and for what vectors leave over. */
#ifndef GT_KERNELS_BITS8_H
#define GT_KERNELS_BITS8_H

#include <stdint.h>

/* A square of 8 x 8 bits, turned: bit c of byte r becomes bit r of byte c. */
static inline uint64_t gt_turn_bits8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

/* Eight bytes that stand `step` apart, turned into eight that stand `apart` from each other. */
static inline void gt_bits8_turn(const uint8_t *from, int64_t step, uint8_t *to, int64_t apart)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x |= (uint64_t)from[i * step] << 8 * i;
    x = gt_turn_bits8(x);
    for (int i = 0; i < 8; i++)
        to[i * apart] = (uint8_t)(x >> 8 * i);
}

/* Bytes from `from` on, a multiple of 8, of n: as the slots bits_apart and bits_together of kernels.h. */
static inline void gt_bits8_apart(const uint8_t *bytes, int64_t from, int64_t n, uint8_t *planes)
{
    for (int64_t i = from; i < n; i += 8)
        gt_bits8_turn(bytes + i, 1, planes + i / 8, n / 8);
}

static inline void gt_bits8_together(const uint8_t *planes, int64_t from, int64_t n, uint8_t *bytes)
{
    for (int64_t i = from; i < n; i += 8)
        gt_bits8_turn(planes + i / 8, n / 8, bytes + i, 1);
}

#endif
