/* The Cholesky factor of the covariance of the columns, from the triangle of a QR of the centred rows: products of the columns are not
 * formed, which would square the condition number.  Centring is part of the QR: a column of ones stands before the others. */
#include <math.h>
#include <string.h>

#include "arrays/linalg/streaming_qr.h"
#include "calc/pdist/mahalanobis_internal.h"
#include "core/engine/memory_plan.h"

/* Of the QR: as few as can be where columns are many. */
static int64_t block_rows(const struct gt_mahalanobis *mahalanobis)
{
    enum { BLOCK_VALUES = 1 << 16 };
    const int64_t columns = mahalanobis->sites + 1, rows = BLOCK_VALUES / columns;
    return rows > columns ? rows : columns;
}

int gt_mahalanobis_plan_qr(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(mahalanobis->matrix);
    struct gt_allotment allotment[] = {
        {.name = "a triangle of the covariance", .minimum = gt_streaming_qr_bytes(mahalanobis->sites + 1, block_rows(mahalanobis))},
        {.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred},
    };
    int status = gt_memory_plan_fit(allotment, 2, mahalanobis->engine, err);
    mahalanobis->read_bytes = allotment[1].size;
    return status;
}

static int not_finite(const struct gt_mahalanobis *mahalanobis, int64_t site, double value, struct gt_err *err)
{
    const char *name = gt_matrix_info(mahalanobis->matrix)->name;
    if (isnan(value))
        return gt_fail(err, GT_INPUT, "%s has missing values, and mahalanobis does not allow any", name);
    return gt_fail(err, GT_INPUT, "'%s', %s %lld: -m mahalanobis needs finite values", name, mahalanobis->over, (long long)site);
}

/* n rows less the first sample, each after a 1. */
static int copy_rows(const struct gt_mahalanobis *mahalanobis, const double *rows, int64_t n, double *out, struct gt_err *err)
{
    const double *origin = (const double *)(const void *)mahalanobis->origin.data;
    for (int64_t i = 0; i < n; i++) {
        *out++ = 1;
        for (int64_t j = 0; j < mahalanobis->sites; j++, rows++) {
            if (!isfinite(*rows))
                return not_finite(mahalanobis, j, *rows, err);
            *out++ = *rows - origin[j];
        }
    }
    return GT_OK;
}

static int add_block(const struct gt_mahalanobis *mahalanobis, struct gt_streaming_qr *qr, const struct gt_matrix_block *block,
                     struct gt_err *err)
{
    const double *rows = (const double *)(const void *)block->values.data;
    int status = GT_OK;
    for (int64_t at = 0, n; at < block->n && !status; at += n) {
        double *out = gt_streaming_qr_next(qr, &n);
        n = block->n - at < n ? block->n - at : n;
        status = copy_rows(mahalanobis, rows + at * mahalanobis->sites, n, out, err);
        status = status ? status : gt_streaming_qr_add(qr, n, err);
    }
    return status;
}

static int add_rows(struct gt_mahalanobis *mahalanobis, struct gt_streaming_qr *qr, struct gt_err *err)
{
    const struct gt_matrix_block *block;
    int status;
    gt_matrix_set_memory(mahalanobis->matrix, mahalanobis->read_bytes);
    status = gt_matrix_reblock(mahalanobis->matrix, INT64_MAX, err);
    while (!status && !(status = gt_matrix_next(mahalanobis->matrix, &block, err))) {
        if (!block->first && mahalanobis->origin.len)
            memcpy(mahalanobis->origin.data, block->values.data, mahalanobis->origin.len);
        status = add_block(mahalanobis, qr, block, err);
        gt_matrix_done(mahalanobis->matrix, block);
    }
    return status == GT_END ? gt_streaming_qr_finish(qr, err) : status;
}

/* Of column j without the ones. */
static double column_length(const double *r, int64_t lead, int64_t j)
{
    double length = 0;
    for (int64_t i = 1; i <= j + 1; i++)
        length = hypot(length, r[i + (j + 1) * lead]);
    return length;
}

/* Rows of L of length 1, and the standard deviations by which they were divided. */
static int take_triangle(struct gt_mahalanobis *mahalanobis, const double *r, struct gt_err *err)
{
    const int64_t d = mahalanobis->sites, lead = d + 1;
    double *l = (double *)(void *)mahalanobis->square.data, *scale = (double *)(void *)mahalanobis->scale.data;
    for (int64_t j = 0; j < d; j++) {
        const double length = column_length(r, lead, j);
        if (!isfinite(length))
            return not_finite(mahalanobis, j, INFINITY, err);
        if (!(length > 0))
            return gt_fail(err, GT_INPUT, "'%s': all values of %s %lld are identical, so that the covariance is singular",
                           gt_matrix_info(mahalanobis->matrix)->name, mahalanobis->over, (long long)j);
        scale[j] = length / sqrt((double)(mahalanobis->samples - 1));
        for (int64_t i = 0; i < d; i++)
            l[j + i * d] = i <= j ? r[i + 1 + (j + 1) * lead] / length : 0;
    }
    return GT_OK;
}

int gt_mahalanobis_find_qr(struct gt_mahalanobis *mahalanobis, struct gt_err *err)
{
    struct gt_streaming_qr qr = {0};
    int status = gt_streaming_qr_start(&qr, mahalanobis->sites + 1, block_rows(mahalanobis), &mahalanobis->engine->budget, err);
    status = status ? status : add_rows(mahalanobis, &qr, err);
    status = status ? status : take_triangle(mahalanobis, (const double *)(const void *)qr.r.data, err);
    gt_streaming_qr_release(&qr);
    return status;
}
