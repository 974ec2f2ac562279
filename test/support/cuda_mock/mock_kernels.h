/* The kernels of gt-cuda.so, compiled as C. */
#ifndef GT_CUDA_MOCK_KERNELS_H
#define GT_CUDA_MOCK_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct mock_kernel {
    const char *name; /* in the module */
    size_t bytes;     /* of its arguments */
    void (*run)(int64_t n, const void *args);
};

/* NULL: there is none of that name. */
const struct mock_kernel *mock_kernel_find(const char *name);
/* All blocks and threads of a grid. */
void mock_kernel_run(const struct mock_kernel *kernel, unsigned grid, unsigned block, int64_t n, const void *args);

#endif
