/* The largest eigenvalues of a symmetric positive semidefinite matrix that is only multiplied with: block Krylov iteration
 * with full reorthogonalisation (Golub and Underwood 1977; Musco and Musco 2015).
 *
 * Each step multiplies a block of columns; what is new in the product becomes the next block of an orthonormal basis, and
 * the eigenproblem is solved in that basis.  A full basis is replaced by its best vectors (thick restart, Wu and Simon 2000),
 * so that memory is bounded.
 *
 * Rounding of the products and of the eigenproblem is about DBL_EPSILON times the largest eigenvalue.  Where that is too much
 * for a smaller eigenvalue, the vectors of the largest are iterated to that limit, locked and deflated, and the iteration
 * starts again orthogonally to them, where rounding is smaller.  It stops when nothing improves any more.
 *
 * The bits of the result depend on the operands alone. */
#ifndef GT_ARRAYS_LINALG_KRYLOV_H
#define GT_ARRAYS_LINALG_KRYLOV_H

#include "core/base/budget.h"

/* Matrices are column major, n rows. */
struct gt_krylov {
    int64_t n;           /* rows of the matrix */
    int64_t k;           /* eigenvalues wanted, at most width and n */
    int64_t width;       /* columns of a block */
    double tol;          /* converged when |A u - value u| <= tol value for all k */
    double zero;         /* eigenvalues below this proportion of the largest count as 0 and as converged */
    int64_t steps;       /* products at most */
    uint64_t seed;       /* of the first block */
    const double *start; /* the first block, n x width; NULL: random numbers */
    /* product = A columns, for `width` columns of length 1 (or 0: their product is not used). */
    int (*multiply)(void *ctx, const double *columns, double *product, struct gt_err *err);
    void *ctx;
    struct gt_budget *budget;
};

struct gt_krylov_result {
    int64_t found;         /* columns of vectors: width, or n where that is less; fewer only when steps end early */
    struct gt_buf vectors; /* double [found][n], orthonormal, largest value first; released by the caller */
    struct gt_buf values;  /* double [found]: estimates */
    double residual;       /* estimate of the largest |A u - value u| / value of the first k that are not 0 */
    int64_t steps;
};

/* Bytes that it takes of the budget, at most. */
int64_t gt_krylov_bytes(int64_t n, int64_t width);
/* result->vectors and values get the budget here.  Fails with what multiply returns, with GT_INPUT
 * when a product is not finite, or when memory does not suffice; the buffers of the result are
 * the caller's to release then too. */
int gt_krylov_solve(const struct gt_krylov *problem, struct gt_krylov_result *result, struct gt_err *err);

#endif
