/* A square of 8 x 8 bits, turned: bit c of byte r becomes bit r of byte c. */
#ifndef GT_KERNELS_BITS8_H
#define GT_KERNELS_BITS8_H

#include <stdint.h>

static inline uint64_t gt_turn_bits8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

/* Eight bytes and the byte of each plane that has their bits; planes are `apart` from each other. */
static inline void gt_bits8_apart(const uint8_t *bytes, uint8_t *planes, int64_t apart)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x |= (uint64_t)bytes[i] << 8 * i;
    x = gt_turn_bits8(x);
    for (int b = 0; b < 8; b++)
        planes[b * apart] = (uint8_t)(x >> 8 * b);
}

static inline void gt_bits8_together(const uint8_t *planes, int64_t apart, uint8_t *bytes)
{
    uint64_t x = 0;
    for (int b = 0; b < 8; b++)
        x |= (uint64_t)planes[b * apart] << 8 * b;
    x = gt_turn_bits8(x);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(x >> 8 * i);
}

#endif
