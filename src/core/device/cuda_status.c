#include "core/device/cuda_impl.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

void gt_cuda_last_error(char *text, size_t size)
{
    snprintf(text, size, "%s", last_error);
}

static void keep(const char *format, va_list args, const char *cause)
{
    char what[256];
    vsnprintf(what, sizeof what, format, args);
    snprintf(last_error, sizeof last_error, "%s%s%s", what, *what && cause ? ": " : "", cause ? cause : "");
    last_error[strcspn(last_error, "\n")] = '\0';
}

int gt_cuda_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    keep(format, args, NULL);
    va_end(args);
    return code;
}

static int code_of(cudaError_t status)
{
    switch (status) {
    case cudaErrorMemoryAllocation:
        return GT_DEVICE_NO_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
        return GT_DEVICE_ABSENT;
    default:
        return GT_DEVICE_FAILED;
    }
}

/* Without a driver the runtime says that it is too old. */
static const char *text_of(cudaError_t status)
{
    int driver = 0;
    if (status == cudaErrorStubLibrary ||
        (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0))
        return "no CUDA driver";
    return cudaGetErrorString(status);
}

int gt_cuda_check(cudaError_t status, const char *format, ...)
{
    va_list args;
    if (status == cudaSuccess)
        return GT_DEVICE_OK;
    const int code = code_of(status);
    va_start(args, format);
    keep(code == GT_DEVICE_ABSENT ? "" : format, args, text_of(status));
    va_end(args);
    cudaGetLastError(); /* the runtime would report it again */
    return code;
}

int gt_cuda_check_blas(cublasStatus_t status, const char *format, ...)
{
    va_list args;
    if (status == CUBLAS_STATUS_SUCCESS)
        return GT_DEVICE_OK;
    va_start(args, format);
    keep(format, args, cublasLtGetStatusString(status));
    va_end(args);
    cudaGetLastError();
    return status == CUBLAS_STATUS_ALLOC_FAILED ? GT_DEVICE_NO_MEMORY : GT_DEVICE_FAILED;
}

/* cuSOLVER has no texts. */
static const char *solver_text(cusolverStatus_t status)
{
    switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
        return "cuSOLVER is not initialised";
    case CUSOLVER_STATUS_ALLOC_FAILED:
        return "out of memory";
    case CUSOLVER_STATUS_INVALID_VALUE:
        return "invalid value";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
        return "GPU not supported";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
        return "execution failed";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
        return "internal error";
    default:
        return NULL;
    }
}

int gt_cuda_check_solver(cusolverStatus_t status, const char *format, ...)
{
    char number[40];
    const char *text = solver_text(status);
    va_list args;
    if (status == CUSOLVER_STATUS_SUCCESS)
        return GT_DEVICE_OK;
    snprintf(number, sizeof number, "cuSOLVER status %d", (int)status);
    va_start(args, format);
    keep(format, args, text ? text : number);
    va_end(args);
    cudaGetLastError();
    return status == CUSOLVER_STATUS_ALLOC_FAILED ? GT_DEVICE_NO_MEMORY : GT_DEVICE_FAILED;
}
