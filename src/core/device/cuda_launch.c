#include "core/device/cuda_impl.cuh"

#include <string.h>

#include "core/device/cuda_kernels.h"

static const struct gt_cuda_kernel *find(const char *name)
{
    const struct gt_cuda_kernel *kernel = gt_cuda_kernels;
    while (kernel->name && strcmp(kernel->name, name) != 0)
        kernel++;
    return kernel->name ? kernel : NULL;
}

int gt_cuda_launch(struct gt_stream *stream, const char *name, int64_t n, const void *args, size_t bytes)
{
    const struct gt_cuda_kernel *kernel = find(name);
    if (!kernel || kernel->bytes != bytes)
        return gt_cuda_fail(GT_DEVICE_FAILED, "the CUDA module has no kernel %s with arguments of %zu bytes", name, bytes);
    if (n <= 0)
        return GT_DEVICE_OK;
    int code = gt_cuda_check(cudaSetDevice(stream->device->index), "cannot use GPU %d", stream->device->index);
    if (code)
        return code;
    /* Four times as many threads as are resident: a block that is done early makes way. */
    const int64_t most = 4 * (int64_t)stream->device->threads / GT_CUDA_BLOCK, wanted = (n - 1) / GT_CUDA_BLOCK + 1;
    const dim3 grid = {(unsigned)(wanted < most ? wanted : most), 1, 1}, block = {GT_CUDA_BLOCK, 1, 1};
    void *parameters[] = {&n, (void *)args};
    code = gt_cuda_log_begin(stream, kernel->name, 0);
    code = code ? code
                : gt_cuda_check(cudaLaunchKernel(kernel->function, grid, block, parameters, 0, stream->stream),
                                "cannot launch %s for %lld items", name, (long long)n);
    return gt_cuda_log_end(stream, code);
}
