/* Dense linear algebra in double precision, by OpenBLAS and LAPACK.
 *
 * Matrices are column major: entry (i, j) is a[i + j * lead], lead >= rows.  None has more
 * than INT_MAX rows or columns.
 *
 * All of it runs on the calling thread, and one call at a time in a process: others wait.
 * So the bits of a result depend on its operands and on the cpu, not on threads.  The
 * library itself takes up to GT_LINALG_BYTES of memory that no budget counts. */
#ifndef GT_CALC_LINALG_H
#define GT_CALC_LINALG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"

#define GT_LINALG_BYTES ((int64_t)32 << 20)

struct gt_matrix_ref {
    const double *a;
    int64_t lead;
    bool transposed; /* what is meant is the transpose of what stands there */
};

/* c = a b + keep c; c is rows by columns, a has `inner` columns and b `inner` rows. */
void gt_linalg_product(int64_t rows, int64_t columns, int64_t inner, const struct gt_matrix_ref *a, const struct gt_matrix_ref *b,
                       double keep, double *c, int64_t lead);

/* The k largest eigenvalues of a symmetric n x n matrix, the largest first, and their
 * vectors, n x k, of length 1; vectors may be NULL.  The lower triangle of a is read, and all
 * of that is overwritten.  0 <= k <= n.  GT_INPUT when a number is not finite,
 * GT_FAIL when LAPACK finds none, GT_NOFIT when the budget does not suffice. */
int gt_linalg_eigen(int64_t n, double *a, int64_t lead, int64_t k, double *values, double *vectors, struct gt_budget *budget,
                    struct gt_err *err);
/* Bytes that it takes of the budget, at most. */
int64_t gt_linalg_eigen_bytes(int64_t n, int64_t k);

/* a = L L' of a symmetric n x n matrix: the lower triangle is read and becomes L, the rest stays.
 * GT_INPUT when it is not positive definite. */
int gt_linalg_cholesky(int64_t n, double *a, int64_t lead, struct gt_err *err);
/* b, n x columns, becomes L^-1 b. */
void gt_linalg_solve_lower(int64_t n, int64_t columns, const double *l, int64_t l_lead, double *b, int64_t b_lead);

/* a = Q R of a rows x columns matrix, rows >= columns: a becomes Q, whose columns are orthonormal, or,
 * with only_r, is lost; r, columns x columns, becomes R, 0 below its diagonal. */
int gt_linalg_qr(int64_t rows, int64_t columns, double *a, int64_t lead, double *r, bool only_r, struct gt_budget *budget,
                 struct gt_err *err);
/* Bytes that it takes of the budget, at most. */
int64_t gt_linalg_qr_bytes(int64_t columns);
/* r becomes the R of r over `below`, two upper triangles of n x n, as lead n has them; below is lost. */
int gt_linalg_qr_triangles(int64_t n, double *r, double *below, struct gt_budget *budget, struct gt_err *err);

/* a = u diag(values) v', n x n, values largest first, u and v' n x n, lead n; a is lost.  GT_INPUT when a
 * number is not finite. */
int gt_linalg_svd(int64_t n, double *a, double *values, double *u, double *vt, struct gt_budget *budget, struct gt_err *err);
int64_t gt_linalg_svd_bytes(int64_t n);
/* b becomes b r^-1 for an upper triangle r; b, rows x n, is row major. */
void gt_linalg_solve_upper_turned(int64_t rows, int64_t n, const double *r, int64_t r_lead, double *b, int64_t b_lead);

#endif
