/* Lists of carriers of a packed row. */
#ifndef GT_KERNELS_CARRIERS_H
#define GT_KERNELS_CARRIERS_H

#include "kernels/impl.h"
#include "kernels/unroll.h"

/* Adds those of a byte of four samples, the first of which is `sample`; not a carrier: code 0 of x, codes 0 and 2 exchanged if major
 * is 2. */
GT_INLINE int64_t carriers_of_byte(unsigned x, unsigned major, int64_t sample, uint32_t *out, int64_t n)
{
    x ^= major * 0x55 & ~(x << 1 & 0xaa); /* heterozygous and missing calls stay as they are */
    for (unsigned others = (x | x >> 1) & 0x55; others; others &= others - 1) {
        const int at = __builtin_ctz(others);
        out[n++] = GT_CARRIER(sample + at / 2, (x >> at & 3) - 1);
    }
    return n;
}

/* Those of the bytes that `bytes` says, of 64 bytes of a row. */
GT_INLINE int64_t carriers_of_bytes(const uint8_t *row, uint64_t bytes, unsigned major, int64_t sample, uint32_t *out, int64_t n)
{
    for (; bytes; bytes &= bytes - 1) {
        const int at = __builtin_ctzll(bytes);
        n = carriers_of_byte(row[at], major, sample + 4 * at, out, n);
    }
    return n;
}

/* The last byte, of 1 to 3 samples. */
GT_INLINE int64_t carriers_at_end(const uint8_t *row, int64_t samples, unsigned major, int64_t sample, uint32_t *out, int64_t n)
{
    const unsigned there = (1u << 2 * samples) - 1;
    return carriers_of_byte((*row & there) | (major * 0x55 & ~there), major, sample, out, n);
}

#endif
