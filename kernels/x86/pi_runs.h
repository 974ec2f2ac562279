/* Cuts points [first, first + n) into runs of whole counters for vectors.
 *
 * A counter gives two points.  Its high word is constant but every 2^32
 * counters, so a run never crosses such a place, and a vector kernel needs to
 * step the low word only. */
#ifndef GT_KERNELS_PI_RUNS_H
#define GT_KERNELS_PI_RUNS_H

#include "kernels/pi.h"

/* Counts `vectors` times LANES counters from (low, high) on. */
typedef uint64_t gt_pi_run(uint64_t key, uint32_t low, uint32_t high, uint64_t vectors);

static inline __attribute__((always_inline)) int64_t gt_pi_by_runs(uint64_t key, uint64_t first, int64_t n, unsigned lanes, gt_pi_run *run)
{
    uint64_t end = first + (uint64_t)n;
    int64_t inside = 0;
    if (first & 1 && first < end)
        inside += gt_pi_count_ref(key, first++, 1);
    while (first < end) {
        uint64_t counter = first >> 1, counters = (end - first) >> 1, left = (UINT64_C(1) << 32) - (uint32_t)counter;
        uint64_t vectors = (counters < left ? counters : left) / lanes, points = vectors * lanes * 2;
        inside += (int64_t)run(key, (uint32_t)counter, (uint32_t)(counter >> 32), vectors);
        first += points;
        /* up to the end, or over the place where the high word changes */
        points = counters < left ? end - first : 2 * (left - vectors * lanes);
        inside += gt_pi_count_ref(key, first, (int64_t)points);
        first += points;
    }
    return inside;
}

#endif
