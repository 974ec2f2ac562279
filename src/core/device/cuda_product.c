/* Matrix products by cuBLASLt.  It takes matrices by columns: c by rows is c' = b' a' by columns. */
#include "core/device/cuda_impl.cuh"

#include <stdbool.h>
#include <stdlib.h>

static const size_t blas_bytes = GT_CUDA_BLAS_BYTES;

struct product {
    cudaDataType_t type, result; /* of the operands; of c, alpha and beta */
    cublasComputeType_t compute;
    cublasOperation_t ta, tb;
    int64_t m, n, k, lda, ldb, ldc; /* by columns: c is [m, n] */
    const void *a, *b, *alpha, *beta;
    void *c;
};

/* cuBLASLt's descriptions of a product. */
struct plan {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
};

static int check(cublasStatus_t status, const struct product *p)
{
    return gt_cuda_check_blas(status, "product of %lld x %lld and %lld x %lld", (long long)p->n, (long long)p->k, (long long)p->k,
                              (long long)p->m);
}

static cublasStatus_t describe(struct plan *plan, const struct product *p)
{
    const bool ta = p->ta == CUBLAS_OP_T, tb = p->tb == CUBLAS_OP_T;
    cublasStatus_t status = cublasLtMatmulDescCreate(&plan->desc, p->compute, p->result);
    status = status ? status : cublasLtMatmulDescSetAttribute(plan->desc, CUBLASLT_MATMUL_DESC_TRANSA, &p->ta, sizeof p->ta);
    status = status ? status : cublasLtMatmulDescSetAttribute(plan->desc, CUBLASLT_MATMUL_DESC_TRANSB, &p->tb, sizeof p->tb);
    status = status ? status : cublasLtMatrixLayoutCreate(&plan->a, p->type, ta ? p->k : p->m, ta ? p->m : p->k, p->lda);
    status = status ? status : cublasLtMatrixLayoutCreate(&plan->b, p->type, tb ? p->n : p->k, tb ? p->k : p->n, p->ldb);
    return status ? status : cublasLtMatrixLayoutCreate(&plan->c, p->result, p->m, p->n, p->ldc);
}

/* No sums in place: in those, parts of a sum may be added in the order in which they are done. */
static cublasStatus_t choose(struct plan *plan, const struct gt_stream *stream)
{
    const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    int n = 0;
    cublasStatus_t status = cublasLtMatmulPreferenceCreate(&plan->preference);
    status = status ? status
                    : cublasLtMatmulPreferenceSetAttribute(plan->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &blas_bytes,
                                                           sizeof blas_bytes);
    status = status ? status
                    : cublasLtMatmulPreferenceSetAttribute(plan->preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes,
                                                           sizeof schemes);
    status = status ? status
                    : cublasLtMatmulAlgoGetHeuristic(stream->device->blas, plan->desc, plan->a, plan->b, plan->c, plan->c, plan->preference,
                                                     1, &plan->found, &n);
    return status || n ? status : CUBLAS_STATUS_NOT_SUPPORTED;
}

static void free_plan(struct plan *plan)
{
    if (plan->preference)
        cublasLtMatmulPreferenceDestroy(plan->preference);
    if (plan->c)
        cublasLtMatrixLayoutDestroy(plan->c);
    if (plan->b)
        cublasLtMatrixLayoutDestroy(plan->b);
    if (plan->a)
        cublasLtMatrixLayoutDestroy(plan->a);
    if (plan->desc)
        cublasLtMatmulDescDestroy(plan->desc);
}

static int prepare(struct gt_stream *stream)
{
    int code = gt_cuda_check(cudaSetDevice(stream->device->index), "cannot use GPU %d", stream->device->index);
    if (!code && !stream->blas_memory)
        code = gt_cuda_check(cudaMalloc(&stream->blas_memory, blas_bytes), "cannot allocate %zu bytes for products", blas_bytes);
    return code;
}

static int run(struct gt_stream *stream, const struct product *p, const struct plan *plan)
{
    const char *kind = p->type == CUDA_R_8I ? "int8 product" : p->type == CUDA_R_32F ? "float32 product" : "float64 product";
    int code = gt_cuda_log_begin(stream, kind, 0);
    code = code ? code
                : check(cublasLtMatmul(stream->device->blas, plan->desc, p->alpha, p->a, plan->a, p->b, plan->b, p->beta, p->c, plan->c,
                                       p->c, plan->c, &plan->found.algo, stream->blas_memory, blas_bytes, stream->stream),
                        p);
    return gt_cuda_log_end(stream, code);
}

static int multiply(struct gt_stream *stream, const struct product *p)
{
    struct plan plan = {0};
    int code = prepare(stream);
    if (code)
        return code;
    cublasStatus_t status = describe(&plan, p);
    status = status ? status : choose(&plan, stream);
    code = check(status, p);
    code = code ? code : run(stream, p, &plan);
    free_plan(&plan);
    return code;
}

/* A product of no terms: c by rows becomes zeros. */
static int clear(struct gt_stream *stream, int64_t m, int64_t n, void *c, int64_t ldc, size_t item)
{
    int code = gt_cuda_check(cudaSetDevice(stream->device->index), "cannot use GPU %d", stream->device->index);
    if (code)
        return code;
    code = gt_cuda_log_begin(stream, "clear", (size_t)m * (size_t)n * item);
    code = code ? code
                : gt_cuda_check(cudaMemset2DAsync(c, (size_t)ldc * item, 0, (size_t)n * item, (size_t)m, stream->stream),
                                "cannot clear %lld x %lld items", (long long)m, (long long)n);
    return gt_cuda_log_end(stream, code);
}

/* The rules of int8 tensor cores: the first operand transposed, the second not, sizes in multiples of 4; 16 is faster. */
int gt_cuda_igemm(struct gt_stream *stream, int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda, const int8_t *b, int64_t ldb,
                  int32_t *c, int64_t ldc, int accumulate)
{
    const int32_t one = 1, beta = accumulate != 0;
    const struct product p = {.type = CUDA_R_8I,
                              .result = CUDA_R_32I,
                              .compute = CUBLAS_COMPUTE_32I,
                              .ta = CUBLAS_OP_T,
                              .tb = CUBLAS_OP_N,
                              .m = n,
                              .n = m,
                              .k = k,
                              .a = b,
                              .lda = ldb,
                              .b = a,
                              .ldb = lda,
                              .c = c,
                              .ldc = ldc,
                              .alpha = &one,
                              .beta = &beta};
    if ((m | n | k | lda | ldb | ldc | (int64_t)(intptr_t)a | (int64_t)(intptr_t)b | (int64_t)(intptr_t)c) % 16)
        return gt_cuda_fail(GT_DEVICE_FAILED, "igemm: sizes and addresses are not multiples of 16");
    if (!m || !n || (!k && accumulate))
        return GT_DEVICE_OK;
    return k ? multiply(stream, &p) : clear(stream, m, n, c, ldc, sizeof *c);
}

int gt_cuda_fgemm(struct gt_stream *stream, enum gt_device_float type, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,
                  const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc)
{
    const bool single = type == GT_DEVICE_F32;
    const float alpha32 = (float)alpha, beta32 = (float)beta;
    const struct product p = {.type = single ? CUDA_R_32F : CUDA_R_64F,
                              .result = single ? CUDA_R_32F : CUDA_R_64F,
                              .compute = single ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                              .ta = tb ? CUBLAS_OP_T : CUBLAS_OP_N,
                              .tb = ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                              .m = n,
                              .n = m,
                              .k = k,
                              .a = b,
                              .lda = ldb,
                              .b = a,
                              .ldb = lda,
                              .c = c,
                              .ldc = ldc,
                              .alpha = single ? (const void *)&alpha32 : &alpha,
                              .beta = single ? (const void *)&beta32 : &beta};
    if (!m || !n || (!k && beta == 1))
        return GT_DEVICE_OK;
    if (!k && beta != 0)
        return gt_cuda_fail(GT_DEVICE_FAILED, "fgemm: a product of no terms with beta %g", beta);
    return k ? multiply(stream, &p) : clear(stream, m, n, c, ldc, single ? sizeof(float) : sizeof(double));
}
