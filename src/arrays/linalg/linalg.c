#include "arrays/linalg/linalg_internal.h"

#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/engine/memory_plan.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Builds of OpenBLAS with threads would use them: their number changes results. */
static void no_threads(void)
{
    openblas_set_num_threads(1);
}

/* Builds without threads may not be safe to be called from several. */
void gt_linalg_enter(void)
{
    pthread_once(&once, no_threads);
    pthread_mutex_lock(&lock);
}

void gt_linalg_leave(void)
{
    pthread_mutex_unlock(&lock);
}

static CBLAS_TRANSPOSE side(const struct gt_matrix_ref *m)
{
    return m->transposed ? CblasTrans : CblasNoTrans;
}

void gt_linalg_product(int64_t rows, int64_t columns, int64_t inner, const struct gt_matrix_ref *a, const struct gt_matrix_ref *b,
                       double keep, double *c, int64_t lead)
{
    if (rows == 0 || columns == 0)
        return;
    gt_linalg_enter();
    cblas_dgemm(CblasColMajor, side(a), side(b), (int)rows, (int)columns, (int)inner, 1, a->a, (int)a->lead, b->a, (int)b->lead, keep, c,
                (int)lead);
    gt_linalg_leave();
}

/* --- eigenvalues ------------------------------------------------------------------- */

/* What LAPACK wants in addition to the matrix, as dsyevr says. */
enum { WORK = 26 + 64, INTEGERS = 10 + 2 };

int64_t gt_linalg_eigen_bytes(int64_t n, int64_t k)
{
    int64_t row = gt_bytes_mul((int64_t)sizeof(double), gt_bytes_add(WORK + 1, k));
    return gt_bytes_mul(n, gt_bytes_add(row, INTEGERS * (int64_t)sizeof(lapack_int)));
}

static bool is_finite(int64_t n, const double *a, int64_t lead)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            sum += a[i + j * lead] * 0;
    return sum == 0;
}

/* They come with the smallest first. */
static void turn_round(int64_t n, int64_t k, const double *found, const double *from, double *values, double *vectors)
{
    for (int64_t j = 0; j < k; j++) {
        values[j] = found[k - 1 - j];
        if (vectors)
            memcpy(vectors + j * n, from + (k - 1 - j) * n, (size_t)n * sizeof *from);
    }
}

static int solve(int64_t n, double *a, int64_t lead, int64_t k, double *values, double *vectors, double *scratch, struct gt_err *err)
{
    double *found = scratch, *work = found + n, *from = work + WORK * n;
    lapack_int *isuppz = (lapack_int *)(void *)(from + n * k), *iwork = isuppz + 2 * n, m, info;
    gt_linalg_enter();
    info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'I', 'L', (lapack_int)n, a, (lapack_int)lead, 0, 0,
                               (lapack_int)(n - k + 1), (lapack_int)n, 0, &m, found, from, (lapack_int)n, isuppz, work,
                               (lapack_int)(WORK * n), iwork, (lapack_int)(10 * n));
    gt_linalg_leave();
    if (info)
        return gt_fail(err, GT_FAIL, "LAPACK found no eigenvalues of a matrix of %lld rows (%d)", (long long)n, (int)info);
    turn_round(n, k, found, from, values, vectors);
    return GT_OK;
}

int gt_linalg_eigen(int64_t n, double *a, int64_t lead, int64_t k, double *values, double *vectors, struct gt_budget *budget,
                    struct gt_err *err)
{
    struct gt_buf scratch = {.budget = budget};
    if (!k)
        return GT_OK;
    if (!is_finite(n, a, lead))
        return gt_fail(err, GT_INPUT, "a matrix of %lld rows has values that are not finite", (long long)n);
    int status = gt_buf_resize(&scratch, (size_t)gt_linalg_eigen_bytes(n, k), err);
    if (!status)
        status = solve(n, a, lead, k, values, vectors, (double *)(void *)scratch.data, err);
    gt_buf_release(&scratch);
    return status;
}

/* --- triangles ------------------------------------------------------------------------ */

int gt_linalg_cholesky(int64_t n, double *a, int64_t lead, struct gt_err *err)
{
    gt_linalg_enter();
    lapack_int info = n ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, a, (lapack_int)lead) : 0;
    gt_linalg_leave();
    return info ? gt_fail(err, GT_INPUT, "a matrix of %lld rows is not positive definite", (long long)n) : GT_OK;
}

void gt_linalg_solve_lower(int64_t n, int64_t columns, const double *l, int64_t l_lead, double *b, int64_t b_lead)
{
    if (n == 0 || columns == 0)
        return;
    gt_linalg_enter();
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)columns, 1, l, (int)l_lead, b, (int)b_lead);
    gt_linalg_leave();
}
