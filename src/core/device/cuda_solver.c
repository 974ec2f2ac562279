/* Dense float64 problems by cuSOLVER.  Each call allocates what it needs and waits for its result. */
#include "core/device/cuda_impl.cuh"

#include <limits.h>
#include <stdlib.h>

#include "kernels/device/triangle.h"

/* Memory that a call needs: of the device, with a place for LAPACK's info and for `extra` bytes more, and of the host. */
struct work {
    void *device, *host;
    void *extra;
    int *info;
};

enum { ALIGN = 256 };

static int start(struct gt_stream *stream)
{
    int code = gt_cuda_check(cudaSetDevice(stream->device->index), "cannot use GPU %d", stream->device->index);
    if (code || stream->solver)
        return code;
    code = gt_cuda_check_solver(cusolverDnCreate(&stream->solver), "cannot start cuSOLVER");
    return code ? code : gt_cuda_check_solver(cusolverDnSetStream(stream->solver, stream->stream), "cannot start cuSOLVER");
}

static int get_work(struct work *work, size_t device_bytes, size_t host_bytes, size_t extra)
{
    const size_t first = ALIGN + (extra + ALIGN - 1) / ALIGN * ALIGN;
    char *all = NULL;
    int code = gt_cuda_check(cudaMalloc((void **)&all, first + device_bytes + 1), "cannot allocate %zu bytes for cuSOLVER", device_bytes);
    if (code)
        return code;
    work->info = (int *)all;
    work->extra = all + ALIGN;
    work->device = all + first;
    work->host = malloc(host_bytes + 1);
    return work->host ? GT_DEVICE_OK : gt_cuda_fail(GT_DEVICE_NO_MEMORY, "cannot allocate %zu bytes of the host", host_bytes);
}

/* Waits for the stream, even after a failure: it may use this memory. */
static int finish(struct gt_stream *stream, struct work *work, int code, const char *what)
{
    const cudaError_t waited = cudaStreamSynchronize(stream->stream);
    int info = 0;
    code = code ? code : gt_cuda_check(waited, "%s", what);
    if (!code)
        code = gt_cuda_check(cudaMemcpy(&info, work->info, sizeof info, cudaMemcpyDeviceToHost), "%s", what);
    if (!code && info)
        code = gt_cuda_fail(GT_DEVICE_FAILED, info > 0 ? "%s: no convergence (info %d)" : "%s: invalid argument (info %d)", what, info);
    if (work->info)
        cudaFree(work->info);
    free(work->host);
    return code;
}

struct syev {
    cusolverDnParams_t params;
    int64_t n, lda;
    double *a, *values;
};

static int run_syev(struct gt_stream *stream, const struct syev *s, struct work *work)
{
    const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    size_t device_bytes = 0, host_bytes = 0;
    int code = gt_cuda_check_solver(cusolverDnXsyevd_bufferSize(stream->solver, s->params, vectors, lower, s->n, CUDA_R_64F, s->a, s->lda,
                                                                CUDA_R_64F, s->values, CUDA_R_64F, &device_bytes, &host_bytes),
                                    "eigenproblem of %lld", (long long)s->n);
    code = code ? code : get_work(work, device_bytes, host_bytes, 0);
    if (code)
        return code;
    code = gt_cuda_log_begin(stream, "eigenvectors", 0);
    code =
        code ? code
             : gt_cuda_check_solver(cusolverDnXsyevd(stream->solver, s->params, vectors, lower, s->n, CUDA_R_64F, s->a, s->lda, CUDA_R_64F,
                                                     s->values, CUDA_R_64F, work->device, device_bytes, work->host, host_bytes, work->info),
                                    "eigenproblem of %lld", (long long)s->n);
    return gt_cuda_log_end(stream, code);
}

/* By columns the lower triangle of a, eigenvectors in columns: by rows they are the rows. */
int gt_cuda_syev(struct gt_stream *stream, int64_t n, double *a, int64_t lda, double *values)
{
    struct syev s = {.n = n, .lda = lda, .a = a, .values = values};
    struct work work = {0};
    if (!n)
        return GT_DEVICE_OK;
    int code = start(stream);
    code = code ? code : gt_cuda_check_solver(cusolverDnCreateParams(&s.params), "cannot start cuSOLVER");
    if (code)
        return code;
    code = finish(stream, &work, run_syev(stream, &s, &work), "eigenproblem");
    cusolverDnDestroyParams(s.params);
    return code;
}

struct qr {
    int m, n, lda;
    int64_t ldr;
    double *a, *r;
};

static int run_qr(struct gt_stream *stream, const struct qr *q, struct work *work)
{
    int first = 0, second = 0;
    int code =
        gt_cuda_check_solver(cusolverDnDgeqrf_bufferSize(stream->solver, q->m, q->n, q->a, q->lda, &first), "QR of %d x %d", q->m, q->n);
    code = code ? code
                : gt_cuda_check_solver(cusolverDnDorgqr_bufferSize(stream->solver, q->m, q->n, q->n, q->a, q->lda, q->r, &second),
                                       "QR of %d x %d", q->m, q->n);
    const int most = first > second ? first : second;
    code = code ? code : get_work(work, (size_t)most * sizeof(double), 0, (size_t)q->n * sizeof(double));
    if (code)
        return code;
    double *tau = work->extra;
    const struct gt_device_upper_triangle_args triangle = {.n = q->n, .lda = q->lda, .ldr = q->ldr, .a = q->a, .r = q->r};
    code = gt_cuda_log_begin(stream, "QR", 0);
    code = code ? code
                : gt_cuda_check_solver(cusolverDnDgeqrf(stream->solver, q->m, q->n, q->a, q->lda, tau, work->device, most, work->info),
                                       "QR of %d x %d", q->m, q->n);
    code = code ? code : gt_cuda_launch(stream, "upper_triangle", (int64_t)q->n * q->n, &triangle, sizeof triangle);
    code = code
               ? code
               : gt_cuda_check_solver(cusolverDnDorgqr(stream->solver, q->m, q->n, q->n, q->a, q->lda, tau, work->device, most, work->info),
                                      "QR of %d x %d", q->m, q->n);
    return gt_cuda_log_end(stream, code);
}

int gt_cuda_qr(struct gt_stream *stream, int64_t m, int64_t n, double *a, int64_t lda, double *r, int64_t ldr)
{
    struct work work = {0};
    if (!n)
        return GT_DEVICE_OK;
    if (m > INT_MAX || n > INT_MAX || lda > INT_MAX)
        return gt_cuda_fail(GT_DEVICE_FAILED, "QR of %lld x %lld: cuSOLVER takes at most %d", (long long)m, (long long)n, INT_MAX);
    const struct qr q = {.m = (int)m, .n = (int)n, .lda = (int)lda, .ldr = ldr, .a = a, .r = r};
    int code = start(stream);
    return code ? code : finish(stream, &work, run_qr(stream, &q, &work), "QR");
}
