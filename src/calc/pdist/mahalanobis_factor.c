/* W: the inverse of L, or the factor of the inverse that was given. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "calc/pdist/mahalanobis_internal.h"

/* A column is a linear combination of those before it if less than this, times the number of columns, is left of its length. */
#define PIVOT (16 * DBL_EPSILON)

static double *numbers(const struct gt_buf *buf)
{
    return (double *)(void *)buf->data;
}

static int no_inverse(const struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const char *name = gt_matrix_info(mahalanobis->matrix)->name;
    if (mahalanobis->upper)
        return gt_fail(err, GT_INPUT, "'%s' is not the inverse of a covariance: it is not positive definite",
                       gt_matrix_info(mahalanobis->inverse)->name);
    gt_fail(err, GT_INPUT, "'%s': the covariance of its %ss is singular", name, mahalanobis->over);
    gt_hint(err, "remove %ss that are linear combinations of others", mahalanobis->over);
    return GT_INPUT;
}

static int check_finite(const struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const double *a = numbers(&mahalanobis->square);
    const int64_t d = mahalanobis->sites;
    for (int64_t k = 0; k < d * d; k++)
        if (!isfinite(a[k]))
            return gt_fail(err, GT_INPUT, "'%s' has missing or infinite values", gt_matrix_info(mahalanobis->inverse)->name);
    return GT_OK;
}

/* Columns of different units are no reason to call it singular: the diagonal becomes 1. */
static int scale_inverse(const struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    double *a = numbers(&mahalanobis->square), *scale = numbers(&mahalanobis->scale);
    const int64_t d = mahalanobis->sites;
    for (int64_t i = 0; i < d; i++) {
        scale[i] = sqrt(a[i * d + i]);
        if (!(scale[i] > 0))
            return no_inverse(mahalanobis, err);
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            a[i * d + j] = a[i * d + j] / scale[i] / scale[j];
    return GT_OK;
}

static int factor_inverse(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    struct gt_err why = {0};
    const int64_t d = mahalanobis->sites;
    int status = check_finite(mahalanobis, err);
    status = status ? status : scale_inverse(mahalanobis, err);
    if (!status && gt_linalg_cholesky(d, numbers(&mahalanobis->square), d, &why))
        status = no_inverse(mahalanobis, err);
    return status;
}

/* The length of a row of L, as a proportion, that is not in the span of those before it, at the least. */
static double smallest_pivot(const struct gt_mahalanobis *mahalanobis)
{
    const double *l = numbers(&mahalanobis->square);
    double minimum = 1;
    for (int64_t i = 0; i < mahalanobis->sites; i++)
        minimum = fmin(minimum, fabs(l[i + i * mahalanobis->sites]));
    return minimum;
}

static int invert_factor(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const int64_t d = mahalanobis->sites;
    double *inverse = numbers(&mahalanobis->factor);
    if (smallest_pivot(mahalanobis) < PIVOT * (double)d)
        return no_inverse(mahalanobis, err);
    memset(inverse, 0, mahalanobis->factor.len);
    for (int64_t i = 0; i < d; i++)
        inverse[i + i * d] = 1;
    gt_linalg_solve_lower(d, d, numbers(&mahalanobis->square), d, inverse, d);
    gt_buf_swap(&mahalanobis->square, &mahalanobis->factor);
    return GT_OK;
}

/* W at a row and column. */
static double factor_at(const struct gt_mahalanobis *mahalanobis, const double *l, int64_t row, int64_t column)
{
    const double *scale = numbers(&mahalanobis->scale);
    const int64_t d = mahalanobis->sites;
    if (row >= d || (mahalanobis->upper ? column < row : column > row))
        return 0;
    return mahalanobis->upper ? l[column + row * d] * scale[column] : l[row + column * d] / scale[column];
}

int gt_mahalanobis_factor(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    if (!mahalanobis->sites)
        return GT_OK;
    int status = mahalanobis->upper ? factor_inverse(mahalanobis, err) : invert_factor(mahalanobis, err);
    if (status)
        return status;
    double *out = numbers(&mahalanobis->factor);
    for (int64_t p = 0; p < gt_mahalanobis_panels(mahalanobis); p++)
        for (int64_t j = 0; j < mahalanobis->sites; j++)
            for (int64_t i = 0; i < GT_PANEL; i++)
                *out++ = factor_at(mahalanobis, numbers(&mahalanobis->square), p * GT_PANEL + i, j);
    return GT_OK;
}
