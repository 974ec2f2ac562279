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

/* Sixteen int8, written as one. */
struct gt_device_vector {
    uint32_t w[4];
} __attribute__((aligned(16)));

/* Sixteen sites of four samples, i = (sites / 16) * quads + samples / 4, where quads = ceil(height / 4): threads side by side read bytes
 * side by side.  plane[sample * width + site] = the byte of table[site * step] that the code selects, the low one for 0; 0 at sites and
 * samples that are not there.  width is a multiple of 16; step is 1, or 0 where all sites have one table. */
struct gt_device_code_plane_args {
    const uint8_t *rows;
    int64_t stride, sites, samples, width;
    int64_t height;        /* rows of the plane, at least samples */
    const uint32_t *table; /* [sites] or [1] */
    int64_t step;
    struct gt_device_vector *plane; /* [height][width / 16] */
};

GT_DEVICE_FN void gt_device_code_plane(int64_t i, const struct gt_device_code_plane_args *a)
{
    const int64_t quads = (a->height + 3) / 4, quad = i % quads, group = i / quads;
    struct gt_device_vector out[4] = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    const int64_t left = 4 * quad < a->samples ? a->sites - 16 * group : 0;
    for (int t = 0; t < 16; t++) {
        if (t >= left)
            continue;
        const uint32_t byte = a->rows[(16 * group + t) * a->stride + quad], table = a->table[(16 * group + t) * a->step];
        for (int lane = 0; lane < 4; lane++)
            out[lane].w[t / 4] |= (table >> (8 * (byte >> (2 * lane) & 3)) & 255) << (8 * (t % 4));
    }
    for (int lane = 0; lane < 4; lane++) {
        const int64_t sample = 4 * quad + lane;
        if (sample >= a->samples)
            out[lane].w[0] = out[lane].w[1] = out[lane].w[2] = out[lane].w[3] = 0;
        if (sample < a->height)
            a->plane[sample * (a->width / 16) + group] = out[lane];
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
