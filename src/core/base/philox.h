/* Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011), by
 * Random123.  The same (key, counter) gives the same four words anywhere. */
#ifndef GT_BASE_PHILOX_H
#define GT_BASE_PHILOX_H

#include <stdint.h>

/* out[0..3] = philox4x32-10 of counter {c0,c1,c2,c3} under key {k0,k1}. */
void gt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A uniform double in (0,1) from 32 random bits; never 0, never 1. */
static inline double gt_unit32(uint32_t bits)
{
    return (bits + 0.5) * 0x1p-32;
}

/* out[i * row + c * column] is uniform in [-1, 1], for i < n and c < columns; it depends on i, c and the seed alone. */
void gt_random_matrix(uint64_t seed, int64_t n, int64_t columns, double *out, int64_t row, int64_t column);

#endif
