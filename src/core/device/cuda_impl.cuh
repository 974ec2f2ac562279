/* The parts of the module gt-cuda.so, an implementation of core/device/device.h with the CUDA runtime, cuBLASLt and cuSOLVER.  Its
 * sources are C, compiled by nvcc with the C compiler behind it, but for the kernels, which are CUDA C++.  Nothing else includes this. */
#ifndef GT_DEVICE_CUDA_IMPL_CUH
#define GT_DEVICE_CUDA_IMPL_CUH

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include "core/device/device.h"

/* The least compute capability that the module has code for; threads of a block. */
enum { GT_CUDA_LEAST_CAPABILITY = 80, GT_CUDA_BLOCK = 256 };
/* What cuBLASLt may use for itself on each stream; NVIDIA recommends 32 MiB from Hopper on. */
#define GT_CUDA_BLAS_BYTES ((size_t)32 << 20)

struct gt_device_impl {
    int index;
    int threads; /* resident on the GPU at once */
    cublasLtHandle_t blas;
};

/* cuBLASLt and cuSOLVER need memory of their own for each stream: it is allocated when it is first needed. */
struct gt_stream {
    struct gt_device_impl *device;
    cudaStream_t stream;
    void *blas_memory;
    cusolverDnHandle_t solver;
    struct gt_cuda_log *log; /* NULL: none was asked for */
};

struct gt_event {
    struct gt_device_impl *device;
    cudaEvent_t event;
};

/* --- cuda_status.c: each turns a status into a gt_device_code; for a failure it keeps "WHAT: TEXT" for last_error,
 * or TEXT alone when there is no driver or no GPU --- */

int gt_cuda_check(cudaError_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int gt_cuda_check_blas(cublasStatus_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int gt_cuda_check_solver(cusolverStatus_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int gt_cuda_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gt_cuda_last_error(char *text, size_t size);

/* --- cuda_log.c: events around the work of a stream whose log was asked for; without one nothing is done --- */

int gt_cuda_stream_log(struct gt_stream *stream, gt_device_log *log, void *to);
/* Work begins, and ends with the code that is returned, unless measuring it fails; after a begin that fails, too.  Work inside of other
 * work is part of it. */
int gt_cuda_log_begin(struct gt_stream *stream, const char *kind, size_t bytes);
int gt_cuda_log_end(struct gt_stream *stream, int code);
/* All work of the stream is complete: it is logged. */
int gt_cuda_log_all(struct gt_stream *stream);
void gt_cuda_log_free(struct gt_stream *stream);

/* --- the operations, see struct gt_device_ops --- */

/* cuda_describe.c */
int gt_cuda_count(int *n);
int gt_cuda_describe(int index, struct gt_device_info *info);
/* GT_DEVICE_ABSENT unless there is such a GPU and the module has code for it. */
int gt_cuda_check_gpu(int index);

/* cuda_launch.c */
int gt_cuda_launch(struct gt_stream *stream, const char *name, int64_t n, const void *args, size_t bytes);

/* cuda_product.c */
int gt_cuda_igemm(struct gt_stream *stream, int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda, const int8_t *b, int64_t ldb,
                  int32_t *c, int64_t ldc, int accumulate);
int gt_cuda_fgemm(struct gt_stream *stream, enum gt_device_float type, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,
                  const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc);

/* cuda_solver.c */
int gt_cuda_syev(struct gt_stream *stream, int64_t n, double *a, int64_t lda, double *values);
int gt_cuda_qr(struct gt_stream *stream, int64_t m, int64_t n, double *a, int64_t lda, double *r, int64_t ldr);

#endif
