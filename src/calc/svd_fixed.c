#include "calc/svd_fixed.h"

#include <math.h>

#include "engine/shares.h"

void gt_svd_fixed_budget(struct gt_svd_fixed *f, struct gt_budget *budget)
{
    f->panels.budget = f->scales.budget = f->numbers.budget = f->sums.budget = budget;
}

int gt_svd_fixed_start(struct gt_svd_fixed *f, int64_t rows, int64_t width, int digits, struct gt_err *err)
{
    const int64_t columns = digits * width;
    f->rows = rows, f->width = width, f->digits = digits;
    int status = gt_buf_zeros(&f->panels, (size_t)(columns / GT_SKETCH * GT_SKETCH_BYTES(rows)), err);
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
static int exponent_of(const double *values, int64_t n, int least)
{
    double most = 0;
    int exponent;
    for (int64_t i = 0; i < n; i++)
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    if (!(most > 0))
        return least;
    frexp(most, &exponent);
    exponent -= 14;
    if (ldexp(most, -exponent) > GT_SVD_LARGEST)
        exponent++;
    return exponent > least ? exponent : least;
}

/* Of a row, with its mean. */
static void put_row(struct gt_svd_fixed *f, int64_t row, const double *values, double unit, double mean)
{
    for (int64_t c = 0; c < f->width; c++) {
        const double x = values[c] * unit;
        const int32_t first = gt_svd_round(x), first_mean = gt_svd_round(mean * first);
        gt_svd_put((int8_t *)f->panels.data, f->rows, row, c, first);
        keep(f, row, c, first_mean);
        if (f->digits == 1)
            continue;
        const int32_t second = gt_svd_round((x - first) * (1 << GT_SVD_DIGIT));
        const double all = mean * (first + (double)second / (1 << GT_SVD_DIGIT));
        gt_svd_put((int8_t *)f->panels.data, f->rows, row, f->width + c, second);
        keep(f, row, f->width + c, gt_svd_round((all - first_mean) * (1 << GT_SVD_DIGIT)));
    }
}

int gt_svd_fixed_rows(struct gt_svd_fixed *f, const double *values, const double *means, int least)
{
    const int exponent = exponent_of(values, f->rows * f->width, least);
    const double unit = ldexp(1, -exponent);
    for (int64_t r = 0; r < f->rows; r++)
        put_row(f, r, values + r * f->width, unit, means[r]);
    return exponent;
}
