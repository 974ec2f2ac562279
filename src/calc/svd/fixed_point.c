#include "calc/svd/fixed_point.h"

#include <math.h>
#include <string.h>

#include "core/engine/memory_plan.h"

/* Numbers below it are 0. */
enum { LEAST_EXPONENT = -900 };

void gt_svd_fixed_budget(struct gt_svd_fixed *f, struct gt_budget *budget)
{
    f->panels.budget = f->scales.budget = f->numbers.budget = f->sums.budget = budget;
}

int gt_svd_fixed_start(struct gt_svd_fixed *f, int64_t rows, int64_t width, int digits, struct gt_err *err)
{
    const int64_t columns = digits * width;
    const size_t panels = (size_t)(columns / GT_SKETCH * GT_SKETCH_BYTES(rows));
    f->rows = rows, f->width = width, f->digits = digits;
    f->panels.len = f->numbers.len = 0; /* nothing of them is to be copied */
    int status = gt_buf_resize(&f->panels, panels, err);
    if (!status && panels)
        memset(f->panels.data, 0, panels);
    if (!status)
        status = gt_buf_resize(&f->scales, (size_t)width * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&f->numbers, (size_t)(rows * columns) * sizeof(int16_t), err);
    return status ? status : gt_buf_zeros(&f->sums, (size_t)columns * sizeof(int64_t), err);
}

void gt_svd_fixed_release(struct gt_svd_fixed *f)
{
    gt_buf_release(&f->panels);
    gt_buf_release(&f->scales);
    gt_buf_release(&f->numbers);
    gt_buf_release(&f->sums);
}

int64_t gt_svd_fixed_bytes(int64_t rows, int64_t width, int digits)
{
    const int64_t columns = digits * width;
    return gt_bytes_mul(columns, 2 * rows + 2 * (rows + 63) + 2 * (int64_t)sizeof(int64_t));
}

int64_t gt_svd_fixed_piece(const struct gt_svd_fixed *f)
{
    enum { PIECE_BYTES = 1 << 17, LEAST = 256 };
    const int64_t row_bytes = f->digits * f->width * (int64_t)sizeof(int16_t);
    return gt_max_i64(PIECE_BYTES / row_bytes / LEAST, 1) * LEAST;
}

void gt_svd_fixed_multiply(const struct gt_svd_fixed *f, const uint8_t *rows, size_t stride, int64_t n, int shift, int64_t *sums)
{
    const int64_t panels = f->digits * f->width / GT_SKETCH, piece = gt_svd_fixed_piece(f);
    for (int64_t s = 0; s < f->rows; s += piece)
        gt_kernels()->sketch(rows + s / 4, stride, n, gt_min_i64(piece, f->rows - s), (const int8_t *)f->panels.data + GT_SKETCH_BYTES(s),
                             (size_t)GT_SKETCH_BYTES(f->rows), panels, shift, sums);
}

/* The number at (row, column of `columns`), for both products. */
static void keep(struct gt_svd_fixed *f, int64_t row, int64_t column, int32_t number)
{
    const int64_t columns = f->digits * f->width;
    ((int16_t *)(void *)f->numbers.data)[row * columns + column] = (int16_t)number;
    ((int64_t *)(void *)f->sums.data)[column] += number;
}

void gt_svd_fixed_columns(struct gt_svd_fixed *f, const double *columns)
{
    double *scales = gt_buf_f64(&f->scales);
    for (int64_t c = 0; c < f->width; c++, columns += f->rows) {
        double most = 0;
        for (int64_t r = 0; r < f->rows; r++)
            most = fabs(columns[r]) > most ? fabs(columns[r]) : most;
        scales[c] = most > 0 ? most / GT_SVD_LARGEST : 1;
        for (int64_t r = 0; r < f->rows; r++) {
            const double x = columns[r] / scales[c];
            const int32_t first = gt_svd_round(x), second = gt_svd_round((x - first) * (1 << GT_SVD_DIGIT));
            gt_svd_put((int8_t *)f->panels.data, f->rows, r, c, first);
            keep(f, r, c, first);
            if (f->digits == 1)
                continue;
            gt_svd_put((int8_t *)f->panels.data, f->rows, r, f->width + c, second);
            keep(f, r, f->width + c, second);
        }
    }
}

/* The smallest exponent at which the largest number fits. */
static int exponent_of(double most, int minimum)
{
    int exponent;
    if (!(most > 0))
        return minimum;
    frexp(most, &exponent);
    exponent -= 14;
    if (ldexp(most, -exponent) > GT_SVD_LARGEST)
        exponent++;
    return exponent > minimum ? exponent : minimum;
}

int gt_svd_fixed_exponent(const double *values, int64_t n, int minimum)
{
    enum { LANES = 8 }; /* a comparison need not wait for the one before */
    double most[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            most[k] = fabs(values[i + k]) > most[k] ? fabs(values[i + k]) : most[k];
    for (; i < n; i++)
        most[0] = fabs(values[i]) > most[0] ? fabs(values[i]) : most[0];
    for (int k = 1; k < LANES; k++)
        most[0] = most[k] > most[0] ? most[k] : most[0];
    return exponent_of(most[0], minimum);
}

/* Digits of x, and of mean times what these come to. */
struct split {
    int32_t number[2], of_mean[2];
};

static inline struct split split(double x, double mean, int digits)
{
    struct split s = {{gt_svd_round(x), 0}, {0, 0}};
    s.of_mean[0] = gt_svd_round(mean * s.number[0]);
    if (digits == 1)
        return s;
    s.number[1] = gt_svd_round((x - s.number[0]) * (1 << GT_SVD_DIGIT));
    s.of_mean[1] = gt_svd_round((mean * (s.number[0] + (double)s.number[1] / (1 << GT_SVD_DIGIT)) - s.of_mean[0]) * (1 << GT_SVD_DIGIT));
    return s;
}

static void put(struct gt_svd_fixed *f, int64_t row, int64_t column, int32_t number, int32_t of_mean)
{
    gt_svd_put((int8_t *)f->panels.data, f->rows, row, column, number);
    keep(f, row, column, of_mean);
}

void gt_svd_fixed_row(struct gt_svd_fixed *f, int64_t row, const double *values, double mean, int exponent)
{
    const double unit = ldexp(1, -exponent);
    for (int64_t c = 0; c < f->width; c++) {
        const struct split s = split(values[c] * unit, mean, f->digits);
        put(f, row, c, s.number[0], s.of_mean[0]);
        if (f->digits == 2)
            put(f, row, f->width + c, s.number[1], s.of_mean[1]);
    }
}

void gt_svd_fixed_listed(struct gt_svd_fixed *f, const double *values, double mean, int exponent, int base, int16_t *numbers,
                         int16_t *of_means)
{
    const double unit = ldexp(1, -exponent);
    int64_t *sums = gt_buf_i64(&f->sums);
    for (int64_t c = 0; c < f->width; c++) {
        const struct split s = split(values[c] * unit, mean, f->digits);
        for (int d = 0; d < f->digits; d++) {
            numbers[d * f->width + c] = (int16_t)s.number[d];
            of_means[d * f->width + c] = (int16_t)s.of_mean[d];
            sums[d * f->width + c] += s.of_mean[d] - base * s.number[d];
        }
    }
}

/* --- narrow matrices ---------------------------------------------------------------------- */

int64_t gt_svd_fixed_narrow_bytes(int64_t rows, int64_t width, int digits)
{
    return gt_bytes_add(gt_bytes_mul(digits * width, 2 * (rows + 63)), gt_bytes_mul(width, (int64_t)sizeof(double)));
}

/* The largest of each column. */
static void measure(const double *values, int64_t rows, int64_t width, double *most)
{
    memset(most, 0, (size_t)width * sizeof *most);
    for (int64_t r = 0; r < rows; r++, values += width)
        for (int64_t c = 0; c < width; c++)
            most[c] = fabs(values[c]) > most[c] ? fabs(values[c]) : most[c];
}

/* Returns what the numbers that were put come to. */
static double put_digits(struct gt_svd_fixed *f, int64_t row, int64_t column, double x)
{
    double sum = 0, unit = 1;
    for (int d = 0; d < f->digits; d++, unit /= 1 << GT_SVD_DIGIT) {
        const int32_t number = gt_svd_round((x - sum) / unit);
        gt_svd_put((int8_t *)f->panels.data, f->rows, row, d * f->width + column, number);
        sum += number * unit;
    }
    return sum;
}

int gt_svd_fixed_narrow(struct gt_svd_fixed *f, double *values, int64_t rows, int64_t width, int bits, struct gt_err *err)
{
    const int spare = bits < GT_SVD_DIGIT ? GT_SVD_DIGIT + 1 - bits : 0;
    f->rows = rows, f->width = width, f->digits = gt_svd_digits(bits);
    int status = gt_buf_zeros(&f->panels, (size_t)(f->digits * width / GT_SKETCH * GT_SKETCH_BYTES(rows)), err);
    if (!status)
        status = gt_buf_resize(&f->scales, (size_t)width * sizeof(double), err);
    if (status)
        return status;
    double *scales = gt_buf_f64(&f->scales);
    measure(values, rows, width, scales);
    for (int64_t c = 0; c < width; c++)
        scales[c] = ldexp(1, exponent_of(scales[c], LEAST_EXPONENT) + spare);
    for (int64_t r = 0; r < rows; r++, values += width)
        for (int64_t c = 0; c < width; c++)
            values[c] = put_digits(f, r, c, values[c] / scales[c]) * scales[c];
    return GT_OK;
}
