/* Narrow matrices in the fixed point of sketch products (kernels/kernels.h), as planes of int8 for igemm.
 *
 * A number is the sum of digits d times 128^d, all from 0 to 127 but for the highest.  Digit d of column c is row digits c + d of planes
 * [digits columns][width], with the rows of the matrix side by side, filled up with 0 to width, a multiple of 16. */
#ifndef GT_KERNELS_DEVICE_SKETCH_H
#define GT_KERNELS_DEVICE_SKETCH_H

#include "kernels/device/codes.h"

/* Two digits; item i = plane row * width + row of the matrix: from the panels of GT_SKETCH (8) columns of the cpu's kernels, panel_bytes
 * each. */
struct gt_device_panel_planes_args {
    const int8_t *panels;
    int64_t panel_bytes, rows, width;
    int8_t *planes;
};

GT_DEVICE_FN void gt_device_panel_planes(int64_t i, const struct gt_device_panel_planes_args *a)
{
    const int64_t row = i % a->width, column = i / a->width / 2, high = i / a->width % 2;
    const int64_t at = column / 8 * a->panel_bytes + row / 4 * 64 + column % 8 * 4 + row % 4 + 32 * high;
    a->planes[i] = row < a->rows ? a->panels[at] : (int8_t)0;
}

/* Four digits of any int16_t, the last one 0, from numbers [rows][columns]. */
struct gt_device_number_planes_args {
    const int16_t *numbers;
    int64_t columns, rows, width;
    int8_t *planes;
};

GT_DEVICE_FN void gt_device_number_planes(int64_t i, const struct gt_device_number_planes_args *a)
{
    const int64_t row = i % a->width, column = i / a->width / 4, digit = i / a->width % 4;
    const int x = row < a->rows ? a->numbers[row * a->columns + column] : 0;
    a->planes[i] = (int8_t)(digit < 2 ? x >> (7 * digit) & 127 : digit == 2 ? x >> 14 : 0);
}

/* Sixteen samples of a row, i = row * (width / 16) + samples / 16: plane[row * width + sample] = the byte of *table that the code selects,
 * the low one for 0; 0 at rows and samples that are not there. */
struct gt_device_row_plane_args {
    const uint8_t *rows;
    int64_t stride, n_rows, samples, width;
    const uint32_t *table;
    struct gt_device_vector *plane;
};

GT_DEVICE_FN void gt_device_row_plane(int64_t i, const struct gt_device_row_plane_args *a)
{
    const int64_t words = a->width / 16, row = i / words, first = i % words * 16;
    const uint32_t table = *a->table;
    struct gt_device_vector out = {{0, 0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        const int64_t left = row < a->n_rows ? a->samples - first - 4 * k : 0;
        if (left <= 0)
            continue;
        const uint32_t byte = a->rows[row * a->stride + first / 4 + k];
        for (int lane = 0; lane < 4; lane++)
            out.w[k] |= (table >> (8 * (byte >> (2 * lane) & 3)) & 255) << (8 * lane);
        if (left < 4)
            out.w[k] &= ~(0xFFFFFFFFu << (8 * left));
    }
    a->plane[i] = out;
}

/* sums[i] += 2^shift times the sum over d of 128^d products[digits i + d], modulo 2^64. */
struct gt_device_add_digits_args {
    const int32_t *products;
    int64_t *sums;
    int64_t digits, shift;
};

GT_DEVICE_FN void gt_device_add_digits(int64_t i, const struct gt_device_add_digits_args *a)
{
    uint64_t x = 0;
    for (int64_t d = a->digits - 1; d >= 0; d--)
        x = 128 * x + (uint64_t)(int64_t)a->products[a->digits * i + d];
    a->sums[i] = (int64_t)((uint64_t)a->sums[i] + (x << a->shift));
}

#endif
