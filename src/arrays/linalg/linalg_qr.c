/* Orthogonal factors: QR and singular values. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg_internal.h"
#include "core/engine/memory_plan.h"

/* Columns that LAPACK takes at once. */
enum { STEP = 32 };

static bool is_finite(const double *a, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * 0;
    return sum == 0;
}

static int not_done(const char *what, int64_t n, lapack_int info, struct gt_err *err)
{
    return gt_fail(err, GT_FAIL, "LAPACK found no %s of a matrix of %lld columns (%d)", what, (long long)n, (int)info);
}

/* --- QR --------------------------------------------------------------------------- */

int64_t gt_linalg_qr_bytes(int64_t columns)
{
    return gt_bytes_mul(gt_bytes_mul(columns, 2 * STEP + 1), (int64_t)sizeof(double));
}

static void take_triangle(int64_t n, const double *a, int64_t lead, double *r)
{
    memset(r, 0, (size_t)(n * n) * sizeof *r);
    for (int64_t j = 0; j < n; j++)
        memcpy(r + j * n, a + j * lead, (size_t)(j + 1) * sizeof *r);
}

int gt_linalg_qr(int64_t rows, int64_t columns, double *a, int64_t lead, double *r, bool only_r, struct gt_budget *budget,
                 struct gt_err *err)
{
    const lapack_int m = (lapack_int)rows, n = (lapack_int)columns, work = (lapack_int)(columns * STEP);
    struct gt_buf scratch = {.budget = budget};
    int status = columns ? gt_buf_resize(&scratch, (size_t)gt_linalg_qr_bytes(columns), err) : GT_OK;
    if (status || !columns)
        return status;
    double *tau = (double *)(void *)scratch.data;
    gt_linalg_enter();
    lapack_int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, a, (lapack_int)lead, tau, tau + n, work);
    if (!info)
        take_triangle(columns, a, lead, r);
    if (!info && !only_r)
        info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, n, n, a, (lapack_int)lead, tau, tau + n, work);
    gt_linalg_leave();
    gt_buf_release(&scratch);
    return info ? not_done("orthonormal factor", columns, info, err) : GT_OK;
}

int gt_linalg_qr_triangles(int64_t n, double *r, double *below, struct gt_budget *budget, struct gt_err *err)
{
    const lapack_int step = n < STEP ? (lapack_int)n : STEP;
    struct gt_buf scratch = {.budget = budget};
    int status = gt_buf_resize(&scratch, (size_t)(2 * n * step) * sizeof(double), err);
    if (status || !n)
        return status;
    double *t = (double *)(void *)scratch.data;
    gt_linalg_enter();
    lapack_int info = LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, (lapack_int)n, step, r, (lapack_int)n, below,
                                          (lapack_int)n, t, step, t + n * step);
    gt_linalg_leave();
    gt_buf_release(&scratch);
    return info ? not_done("common triangle", n, info, err) : GT_OK;
}

/* As columns of the transpose, r'^-1 b'. */
void gt_linalg_solve_upper_turned(int64_t rows, int64_t n, const double *r, int64_t r_lead, double *b, int64_t b_lead)
{
    if (rows == 0 || n == 0)
        return;
    gt_linalg_enter();
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, (int)n, (int)rows, 1, r, (int)r_lead, b, (int)b_lead);
    gt_linalg_leave();
}

/* --- singular values ---------------------------------------------------------------- */

/* What dgesdd wants for square matrices, and blocks of STEP columns. */
static int64_t svd_work(int64_t n)
{
    return gt_bytes_add(gt_bytes_mul(4 * n, n), gt_bytes_mul(7 + 2 * STEP, n));
}

int64_t gt_linalg_svd_bytes(int64_t n)
{
    return gt_bytes_add(gt_bytes_mul(svd_work(n), (int64_t)sizeof(double)), gt_bytes_mul(8 * n, (int64_t)sizeof(lapack_int)));
}

int gt_linalg_svd(int64_t n, double *a, double *values, double *u, double *vt, struct gt_budget *budget, struct gt_err *err)
{
    const lapack_int side = (lapack_int)n;
    struct gt_buf scratch = {.budget = budget};
    if (!is_finite(a, n * n))
        return gt_fail(err, GT_INPUT, "a matrix of %lld columns has values that are not finite", (long long)n);
    int status = n ? gt_buf_resize(&scratch, (size_t)gt_linalg_svd_bytes(n), err) : GT_OK;
    if (status || !n)
        return status;
    double *work = (double *)(void *)scratch.data;
    gt_linalg_enter();
    lapack_int info =
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', side, side, a, side, values, u, side, vt, side, work,
                            (lapack_int)(svd_work(n) < INT32_MAX ? svd_work(n) : INT32_MAX), (lapack_int *)(void *)(work + svd_work(n)));
    gt_linalg_leave();
    gt_buf_release(&scratch);
    return info ? not_done("singular values", n, info, err) : GT_OK;
}
