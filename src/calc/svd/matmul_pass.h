/* Passes over a plain array M, rows x columns, that multiply it by narrow matrices.
 *
 * Narrow matrices are double, row major, with `width` columns, a multiple of GT_NARROW, 64-byte aligned.  Each result is a single
 * sum in array order, so results do not depend on chunks, blocks, threads, memory and kernels.  On a device, products of small integers
 * have the same bits, and others those of calc/svd/matmul_pass_device.h.
 *
 * Blocks are read as stored; tiles are converted to double when they are multiplied. */
#ifndef GT_CALC_ARRAY_PASS_H
#define GT_CALC_ARRAY_PASS_H

#include <stdatomic.h>

#include "arrays/matrix/matrix.h"
#include "calc/svd/chunk_pin.h"
#include "calc/svd/sketch_device.h"
#include "calc/svd/small_int_rows.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

struct gt_matmul_on_device;

struct gt_array_pass {
    struct gt_engine *engine;
    struct gt_matrix *matrix;     /* opened without a cast, two axes; borrowed */
    bool turned;                  /* M is the transpose of the array named by the user; for messages and means */
    bool mean;                    /* NaN is replaced by the column mean of the named array; else it is an error */
    bool center;                  /* subtract the column means of the named array */
    int64_t memory;               /* memory of blocks */
    int64_t passes;               /* passes started so far */
    struct gt_pinned_chunks kept; /* cached blocks; its memory 0 = all blocks are read again */
    bool whole;                   /* all values are 0, 1 or 2 as far as known: see calc/svd/matmul_pass_int.h */
    struct gt_array_codes codes;  /* then used as the cache */
    struct gt_device *device;     /* where products are made; NULL: the cpu */
    /* private: */
    bool looked;                    /* all values were checked: none is infinite, and none NaN without `mean` */
    atomic_int largest;             /* exponent of the largest float64 value, until all were checked */
    int exponent;                   /* M is the array times 2^-exponent; 0 unless all values are far from 1 */
    bool rescaled;                  /* the exponent was determined in this pass */
    struct gt_buf means;            /* with `center`, or if values are missing: double, one per column of the named array; then, per column,
                                     * its rounding error, which matters if the mean is far larger than the spread */
    int64_t missing;                /* number of NaN values; known once all were checked */
    struct gt_matmul_on_device *on; /* of the device: for values, */
    struct gt_svd_on_device *codes_on; /* and for small integers */
};

/* Ends a first pass, in which all values were checked.  GT_INPUT with pass->rescaled if squares, or their squares, could overflow or
 * underflow: later passes use M times 2^-exponent, and results so far must be computed again. */
int gt_array_pass_looked(struct gt_array_pass *pass, struct gt_err *err);

/* Products to compute in a pass; P is rows x width. */
struct gt_array_products {
    int64_t width;
    double *right;             /* columns x width: P = M right; NULL: P is given in left */
    double *left;              /* P; NULL: P is not stored */
    double *sum;               /* columns x width: sum += M'P; NULL: not needed */
    int right_bits, left_bits; /* of `whole`: sufficient bits of the operand; 0: full double, or full P */
    /* Receives rows [first, first + n) of P in order; may be NULL; not with `whole`. */
    int (*rows)(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err);
    void *ctx;
};

/* GT_INPUT for a value that is not a number, with its position; also as documented at gt_array_pass_looked and in
 * calc/svd/matmul_pass_int.h. */
int gt_array_pass_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err);
void gt_array_pass_release(struct gt_array_pass *pass);
/* Not all values are 0, 1 or 2, or not by their codes from now on: `whole` ends. */
void gt_array_pass_leave_codes(struct gt_array_pass *pass);

/* Maximum rows of a block: depends on the shape; chunks and memory may reduce it. */
int64_t gt_array_pass_rows(const struct gt_matrix_info *info);
/* Memory of a block in progress, for products of that width. */
int64_t gt_array_pass_bytes(const struct gt_array_pass *pass, int64_t width);

/* Flow stages of a multiplication (core/engine/flow.h); part: a group of columns of M'P. */
struct gt_array_stages {
    size_t item_size;
    int (*read)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*work)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*part)(void *ctx, int64_t task, int64_t part, void *item, struct gt_err *err);
    void (*release)(void *ctx, void *item);
    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err);
};

/* Columns of such a group, a multiple of `tile`: a few groups per thread. */
int64_t gt_array_row_group(const struct gt_array_pass *pass, int64_t tile);
/* Runs all blocks through the stages within the memory of the pass, task_bytes per block; row_group: columns of a part, 0: no parts.
 * Returns their errors. */
int gt_array_flow(const struct gt_array_pass *pass, const struct gt_array_stages *stages, int64_t row_group, int64_t task_bytes, void *ctx,
                  struct gt_err *err);

/* With `mean` (float arrays) or `center`: computes the means in a pass.  GT_INPUT for a column of
 * NaN. */
int gt_array_means(struct gt_array_pass *pass, struct gt_err *err);
int64_t gt_array_means_bytes(const struct gt_array_pass *pass); /* memory needed for that */

/* Rows [row, row + n) and columns [column, column + width) of a block. */
struct gt_array_box {
    int64_t row, n, column, width;
};

/* Copies a box to out, n x width, rows `lead` numbers apart.  GT_INPUT for a value that is not finite, unless it is NaN and there are
 * means. */
int gt_array_tile(struct gt_array_pass *pass, const struct gt_matrix_block *block, const struct gt_array_box *box, double *out,
                  int64_t lead, struct gt_err *err);

#endif
