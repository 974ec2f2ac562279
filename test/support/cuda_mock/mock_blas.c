/* libcublasLt: products by their definition, with the rules of int8 tensor cores for matrices in regular order. */
#include "mock.h"

#include <cublasLt.h>
#include <stdio.h>
#include <string.h>

/* What the descriptors of cuBLASLt hold here. */
struct desc {
    cublasComputeType_t compute;
    cudaDataType_t scale;
    int32_t ta, tb;
};
struct layout {
    cudaDataType_t type;
    int64_t rows, columns, ld;
};
struct preference {
    uint64_t workspace;
    uint32_t schemes;
};

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    cublasStatus_t status = mock_enter(__func__, "%s", "") || mock_lost() ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
    if (!status)
        *handle = mock_object_new("cublasLt handle", 1);
    mock_leave();
    return status;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("cublasLt handle", handle);
    mock_leave();
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED      ? "the requested functionality is not supported"
           : status == CUBLAS_STATUS_ALLOC_FAILED     ? "the resource allocation failed"
           : status == CUBLAS_STATUS_EXECUTION_FAILED ? "the function failed to launch on the GPU"
                                                      : "another cuBLASLt error";
}

/* --- descriptors ---------------------------------------------------------------------------------------- */

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made, cublasComputeType_t compute, cudaDataType_t scale)
{
    cublasStatus_t status = mock_enter(__func__, "%d", (int)compute) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
    if (!status) {
        struct desc *desc = mock_object_new("product descriptor", sizeof *desc);
        *desc = (struct desc){compute, scale, CUBLAS_OP_N, CUBLAS_OP_N};
        *made = (void *)desc;
    }
    mock_leave();
    return status;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made, cublasLtMatmulDescAttributes_t which, const void *value,
                                              size_t bytes)
{
    cublasStatus_t status = mock_enter(__func__, "%d", (int)which) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
    struct desc *desc = (void *)made;
    const bool known = which == CUBLASLT_MATMUL_DESC_TRANSA || which == CUBLASLT_MATMUL_DESC_TRANSB;
    if (!known || bytes != sizeof(int32_t))
        mock_fault("%s: attribute %d of %zu bytes", __func__, (int)which, bytes);
    else if (mock_object_check("product descriptor", desc))
        memcpy(which == CUBLASLT_MATMUL_DESC_TRANSA ? &desc->ta : &desc->tb, value, bytes);
    mock_leave();
    return status;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("product descriptor", made);
    mock_leave();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld)
{
    cublasStatus_t status = mock_enter(__func__, "%llu x %llu, %lld", (unsigned long long)rows, (unsigned long long)columns, (long long)ld)
                                ? CUBLAS_STATUS_ALLOC_FAILED
                                : CUBLAS_STATUS_SUCCESS;
    if (ld < (int64_t)rows)
        mock_fault("%s: leading dimension %lld of %llu rows", __func__, (long long)ld, (unsigned long long)rows);
    if (!status) {
        struct layout *layout = mock_object_new("matrix layout", sizeof *layout);
        *layout = (struct layout){type, (int64_t)rows, (int64_t)columns, ld};
        *made = (void *)layout;
    }
    mock_leave();
    return status;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("matrix layout", made);
    mock_leave();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made)
{
    cublasStatus_t status = mock_enter(__func__, "%s", "") ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
    if (!status) {
        struct preference *preference = mock_object_new("preference", sizeof *preference);
        preference->schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
        *made = (void *)preference;
    }
    mock_leave();
    return status;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t made, cublasLtMatmulPreferenceAttributes_t which,
                                                    const void *value, size_t bytes)
{
    cublasStatus_t status = mock_enter(__func__, "%d", (int)which) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
    struct preference *preference = (void *)made;
    if (!mock_object_check("preference", preference))
        status = CUBLAS_STATUS_INVALID_VALUE;
    else if (which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof preference->workspace)
        memcpy(&preference->workspace, value, bytes);
    else if (which == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK && bytes == sizeof preference->schemes)
        memcpy(&preference->schemes, value, bytes);
    else
        mock_fault("%s: attribute %d of %zu bytes", __func__, (int)which, bytes);
    mock_leave();
    return status;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made)
{
    mock_enter(__func__, "%s", "");
    mock_object_free("preference", made);
    mock_leave();
    return CUBLAS_STATUS_SUCCESS;
}

/* --- products ------------------------------------------------------------------------------------------- */

struct product {
    struct desc desc;
    struct layout a, b, c;
    int64_t m, n, k;
    double alpha, beta;
    const void *at_a, *at_b;
    void *at_c;
};

static const char *wrong_int8(const struct product *p)
{
    if (p->desc.compute != CUBLAS_COMPUTE_32I || p->desc.scale != CUDA_R_32I || p->b.type != CUDA_R_8I || p->c.type != CUDA_R_32I)
        return "types";
    if (p->desc.ta != CUBLAS_OP_T || p->desc.tb != CUBLAS_OP_N)
        return "form is not TN";
    if (p->a.ld % 4 || p->b.ld % 4 || p->c.ld % 4 || p->m % 4 || p->k % 4)
        return "sizes are no multiples of 4";
    return NULL;
}

static const char *wrong(const struct product *p)
{
    const bool ta = p->desc.ta == CUBLAS_OP_T, tb = p->desc.tb == CUBLAS_OP_T;
    if ((tb ? p->b.columns : p->b.rows) != p->k || (ta ? p->a.columns : p->a.rows) != p->m || (tb ? p->b.rows : p->b.columns) != p->n)
        return "shapes";
    if (p->a.type == CUDA_R_8I)
        return wrong_int8(p);
    if (p->a.type != p->b.type || p->a.type != p->c.type || p->desc.scale != p->a.type)
        return "types";
    return p->desc.compute == (p->a.type == CUDA_R_32F ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F) ? NULL : "type of sums";
}

static bool get_product(struct product *p, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                        cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
    if (!mock_object_check("product descriptor", desc) || !mock_object_check("matrix layout", a) ||
        !mock_object_check("matrix layout", b) || !mock_object_check("matrix layout", c) || !mock_object_check("matrix layout", d))
        return false;
    memset(p, 0, sizeof *p);
    memcpy(&p->desc, desc, sizeof p->desc);
    memcpy(&p->a, a, sizeof p->a);
    memcpy(&p->b, b, sizeof p->b);
    memcpy(&p->c, c, sizeof p->c);
    p->m = p->c.rows;
    p->n = p->c.columns;
    p->k = p->desc.ta == CUBLAS_OP_T ? p->a.rows : p->a.columns;
    return true;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most, cublasLtMatmulHeuristicResult_t *found,
                                              int *n)
{
    struct product p;
    cublasStatus_t status = mock_enter(__func__, "%d", most) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    *n = 0;
    if (!mock_object_check("cublasLt handle", handle) || !mock_object_check("preference", preference) || !get_product(&p, desc, a, b, c, d))
        status = CUBLAS_STATUS_INVALID_VALUE;
    else if (wrong(&p)) {
        mock_fault("%s: %s", __func__, wrong(&p));
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    } else if (!status) {
        struct preference wanted;
        memcpy(&wanted, preference, sizeof wanted);
        if (wanted.schemes & CUBLASLT_REDUCTION_SCHEME_INPLACE)
            mock_fault("%s: sums in place are allowed", __func__);
        memset(found, 0, sizeof *found);
        found->workspaceSize = wanted.workspace;
        found->algo.data[0] = 42;
        *n = 1;
    }
    mock_leave();
    return status;
}

#define AT_A(p, i, t) ((p)->desc.ta == CUBLAS_OP_T ? (t) + (i) * (p)->a.ld : (i) + (t) * (p)->a.ld)
#define AT_B(p, t, j) ((p)->desc.tb == CUBLAS_OP_T ? (j) + (t) * (p)->b.ld : (t) + (j) * (p)->b.ld)

static void run_int8(const void *args)
{
    const struct product *p = args;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            const int8_t *a = (const int8_t *)p->at_a + i * p->a.ld, *b = (const int8_t *)p->at_b + j * p->b.ld;
            int32_t *c = (int32_t *)p->at_c + i + j * p->c.ld;
            uint32_t sum = 0;
            for (int64_t t = 0; t < p->k; t++)
                sum += (uint32_t)(a[t] * b[t]);
            *c = (int32_t)((uint32_t)(int32_t)p->alpha * sum + (p->beta != 0 ? (uint32_t)(int32_t)p->beta * (uint32_t)*c : 0));
        }
}

/* In the order of the host device, so that the bytes can be compared. */
#define RUN_FLOAT(type)                                                                                                                    \
    static void run_##type(const void *args)                                                                                               \
    {                                                                                                                                      \
        const struct product *p = args;                                                                                                    \
        const type *a = p->at_a, *b = p->at_b;                                                                                             \
        for (int64_t j = 0; j < p->n; j++)                                                                                                 \
            for (int64_t i = 0; i < p->m; i++) {                                                                                           \
                type *c = (type *)p->at_c + i + j * p->c.ld, sum = 0;                                                                      \
                for (int64_t t = 0; t < p->k; t++)                                                                                         \
                    sum += a[AT_A(p, i, t)] * b[AT_B(p, t, j)];                                                                            \
                *c = (type)p->alpha * sum + (p->beta != 0 ? (type)p->beta * *c : 0);                                                       \
            }                                                                                                                              \
    }
RUN_FLOAT(float)
RUN_FLOAT(double)

static double scalar(cudaDataType_t type, const void *at)
{
    return type == CUDA_R_32I ? *(const int32_t *)at : type == CUDA_R_32F ? (double)*(const float *)at : *(const double *)at;
}

static size_t item(const struct layout *layout)
{
    return layout->type == CUDA_R_8I ? 1 : layout->type == CUDA_R_64F ? 8 : 4;
}

static struct mock_range range_of(const struct layout *layout, const void *at)
{
    return (struct mock_range){at, (size_t)((layout->columns - 1) * layout->ld + layout->rows) * item(layout)};
}

static bool aligned(const void *a, const void *b, const void *c)
{
    return ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 4 == 0;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    struct product p = {0};
    bool failed = !get_product(&p, desc, a_layout, b_layout, c_layout, d_layout);
    cublasStatus_t status = mock_enter(__func__, "%lld %lld %lld type %d", (long long)p.m, (long long)p.n, (long long)p.k, (int)p.a.type)
                                ? CUBLAS_STATUS_EXECUTION_FAILED
                                : CUBLAS_STATUS_SUCCESS;
    if (!mock_object_check("cublasLt handle", handle) || failed || wrong(&p) || c != d || algo->data[0] != 42 || !aligned(a, b, c)) {
        mock_fault("%s: wrong arguments", __func__);
        status = CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!status) {
        p.alpha = scalar(p.desc.scale, alpha);
        p.beta = scalar(p.desc.scale, beta);
        p.at_a = a;
        p.at_b = b;
        p.at_c = d;
        const struct mock_range ranges[] = {range_of(&p.a, a), range_of(&p.b, b), range_of(&p.c, c), {workspace, workspace_bytes}};
        if (mock_enqueue(stream, __func__,
                         p.a.type == CUDA_R_8I    ? run_int8
                         : p.a.type == CUDA_R_32F ? run_float
                                                  : run_double,
                         &p, sizeof p, ranges, 4))
            status = CUBLAS_STATUS_EXECUTION_FAILED;
    }
    mock_leave();
    return status;
}
