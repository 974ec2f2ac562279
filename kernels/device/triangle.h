/* The triangle of a matrix that QR leaves behind. */
#ifndef GT_KERNELS_DEVICE_TRIANGLE_H
#define GT_KERNELS_DEVICE_TRIANGLE_H

#include "kernels/device/kernel.h"

/* Item i of r [n][n], by rows: what a has there by columns, zeros below the diagonal. */
struct gt_device_upper_triangle_args {
    int64_t n, lda, ldr;
    const double *a;
    double *r;
};

GT_DEVICE_FN void gt_device_upper_triangle(int64_t i, const struct gt_device_upper_triangle_args *a)
{
    const int64_t row = i / a->n, column = i % a->n;
    a->r[row * a->ldr + column] = row <= column ? a->a[column * a->lda + row] : 0;
}

#endif
