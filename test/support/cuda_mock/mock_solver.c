/* libcusolver: the same problems by LAPACK. */
#include "mock.h"

#include <cusolverDn.h>
#include <stdlib.h>
#include <string.h>

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, const int *lwork,
             int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work, const int *lwork,
             int *info);

struct cusolverDnContext {
    cudaStream_t stream;
};

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    cusolverStatus_t status = mock_enter(__func__, "%s", "") || mock_lost() ? CUSOLVER_STATUS_NOT_INITIALIZED : CUSOLVER_STATUS_SUCCESS;
    if (!status)
        *handle = mock_object_new("cusolver handle", sizeof **handle);
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("cusolver handle", handle);
    mock_leave();
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    cusolverStatus_t status = mock_enter(__func__, "%s", "") ? CUSOLVER_STATUS_NOT_INITIALIZED : CUSOLVER_STATUS_SUCCESS;
    if (mock_object_check("cusolver handle", handle) && mock_object_check("stream", stream))
        handle->stream = stream;
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    cusolverStatus_t status = mock_enter(__func__, "%s", "") ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
    if (!status)
        *params = mock_object_new("cusolver params", 1);
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("cusolver params", params);
    mock_leave();
    return CUSOLVER_STATUS_SUCCESS;
}

/* A problem of any kind, and the memory that its call was given. */
struct problem {
    int m, n, lda;
    double *a, *values; /* values: tau of QR */
    void *work;
    size_t work_bytes;
    int *info;
};

enum { WORK_ITEMS = 100 }; /* what cuSOLVER asks for, in items and one column more */

static size_t work_items(int n)
{
    return (size_t)n + WORK_ITEMS;
}

static cusolverStatus_t enqueue(cusolverDnHandle_t handle, const char *name, void (*run)(const void *), const struct problem *p,
                                size_t values)
{
    if (!mock_object_check("cusolver handle", handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (p->work_bytes < work_items(p->n) * sizeof(double)) {
        mock_fault("%s: %zu bytes to work in are too few", name, p->work_bytes);
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    const struct mock_range ranges[] = {{p->a, ((size_t)(p->n - 1) * (size_t)p->lda + (size_t)p->m) * sizeof(double)},
                                        {p->values, values * sizeof(double)},
                                        {p->work, p->work_bytes},
                                        {p->info, sizeof *p->info}};
    return mock_enqueue(handle->stream, name, run, p, sizeof *p, ranges, 4) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

/* --- symmetric eigenproblem --------------------------------------------------------------------------------- */

static void run_syevd(const void *args)
{
    const struct problem *p = args;
    const int lwork = 1 + 6 * p->n + 2 * p->n * p->n, liwork = 3 + 5 * p->n;
    double *work = malloc((size_t)lwork * sizeof *work);
    int *iwork = malloc((size_t)liwork * sizeof *iwork);
    memset(p->work, 0x5A, p->work_bytes);
    dsyevd_("V", "L", &p->n, p->a, &p->lda, p->values, work, &lwork, iwork, &liwork, p->info, 1, 1);
    free(iwork);
    free(work);
}

static bool is_float64_with_vectors(cusolverEigMode_t jobz, cublasFillMode_t uplo, cudaDataType a, cudaDataType w, cudaDataType compute)
{
    return jobz == CUSOLVER_EIG_MODE_VECTOR && uplo == CUBLAS_FILL_MODE_LOWER && a == CUDA_R_64F && w == CUDA_R_64F &&
           compute == CUDA_R_64F;
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType a_type, const void *a, int64_t lda,
                                             cudaDataType w_type, const void *w, cudaDataType compute, size_t *device_bytes,
                                             size_t *host_bytes)
{
    cusolverStatus_t status = mock_enter(__func__, "%lld", (long long)n) ? CUSOLVER_STATUS_INTERNAL_ERROR : CUSOLVER_STATUS_SUCCESS;
    (void)a, (void)w;
    if (!mock_object_check("cusolver handle", handle) || !mock_object_check("cusolver params", params) || lda < n ||
        !is_float64_with_vectors(jobz, uplo, a_type, w_type, compute))
        mock_fault("%s: wrong arguments", __func__);
    *device_bytes = work_items((int)n) * sizeof(double);
    *host_bytes = (size_t)n * 8;
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType a_type, void *a, int64_t lda, cudaDataType w_type, void *w, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes, int *info)
{
    cusolverStatus_t status = mock_enter(__func__, "%lld", (long long)n) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
    const struct problem p = {(int)n, (int)n, (int)lda, a, w, device_work, device_bytes, info};
    if (!mock_object_check("cusolver params", params) || host_bytes < (size_t)n * 8 ||
        !is_float64_with_vectors(jobz, uplo, a_type, w_type, compute))
        mock_fault("%s: wrong arguments", __func__);
    memset(host_work, 0x5A, host_bytes);
    status = status ? status : enqueue(handle, __func__, run_syevd, &p, (size_t)n);
    mock_leave();
    return status;
}

/* --- QR ----------------------------------------------------------------------------------------------------- */

static void run_geqrf(const void *args)
{
    const struct problem *p = args;
    const int lwork = 64 * (p->n + 1);
    double *work = malloc((size_t)lwork * sizeof *work);
    memset(p->work, 0x5A, p->work_bytes);
    dgeqrf_(&p->m, &p->n, p->a, &p->lda, p->values, work, &lwork, p->info);
    free(work);
}

static void run_orgqr(const void *args)
{
    const struct problem *p = args;
    const int lwork = 64 * (p->n + 1);
    double *work = malloc((size_t)lwork * sizeof *work);
    memset(p->work, 0x5A, p->work_bytes);
    dorgqr_(&p->m, &p->n, &p->n, p->a, &p->lda, p->values, work, &lwork, p->info);
    free(work);
}

static cusolverStatus_t tell_size(cusolverDnHandle_t handle, const char *name, int m, int n, int *items)
{
    cusolverStatus_t status = mock_enter(name, "%d %d", m, n) ? CUSOLVER_STATUS_INTERNAL_ERROR : CUSOLVER_STATUS_SUCCESS;
    mock_object_check("cusolver handle", handle);
    *items = (int)work_items(n);
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnDgeqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, double *a, int lda, int *items)
{
    (void)a, (void)lda;
    return tell_size(handle, __func__, m, n, items);
}

cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const double *a, int lda, const double *tau,
                                             int *items)
{
    (void)k, (void)a, (void)lda, (void)tau;
    return tell_size(handle, __func__, m, n, items);
}

cusolverStatus_t cusolverDnDgeqrf(cusolverDnHandle_t handle, int m, int n, double *a, int lda, double *tau, double *work, int items,
                                  int *info)
{
    cusolverStatus_t status = mock_enter(__func__, "%d %d", m, n) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
    const struct problem p = {m, n, lda, a, tau, work, (size_t)items * sizeof *work, info};
    status = status ? status : enqueue(handle, __func__, run_geqrf, &p, (size_t)n);
    mock_leave();
    return status;
}

cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double *a, int lda, const double *tau, double *work,
                                  int items, int *info)
{
    cusolverStatus_t status = mock_enter(__func__, "%d %d %d", m, n, k) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
    const struct problem p = {m, n, lda, a, (double *)tau, work, (size_t)items * sizeof *work, info};
    if (k != n)
        mock_fault("%s: %d of %d columns", __func__, k, n);
    status = status ? status : enqueue(handle, __func__, run_orgqr, &p, (size_t)n);
    mock_leave();
    return status;
}
