/* Philox4x32-10 (Salmon et al., SC 2011), and what is made of its words: pi and genotypes, as kernels/kernels.h defines pi_count
 * and sim_codes. */
#ifndef GT_KERNELS_DEVICE_RANDOM_H
#define GT_KERNELS_DEVICE_RANDOM_H

#include "kernels/device/kernel.h"

struct gt_device_words {
    uint32_t w[4];
};

GT_DEVICE_FN struct gt_device_words gt_device_philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1)
{
    struct gt_device_words out;
    for (int round = 0; round < 10; round++) {
        const uint64_t x = (uint64_t)0xD2511F53u * c0, y = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(y >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(x >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)y;
        c3 = (uint32_t)x;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out.w[0] = c0;
    out.w[1] = c1;
    out.w[2] = c2;
    out.w[3] = c3;
    return out;
}

/* Counts the points of index i: [first + i * step, first + (i + 1) * step), no further than end; counts[i] of them are inside.  step <
 * 2^32. */
struct gt_device_pi_count_args {
    uint64_t key, first, end;
    int64_t step;
    uint32_t *counts;
};

/* x*x + y*y < 2^64 - floor(2^34 / pi): see kernels/pi.h. */
GT_DEVICE_FN uint32_t gt_device_pi_inside(uint32_t x, uint32_t y)
{
    return (uint64_t)y * y < UINT64_MAX - 5468522204u + 1 - (uint64_t)x * x;
}

GT_DEVICE_FN void gt_device_pi_count(int64_t i, const struct gt_device_pi_count_args *a)
{
    const uint64_t from = a->first + (uint64_t)i * (uint64_t)a->step, left = a->end - from;
    const uint64_t end = from + (left < (uint64_t)a->step ? left : (uint64_t)a->step);
    uint32_t inside = 0;
    for (uint64_t pair = from >> 1; pair << 1 < end; pair++) {
        const struct gt_device_words x =
            gt_device_philox((uint32_t)pair, (uint32_t)(pair >> 32), 0, 0, (uint32_t)a->key, (uint32_t)(a->key >> 32));
        if (pair << 1 >= from)
            inside += gt_device_pi_inside(x.w[0], x.w[1]);
        if ((pair << 1 | 1) < end)
            inside += gt_device_pi_inside(x.w[2], x.w[3]);
    }
    a->counts[i] = inside;
}

/* Byte b of row r, i = r * bytes + b: codes of samples 4 b to 4 b + 3 of variant first + r, each by population.  Sample s has word s % 4 of
 * the counter {s / 4, low and high half of the variant, purpose}; its code is how many of thresholds[3 (r * populations + p)] .. + 2 the
 * word is greater than, p its population; and 3 where its word under missing_purpose is greater than missing_above (UINT32_MAX: nowhere).
 * Codes of samples that are not there are 0. */
struct gt_device_sim_codes_args {
    uint32_t key[2];
    uint64_t first;
    int64_t bytes, samples, populations;
    uint32_t purpose, missing_purpose, missing_above;
    const uint32_t *thresholds; /* [rows][populations][3] */
    const uint16_t *population; /* [samples] */
    uint8_t *rows;              /* [rows][bytes] */
};

GT_DEVICE_FN void gt_device_sim_codes(int64_t i, const struct gt_device_sim_codes_args *a)
{
    const int64_t r = i / a->bytes, group = i % a->bytes;
    const uint64_t variant = a->first + (uint64_t)r;
    const uint32_t low = (uint32_t)variant, high = (uint32_t)(variant >> 32);
    const struct gt_device_words words = gt_device_philox((uint32_t)group, low, high, a->purpose, a->key[0], a->key[1]);
    struct gt_device_words gaps = {{0, 0, 0, 0}};
    uint32_t byte = 0;
    if (a->missing_above != UINT32_MAX)
        gaps = gt_device_philox((uint32_t)group, low, high, a->missing_purpose, a->key[0], a->key[1]);
    for (int lane = 0; lane < 4 && 4 * group + lane < a->samples; lane++) {
        const uint32_t *above = a->thresholds + 3 * (r * a->populations + a->population[4 * group + lane]), u = words.w[lane];
        const uint32_t code = (uint32_t)(u > above[0]) + (uint32_t)(u > above[1]) + (uint32_t)(u > above[2]);
        byte |= (gaps.w[lane] > a->missing_above ? 3 : code) << (2 * lane);
    }
    a->rows[i] = (uint8_t)byte;
}

#endif
