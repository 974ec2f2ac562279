/* Passes over a plain array M, rows x columns, that multiply it with narrow matrices.
 *
 * Narrow matrices are of doubles, row major, `width` columns, a multiple of GT_NARROW, 64-byte
 * aligned.  Each number is one sum that grows product after product in the order of the array,
 * so that its bits do not depend on chunks, blocks, threads, memory and kernels.
 *
 * The array is read as it is stored, block by block; tiles of it become doubles where they are
 * multiplied. */
#ifndef GT_CALC_ARRAY_PASS_H
#define GT_CALC_ARRAY_PASS_H

#include <stdatomic.h>

#include "arrays/matrix/matrix.h"
#include "calc/svd/chunk_pin.h"
#include "calc/svd/small_int_rows.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

struct gt_array_pass {
    struct gt_engine *engine;
    struct gt_matrix *matrix;     /* opened without a cast, two axes; borrowed */
    bool turned;                  /* its columns are the rows of the array that the user named; for messages and means */
    bool mean;                    /* NaN counts as the mean of the named array's column; else it is an error */
    bool center;                  /* M's values are the array's less the means of the named array's columns */
    int64_t memory;               /* of blocks: share `blocks` */
    int64_t passes;               /* that were begun */
    struct gt_pinned_chunks kept; /* between passes, its memory: share `values`; 0 = all is read again */
    bool whole;                   /* the numbers are 0, 1 and 2, as far as is known: see calc/array_whole.h */
    struct gt_array_codes codes;  /* then it is this that is kept */
    /* its own: */
    bool looked;         /* no value is infinite, and none NaN without `mean` */
    atomic_int largest;  /* exponent of the largest value of float64, as long as it has not looked */
    int exponent;        /* M's values are the array's times 2^-exponent; 0 unless all are far from 1 */
    bool rescaled;       /* the exponent was found just now */
    struct gt_buf means; /* with `center`, and where some are missing: double, one for each column of the named array; then, for
                          * each, what rounding lost of it, which is much where the mean is far larger than the spread */
    int64_t missing;     /* values that are NaN; known when it has looked */
};

/* A first pass is over: all values were looked at.  GT_INPUT, and pass->rescaled is true, when their squares, or the squares of
 * those, might not be numbers: passes from now on are of M times 2^-exponent, and what was computed is to be done again. */
int gt_array_pass_looked(struct gt_array_pass *pass, struct gt_err *err);

/* What to make of a pass; P is rows x width. */
struct gt_array_products {
    int64_t width;
    double *right;             /* columns x width: P = M right; NULL: P is given, in left */
    double *left;              /* P; NULL: it need not stay */
    double *sum;               /* columns x width: sum += M'P; NULL: not wanted */
    int right_bits, left_bits; /* of `whole`: so many are enough of what is multiplied; 0: all of a double, or all of P */
    /* Rows [first, first + n) of P, in order; may be NULL; not of `whole`. */
    int (*rows)(void *ctx, int64_t first, int64_t n, const double *values, struct gt_err *err);
    void *ctx;
};

/* GT_INPUT for a value that is not a number, with its place; for what gt_array_pass_looked says; and for what
 * calc/svd/matmul_pass_int.h says. */
int gt_array_pass_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err);
void gt_array_pass_release(struct gt_array_pass *pass);

/* Rows of a block that is read, at most: by the shape alone, but that chunks and memory may have it lower. */
int64_t gt_array_pass_rows(const struct gt_matrix_info *info);
/* Memory of a block at work, with products of such a width. */
int64_t gt_array_pass_bytes(const struct gt_array_pass *pass, int64_t width);

/* What ways of multiplying have of their own: stages of engine/flow.h; part: a row_group of columns of M'P. */
struct gt_array_stages {
    size_t item_size;
    int (*read)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*work)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*part)(void *ctx, int64_t task, int64_t part, void *item, struct gt_err *err);
    void (*release)(void *ctx, void *item);
    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err);
};

/* Columns of a row_group, whole tiles of so many: a few row_groups a thread. */
int64_t gt_array_row_group(const struct gt_array_pass *pass, int64_t tile);
/* All blocks go through the stages, with no more memory than the pass has, task_bytes of it each.  Errors: theirs. */
int gt_array_flow(const struct gt_array_pass *pass, const struct gt_array_products *products, const struct gt_array_stages *stages,
                  int64_t row_group, int64_t task_bytes, void *ctx, struct gt_err *err);

/* With `mean`, when the array is of floats, and with `center`: finds the means, in a pass of its own.  GT_INPUT for a column of
 * NaN. */
int gt_array_means(struct gt_array_pass *pass, struct gt_err *err);
int64_t gt_array_means_bytes(const struct gt_array_pass *pass); /* what that takes */

/* Rows [row, row + n) and columns [column, column + width) of a block -> out, n x width, rows `lead` numbers apart.
 * GT_INPUT for a value that is not finite, unless it is NaN and there are means. */
int gt_array_tile(struct gt_array_pass *pass, const struct gt_matrix_block *block, int64_t row, int64_t n, int64_t column, int64_t width,
                  double *out, int64_t lead, struct gt_err *err);

#endif
