/* Each kernel of kernels/device/ in a loop over its indices, a thread every so many.  It is also valid C: a test runs these loops on the
 * cpu, with blockIdx and the like as variables. */
#include "core/device/cuda_kernels.h"
#include "kernels/device/list.h"

#ifdef __cplusplus
#define C_LINKAGE extern "C"
#else
#define C_LINKAGE
#endif

/* __grid_constant__: the address of args can be taken without a copy of them in each thread. */
#define KERNEL(name)                                                                                                                       \
    C_LINKAGE __global__ void gt_cuda_##name(const int64_t n, const __grid_constant__ struct gt_device_##name##_args args)                 \
    {                                                                                                                                      \
        const int64_t step = (int64_t)gridDim.x * blockDim.x;                                                                              \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)                                                 \
            gt_device_##name(i, &args);                                                                                                    \
    }
GT_DEVICE_KERNELS(KERNEL)
#undef KERNEL

#define KERNEL(name) {#name, (const void *)gt_cuda_##name, sizeof(struct gt_device_##name##_args)},
C_LINKAGE const struct gt_cuda_kernel gt_cuda_kernels[] = {GT_DEVICE_KERNELS(KERNEL){0, 0, 0}};
