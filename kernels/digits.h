/* Eight characters of text in a register, the first in the lowest byte. */
#ifndef GT_KERNELS_DIGITS_H
#define GT_KERNELS_DIGITS_H

#include <stdint.h>

#define GT_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Characters less '0' in, the highest bit of those bytes that are no digits out; exact up to the first of them. */
static inline uint64_t gt_no_digits(uint64_t s)
{
    return ((s + GT_BYTES(0x76)) | s) & GT_BYTES(0x80);
}

/* Eight digits, each less '0', as the number that they are: they become pairs, fours, and it. */
static inline uint32_t gt_eight_digits(uint64_t s)
{
    s = s * 10 + (s >> 8);
    s = ((s & UINT64_C(0xff000000ff)) * UINT64_C(0x000f424000000064) + (s >> 16 & UINT64_C(0xff000000ff)) * UINT64_C(0x0000271000000001)) >>
        32;
    return (uint32_t)s;
}

#endif
