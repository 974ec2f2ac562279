/* An array of whole numbers from 0 to 2 as packed rows, two bits a number, in blocks whose rows the number of columns
 * decides alone.  Blocks stay in memory between passes: the first ones, as many as a share has room for; the rest is read
 * again in each pass. */
#ifndef GT_CALC_ARRAY_CODES_H
#define GT_CALC_ARRAY_CODES_H

#include "arrays/matrix/matrix.h"
#include "core/engine/engine.h"

struct gt_array_codes {
    struct gt_matrix *matrix; /* of integers, opened without a cast; borrowed */
    int64_t memory;           /* of the share; 0 = nothing is kept */
    bool others;              /* a number that is none of them was met */
    /* its own: */
    struct gt_budget part;
    struct gt_buf *block;
    size_t n, cap, next; /* next: of this pass */
    bool begun, full;    /* full: no more is kept */
    const struct gt_matrix_block *from;
    int64_t at, row;    /* rows of `from` that were taken; rows that were read */
    struct gt_buf line; /* int8_t: a row */
};

/* Rows first, ..., first + n - 1; GT_KERNEL_PAD bytes stand after them. */
struct gt_array_code_block {
    int64_t first, n;
    const uint8_t *rows; /* gt_array_code_stride bytes apart */
};

int64_t gt_array_code_rows(int64_t columns); /* of a block but the last one: a multiple of 64 */
/* Bytes from a row to the next, and of a block. */
size_t gt_array_code_stride(int64_t columns);
int64_t gt_array_code_bytes(int64_t columns);

/* A pass over all rows follows; those that are not kept are read in blocks of `most` rows at most.
 * Errors: those of gt_matrix_range and gt_matrix_reblock, and of memory. */
int gt_array_codes_begin(struct gt_array_codes *codes, struct gt_engine *engine, int64_t most, struct gt_err *err);
/* The next block, in order; what is not kept goes to `own`, GT_END after the last.  GT_INPUT, and `others` is true, for
 * another number. */
int gt_array_codes_next(struct gt_array_codes *codes, struct gt_array_code_block *block, struct gt_buf *own, struct gt_err *err);
/* The pass is over, or has failed: the matrix has all of its rows again.  Errors: the matrix's. */
int gt_array_codes_end(struct gt_array_codes *codes, struct gt_err *err);
void gt_array_codes_release(struct gt_array_codes *codes);

#endif
