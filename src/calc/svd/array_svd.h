/* Singular values and vectors of a plain array: A = U diag(s) V, V by rows.
 *
 * The array is read by the longer of its axes, as often as the plan says, and need not stand in
 * memory.  The bits of the result do not depend on chunks, blocks, threads, memory and
 * kernels, but LAPACK's on the cpu. */
#ifndef GT_CALC_SVD_ARRAY_H
#define GT_CALC_SVD_ARRAY_H

#include "calc/svd/matmul_pass.h"

enum gt_svd_array_way {
    GT_SVD_ARRAY_AUTO,
    GT_SVD_ARRAY_KRYLOV,     /* block Krylov iteration on A'A, to a residual */
    GT_SVD_ARRAY_COMPRESSED, /* random projection, as dask.array.linalg.svd_compressed (Halko, Martinsson, Tropp 2011) */
    GT_SVD_ARRAY_TSQR,       /* exact: QR of blocks of rows (Benson, Gleich, Demmel 2013), as dask.array.linalg.svd */
};

struct gt_svd_array_opts {
    int64_t k; /* singular values; 0: all of TSQR, else 10, or as many as there are */
    enum gt_svd_array_way way;
    bool mean;          /* NaN counts as the mean of its column; else it is an error */
    bool center;        /* A is the array less the means of its columns */
    double tol;         /* of KRYLOV, as passes; see calc/krylov.h */
    int64_t passes;     /* at most */
    int64_t oversample; /* columns beyond k, at least; below 0: 10 of COMPRESSED, 6 of KRYLOV */
    int64_t power;      /* of COMPRESSED: power iterations */
    bool qr;            /* ... of which each product is made orthonormal */
    bool verify;        /* of COMPRESSED: residuals are computed, in one more pass, for `tol` */
    uint64_t seed;
    struct gt_matrix *sketch;    /* of COMPRESSED: what A is multiplied with first, cast to GT_F64; NULL: random numbers */
    enum gt_svd_array_way tuned; /* whose options were given; AUTO: none's */
};

enum { GT_SVD_ARRAY_READING, GT_SVD_ARRAY_BLOCKS, GT_SVD_ARRAY_NARROW, GT_SVD_ARRAY_VALUES, GT_SVD_ARRAY_ALLOTMENTS };

struct gt_svd_array_plan {
    enum gt_svd_array_way way;
    const char *why;       /* static text */
    int64_t rows, columns; /* of A */
    bool turned;           /* A' is what is read */
    bool whole;            /* if all numbers are 0, 1 and 2 they stay in memory as two bits each, and are multiplied so */
    int64_t k;
    int64_t level;  /* of COMPRESSED: columns of the projection */
    int64_t width;  /* of narrow matrices */
    int64_t passes; /* over the array, at most */
    bool kept;      /* all values stay in memory between passes */
    struct gt_allotment allotment[GT_SVD_ARRAY_ALLOTMENTS];
};

/* Takes the vectors: n of them from `first` on of U's rows (u) or V's columns, k numbers each, `lead`
 * apart.  Each side comes in order, whole. */
struct gt_svd_array_sink {
    int (*rows)(struct gt_svd_array_sink *sink, bool u, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *err);
};

struct gt_svd_array_result {
    struct gt_buf values; /* double [k], largest first */
    int64_t rank;         /* of the k, those above what rounding makes of 0: max(rows, columns) eps times the largest */
    int64_t passes;
    int64_t missing; /* values that were replaced by means */
    /* max(|A v - s u|, |A'u - s v|) / s of each component, computed from the array in the last pass, with what rounding adds to it;
     * NaN where s is 0.  Of KRYLOV, and of COMPRESSED with `verify`; else empty. */
    struct gt_buf residuals; /* double [k] */
    double level_u;          /* ... and the square of the cosine between the first column of U and a constant one */
};

/* May transpose the matrix, which has two axes and was opened without a cast.  GT_USAGE for what the
 * shape does not allow; GT_NOFIT, as gt_memory_plan_fit says. */
int gt_svd_array_plan(struct gt_svd_array_plan *plan, struct gt_engine *engine, struct gt_matrix *matrix,
                      const struct gt_svd_array_opts *opts, struct gt_err *err);
/* Released also after a failure. */
int gt_svd_array_run(struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_svd_array_plan *plan,
                     const struct gt_svd_array_opts *opts, struct gt_svd_array_sink *sink, struct gt_svd_array_result *result,
                     struct gt_err *err);
void gt_svd_array_release(struct gt_svd_array_result *result);

#endif
