/* Narrow matrices in fixed point, the format of the sketch kernels: each number is split into one or two digits of 15 bits, the second
 * with weight 2^-GT_SVD_DIGIT.  Columns of first digits come before columns of second digits. */
#ifndef GT_CALC_SVD_FIXED_H
#define GT_CALC_SVD_FIXED_H

#include <string.h>

#include "core/base/budget.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

#define GT_SVD_DIGIT 13
#define GT_SVD_LARGEST 16383 /* maximum of a first digit */

/* Rounds to nearest, |x| < 2^31: adding 1.5 * 2^52 leaves the integer in the lowest bits. */
static inline int32_t gt_svd_round(double x)
{
    const double y = x + 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &y, sizeof bits);
    return (int32_t)bits;
}

static inline void gt_svd_put(int8_t *panels, int64_t n_rows, int64_t row, int64_t column, int32_t number)
{
    int8_t *low = panels + column / GT_SKETCH * GT_SKETCH_BYTES(n_rows) + GT_SKETCH_AT(row, column % GT_SKETCH);
    low[0] = (int8_t)(number & 127);
    low[4 * GT_SKETCH] = (int8_t)(number >> 7);
}

/* Columns rounded up to whole panels. */
static inline int64_t gt_svd_width(int64_t columns)
{
    return gt_ceil_div(columns, GT_SKETCH) * GT_SKETCH;
}

struct gt_svd_fixed {
    int64_t rows, width;
    int digits;
    struct gt_buf panels;  /* rows * digits * width numbers */
    struct gt_buf scales;  /* double [width]: set by gt_svd_fixed_columns */
    struct gt_buf numbers; /* int16_t [rows][digits * width] */
    struct gt_buf sums;    /* int64_t [digits * width]: column sums of numbers */
};

/* Allocates it, with panels all 0.  Zero-initialise and set the budgets before. */
int gt_svd_fixed_start(struct gt_svd_fixed *f, int64_t rows, int64_t width, int digits, struct gt_err *err);
void gt_svd_fixed_budget(struct gt_svd_fixed *f, struct gt_budget *budget);
void gt_svd_fixed_release(struct gt_svd_fixed *f);
int64_t gt_svd_fixed_bytes(int64_t rows, int64_t width, int digits);

/* How many rows of f to multiply at a time, a multiple of 256: their panels, or their numbers, stay in a second cache. */
int64_t gt_svd_fixed_piece(const struct gt_svd_fixed *f);
/* sums[r][c] += 2^shift times packed row r times column c, modulo 2^64; codes 3 count as 0.  rows: n rows of f->rows codes, `stride` bytes
 * apart, GT_KERNEL_PAD bytes behind them; sums: [n][digits * width]. */
void gt_svd_fixed_multiply(const struct gt_svd_fixed *f, const uint8_t *rows, size_t stride, int64_t n, int shift, int64_t *sums);

/* Converts columns, rows x width, column major: column c is f->scales[c] times the numbers. */
void gt_svd_fixed_columns(struct gt_svd_fixed *f, const double *columns);
/* Digits needed for that many bits and a sign. */
static inline int gt_svd_digits(int bits)
{
    return 1 + (bits > GT_SVD_DIGIT + 1 ? (bits - 2) / GT_SVD_DIGIT : 0);
}
/* Computes panels and scales (powers of 2, one per column) of values [rows][width].  Rounds values in place to at least that many bits:
 * each becomes scales[c] times the sum of its digits d times 2^-(d GT_SVD_DIGIT).  f must not have been
 * started. */
int gt_svd_fixed_narrow(struct gt_svd_fixed *f, double *values, int64_t rows, int64_t width, int bits, struct gt_err *err);
int64_t gt_svd_fixed_narrow_bytes(int64_t rows, int64_t width, int digits);

/* The exponent, at least `minimum`, with which n values fit a first digit. */
int gt_svd_fixed_exponent(const double *values, int64_t n, int minimum);
/* Row `row` of the panels: f->width values in units of 2^exponent; of the numbers, and added to the sums: mean times these. */
void gt_svd_fixed_row(struct gt_svd_fixed *f, int64_t row, const double *values, double mean, int exponent);
/* As gt_svd_fixed_row, of a row that is not in f: its numbers, and mean times these.  (mean - base) times them is added to f->sums. */
void gt_svd_fixed_listed(struct gt_svd_fixed *f, const double *values, double mean, int exponent, int base, int16_t *number,
                         int16_t *of_mean);

#endif
