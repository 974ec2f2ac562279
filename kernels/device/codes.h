/* Rows of 2-bit codes (kernels/kernels.h) as planes of int8 for igemm, and sums over sites.
 *
 * A row is a site with four samples per byte; sample s of the device is bits 2 (s % 4) of byte s / 4.  A plane has a row for each sample
 * with its sites side by side. */
#ifndef GT_KERNELS_DEVICE_CODES_H
#define GT_KERNELS_DEVICE_CODES_H

#include "kernels/device/kernel.h"

GT_DEVICE_FN int gt_device_code(const uint8_t *rows, int64_t stride, int64_t site, int64_t sample)
{
    return rows[site * stride + sample / 4] >> (2 * (sample % 4)) & 3;
}

/* Sixteen sites of a sample, i = sample * (width / 16) + sites / 16: plane[sample * width + site] = table[site * step + code], 0 at sites
 * and samples that are not there.  width is a multiple of 16, plane of 16 bytes; step is 4, or 0 where all sites have one table. */
struct gt_device_code_plane_args {
    const uint8_t *rows;
    int64_t stride, sites, samples, width;
    const int8_t *table; /* [sites][4] or [4] */
    int64_t step;
    int8_t *plane; /* [samples rounded up by the caller][width] */
};

GT_DEVICE_FN void gt_device_code_plane(int64_t i, const struct gt_device_code_plane_args *a)
{
    const int64_t words = a->width / 16, sample = i / words, first = i % words * 16;
    int8_t *out = a->plane + sample * a->width + first;
    for (int64_t t = 0; t < 16; t++) {
        const int64_t site = first + t;
        out[t] = 0;
        if (site < a->sites && sample < a->samples)
            out[t] = a->table[site * a->step + gt_device_code(a->rows, a->stride, site, sample)];
    }
}

/* Sample i: sums[i] += the sum of table[site * 4 * step + code] over sites, modulo 2^64; step is 1, or 0 where all sites have one table. */
struct gt_device_sum_codes_args {
    const uint8_t *rows;
    int64_t stride, sites;
    const int64_t *table; /* [sites][4] or [4] */
    int64_t step;
    int64_t *sums;
};

GT_DEVICE_FN void gt_device_sum_codes(int64_t i, const struct gt_device_sum_codes_args *a)
{
    uint64_t sum = (uint64_t)a->sums[i];
    for (int64_t site = 0; site < a->sites; site++)
        sum += (uint64_t)a->table[site * 4 * a->step + gt_device_code(a->rows, a->stride, site, i)];
    a->sums[i] = (int64_t)sum;
}

/* sums[i] += 2^shift x[i], modulo 2^64. */
struct gt_device_add_shifted_args {
    const int32_t *x;
    int64_t *sums;
    int64_t shift;
};

GT_DEVICE_FN void gt_device_add_shifted(int64_t i, const struct gt_device_add_shifted_args *a)
{
    a->sums[i] = (int64_t)((uint64_t)a->sums[i] + ((uint64_t)(int64_t)a->x[i] << a->shift));
}

#endif
