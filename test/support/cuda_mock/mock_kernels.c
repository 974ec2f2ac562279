/* src/core/device/cuda_kernels.cu as C: the loops of the module, with its blocks and threads one after the other. */
#include "mock_kernels.h"

#include <string.h>

struct coordinates {
    unsigned x;
};
static struct coordinates gridDim, blockDim, blockIdx, threadIdx;
#define __global__ static
#define __grid_constant__
#include "core/device/cuda_kernels.cu"

#define KERNEL_RUN(name)                                                                                                                   \
    static void run_##name(int64_t n, const void *args)                                                                                    \
    {                                                                                                                                      \
        gt_cuda_##name(n, *(const struct gt_device_##name##_args *)args);                                                                  \
    }
GT_DEVICE_KERNELS(KERNEL_RUN)

#define KERNEL_ROW(name) {"gt_cuda_" #name, sizeof(struct gt_device_##name##_args), run_##name},
static const struct mock_kernel kernels[] = {GT_DEVICE_KERNELS(KERNEL_ROW){NULL, 0, NULL}};

const struct mock_kernel *mock_kernel_find(const char *name)
{
    const struct mock_kernel *kernel = kernels;
    while (kernel->name && strcmp(kernel->name, name) != 0)
        kernel++;
    return kernel->name ? kernel : NULL;
}

/* The last block first: no kernel may rely on their order. */
void mock_kernel_run(const struct mock_kernel *kernel, unsigned grid, unsigned block, int64_t n, const void *args)
{
    gridDim.x = grid;
    blockDim.x = block;
    for (blockIdx.x = grid; blockIdx.x-- > 0;)
        for (threadIdx.x = 0; threadIdx.x < block; threadIdx.x++)
            kernel->run(n, args);
}
