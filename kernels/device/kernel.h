/* Kernels of devices: functions of an index.
 *
 * A kernel is GT_DEVICE_FN void gt_device_NAME(int64_t i, const struct gt_device_NAME_args *a), called for each i < n in any order and
 * at the same time; two indices write to different bytes.  Its header includes nothing but <stdint.h>, this one and those of what it
 * shares with the cpu's kernels, and is valid C11 and C++17: no designated initialisers, no restrict, explicit casts.  The host device
 * calls it in a loop; the CUDA module wraps it in a grid, compiled with --fmad=false, as the C compiler has -ffp-contract=off, so that
 * float64 results have the same bits.
 *
 * Addresses in args are device memory, aligned as their type, and more only where the kernel says so.  kernels/device/list.h names all
 * kernels. */
#ifndef GT_KERNELS_DEVICE_KERNEL_H
#define GT_KERNELS_DEVICE_KERNEL_H

#include <stdint.h>

#ifdef __CUDACC__
#define GT_DEVICE_FN static __device__ __forceinline__
#else
#define GT_DEVICE_FN static inline
#endif

#endif
