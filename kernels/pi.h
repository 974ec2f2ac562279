/* Points of the unit square for Monte Carlo pi; the rule is defined in calc/pi/pi.h.
 * Shared by the kernels of every level and by tests. */
#ifndef GT_KERNELS_PI_H
#define GT_KERNELS_PI_H

#include <stdint.h>

/* 2^64 - floor(2^34 / pi). */
#define GT_PI_LIMIT (UINT64_MAX - 5468522204u + 1)

/* x*x + y*y < GT_PI_LIMIT.  A square is at most 2^64 - 2^33 + 1, which is below the
 * limit, so neither side overflows. */
static inline int gt_pi_inside(uint32_t x, uint32_t y)
{
    return (uint64_t)y * y < GT_PI_LIMIT - (uint64_t)x * x;
}

int64_t gt_pi_count_ref(uint64_t key, uint64_t first, int64_t n);
int64_t gt_pi_count_avx2(uint64_t key, uint64_t first, int64_t n);
int64_t gt_pi_count_avx512(uint64_t key, uint64_t first, int64_t n);

#endif
