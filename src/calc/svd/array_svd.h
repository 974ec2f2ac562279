/* Singular values and vectors of a plain array: A = U diag(s) V, V by rows.
 *
 * The array is read along its longer axis, in as many passes as the plan says, and need not fit in memory.  Results do not depend on
 * chunks, blocks, threads and memory, and except for LAPACK not on kernels.  On a device, float64 products and QRs are rounded
 * otherwise. */
#ifndef GT_CALC_SVD_ARRAY_H
#define GT_CALC_SVD_ARRAY_H

#include "calc/svd/matmul_pass.h"
#include "core/device/device_work.h"

enum gt_svd_array_way {
    GT_SVD_ARRAY_AUTO,
    GT_SVD_ARRAY_KRYLOV,     /* block Krylov iteration on A'A, until the residual is below tol */
    GT_SVD_ARRAY_COMPRESSED, /* random projection, as dask.array.linalg.svd_compressed (Halko, Martinsson, Tropp 2011) */
    GT_SVD_ARRAY_TSQR,       /* exact: QR of blocks of rows (Benson, Gleich, Demmel 2013), as dask.array.linalg.svd */
};

struct gt_svd_array_opts {
    int64_t k; /* number of singular values; 0: all for TSQR, else at most 10 */
    enum gt_svd_array_way way;
    bool mean;          /* NaN is replaced by the mean of its column; else it is an error */
    bool center;        /* subtract the column means */
    double tol;         /* of KRYLOV, like passes; see arrays/linalg/krylov.h */
    int64_t passes;     /* maximum */
    int64_t oversample; /* minimum columns beyond k; negative: 10 for COMPRESSED, 6 for KRYLOV */
    int64_t power;      /* of COMPRESSED: power iterations */
    bool qr;            /* ... with orthonormalisation after each product */
    bool verify;        /* of COMPRESSED: compute residuals in another pass, for `tol` */
    uint64_t seed;
    struct gt_matrix *sketch;    /* of COMPRESSED: the initial projection, cast to GT_F64; NULL: random numbers */
    struct gt_device *device;    /* open: where products and QRs of blocks are computed; NULL: the cpu */
    enum gt_svd_array_way tuned; /* algorithm whose options were given; AUTO: none */
};

enum { GT_SVD_ARRAY_READING, GT_SVD_ARRAY_BLOCKS, GT_SVD_ARRAY_NARROW, GT_SVD_ARRAY_VALUES, GT_SVD_ARRAY_ALLOTMENTS };

struct gt_svd_array_plan {
    enum gt_svd_array_way way;
    const char *why;       /* static text */
    int64_t rows, columns; /* of A */
    bool turned;           /* the transpose A' is read */
    bool whole;            /* if all values are 0, 1 or 2 they are cached as two bits each, with integer products */
    int64_t k;
    int64_t level;            /* of COMPRESSED: columns of the projection */
    int64_t width;            /* of narrow matrices */
    int64_t passes;           /* maximum number of passes over the array */
    bool copied;              /* values are cached between passes in stored form, as many as fit; else only as codes of two bits */
    bool kept;                /* all values are cached between passes */
    struct gt_device *device; /* NULL: the cpu */
    int64_t device_bytes;     /* of its memory, without what stays there between passes */
    struct gt_allotment allotment[GT_SVD_ARRAY_ALLOTMENTS];
};

/* Receives singular vectors: n rows of U (u) or columns of V from `first`, k numbers each, `lead` apart.  Each side is delivered
 * completely and in order. */
struct gt_svd_array_sink {
    int (*rows)(struct gt_svd_array_sink *sink, bool u, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *err);
};

struct gt_svd_array_result {
    struct gt_buf values; /* double [k], descending */
    int64_t rank;         /* number of the k above rounding error: max(rows, columns) eps times the largest */
    int64_t passes;
    int64_t missing; /* values replaced by means */
    /* max(|A v - s u|, |A'u - s v|) / s per component, computed from the array in the last pass, including rounding errors; NaN
     * beyond the rank.  Of KRYLOV, and of COMPRESSED with `verify`; else empty. */
    struct gt_buf residuals; /* double [k] */
    double level_u;          /* squared cosine between the first column of U and a constant vector */
};

/* What the work would take of a device, of a matrix with two axes. */
struct gt_device_work gt_svd_array_device_work(const struct gt_matrix_info *info, const struct gt_svd_array_opts *opts, int threads);

/* The matrix has two axes and was opened without a cast; it may be transposed.  GT_USAGE if the shape does not allow the options;
 * GT_NOFIT, see gt_memory_plan_fit and gt_device_check_room: then it may be planned again, with other options. */
int gt_svd_array_plan(struct gt_svd_array_plan *plan, struct gt_engine *engine, struct gt_matrix *matrix,
                      const struct gt_svd_array_opts *opts, struct gt_err *err);
/* Release the result also after a failure. */
int gt_svd_array_run(struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_svd_array_plan *plan,
                     const struct gt_svd_array_opts *opts, struct gt_svd_array_sink *sink, struct gt_svd_array_result *result,
                     struct gt_err *err);
void gt_svd_array_release(struct gt_svd_array_result *result);

#endif
