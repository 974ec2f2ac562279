/* The kernels of kernels/device/ as the module gt-cuda.so has them: cuda_kernels.cu. */
#ifndef GT_DEVICE_CUDA_KERNELS_H
#define GT_DEVICE_CUDA_KERNELS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gt_cuda_kernel {
    const char *name;     /* as in kernels/device/list.h */
    const void *function; /* for cudaLaunchKernel: (int64_t n, struct gt_device_NAME_args args) */
    size_t bytes;         /* of args */
};

/* The last one has no name. */
extern const struct gt_cuda_kernel gt_cuda_kernels[];

#ifdef __cplusplus
}
#endif

#endif
