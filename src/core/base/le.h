/* Whole numbers as bytes, the lowest first, at any address: what file formats have. */
#ifndef GT_BASE_LE_H
#define GT_BASE_LE_H

#include <stdint.h>

static inline uint16_t gt_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t gt_le32(const uint8_t *p)
{
    return gt_le16(p) | (uint32_t)gt_le16(p + 2) << 16;
}
static inline uint64_t gt_le64(const uint8_t *p)
{
    return gt_le32(p) | (uint64_t)gt_le32(p + 4) << 32;
}

/* A number whose bytes in memory are those of x with the lowest first. */
static inline uint64_t gt_as_le64(uint64_t x)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}
static inline uint32_t gt_as_le32(uint32_t x)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap32(x);
}

/* The n lowest bytes of x, n up to 8; the place after them is returned. */
static inline uint8_t *gt_le_put(uint8_t *p, uint64_t x, int n)
{
    for (int i = 0; i < n; i++)
        *p++ = (uint8_t)(x >> 8 * i);
    return p;
}

#endif
