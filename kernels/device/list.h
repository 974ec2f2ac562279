/* All kernels of devices, by name: KERNEL(pi_count) stands for gt_device_pi_count and struct gt_device_pi_count_args. */
#ifndef GT_KERNELS_DEVICE_LIST_H
#define GT_KERNELS_DEVICE_LIST_H

#include "kernels/device/codes.h"
#include "kernels/device/floats.h"
#include "kernels/device/random.h"
#include "kernels/device/sketch.h"
#include "kernels/device/triangle.h"

#define GT_DEVICE_KERNELS(KERNEL)                                                                                                          \
    KERNEL(pi_count)                                                                                                                       \
    KERNEL(sim_codes)                                                                                                                      \
    KERNEL(code_plane)                                                                                                                     \
    KERNEL(sum_codes)                                                                                                                      \
    KERNEL(add_shifted)                                                                                                                    \
    KERNEL(panel_planes)                                                                                                                   \
    KERNEL(number_planes)                                                                                                                  \
    KERNEL(row_plane)                                                                                                                      \
    KERNEL(add_digits)                                                                                                                     \
    KERNEL(upper_triangle)                                                                                                                 \
    KERNEL(float_cells)                                                                                                                    \
    KERNEL(float_cell)

#endif
