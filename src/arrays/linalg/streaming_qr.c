#include "arrays/linalg/streaming_qr.h"

#include <string.h>

#include "arrays/linalg/linalg.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

int64_t gt_streaming_qr_bytes(int64_t columns, int64_t rows)
{
    const int64_t values = gt_bytes_mul(gt_bytes_add(2 * rows, 4 * columns), columns);
    return gt_bytes_add(gt_bytes_mul(values, (int64_t)sizeof(double)), gt_bytes_add(gt_linalg_qr_bytes(columns), 1 << 10));
}

int gt_streaming_qr_start(struct gt_streaming_qr *qr, int64_t columns, int64_t rows, struct gt_budget *budget, struct gt_err *err)
{
    *qr = (struct gt_streaming_qr){.columns = columns, .rows = rows, .budget = budget};
    const size_t values = (size_t)(qr->rows * columns) * sizeof(double), triangle = (size_t)(columns * columns) * sizeof(double);
    qr->block.budget = qr->turned.budget = qr->r.budget = qr->below.budget = budget;
    int status = gt_buf_resize(&qr->block, values, err);
    if (!status)
        status = gt_buf_resize(&qr->turned, values, err);
    if (!status)
        status = gt_buf_zeros(&qr->r, triangle, err);
    return status ? status : gt_buf_resize(&qr->below, triangle, err);
}

int gt_streaming_qr_by(struct gt_streaming_qr *qr, gt_qr_factor *factor, void *ctx, struct gt_err *err)
{
    qr->factor = factor;
    qr->ctx = ctx;
    return gt_buf_resize(&qr->turned, (size_t)((qr->columns + qr->rows) * qr->columns) * sizeof(double), err);
}

double *gt_streaming_qr_next(struct gt_streaming_qr *qr, int64_t *n)
{
    *n = qr->rows - qr->filled;
    return gt_buf_f64(&qr->block) + qr->filled * qr->columns;
}

/* The first triangle is of zeros, which change nothing. */
static int factor_elsewhere(struct gt_streaming_qr *qr, struct gt_err *err)
{
    const int64_t n = qr->columns, size = (int64_t)sizeof(double), rows = n + qr->filled;
    double *r = gt_buf_f64(&qr->r), *to = gt_buf_f64(&qr->turned);
    for (int64_t c = 0; c < n; c++)
        memcpy(to + c * rows, r + c * n, (size_t)n * sizeof *r);
    gt_kernels()->transpose(sizeof(double), qr->filled, n, qr->block.data, n * size, (uint8_t *)(to + n), rows * size);
    qr->filled = 0;
    return qr->factor(qr->ctx, rows, n, to, r, err);
}

static int factor(struct gt_streaming_qr *qr, struct gt_err *err)
{
    const int64_t n = qr->columns, size = (int64_t)sizeof(double);
    if (qr->factor)
        return factor_elsewhere(qr, err);
    double *r = gt_buf_f64(qr->begun ? &qr->below : &qr->r);
    gt_kernels()->transpose(sizeof(double), qr->rows, n, qr->block.data, n * size, qr->turned.data, qr->rows * size);
    int status = gt_linalg_qr(qr->rows, n, gt_buf_f64(&qr->turned), qr->rows, r, true, qr->budget, err);
    if (!status && qr->begun)
        status = gt_linalg_qr_triangles(n, gt_buf_f64(&qr->r), r, qr->budget, err);
    qr->begun = true;
    qr->filled = 0;
    return status;
}

int gt_streaming_qr_add(struct gt_streaming_qr *qr, int64_t n, struct gt_err *err)
{
    qr->filled += n;
    return qr->filled == qr->rows ? factor(qr, err) : GT_OK;
}

/* Rows of zeros change nothing. */
int gt_streaming_qr_finish(struct gt_streaming_qr *qr, struct gt_err *err)
{
    if (!qr->filled || qr->factor)
        return qr->filled ? factor(qr, err) : GT_OK;
    memset(gt_buf_f64(&qr->block) + qr->filled * qr->columns, 0, (size_t)((qr->rows - qr->filled) * qr->columns) * sizeof(double));
    return factor(qr, err);
}

void gt_streaming_qr_release(struct gt_streaming_qr *qr)
{
    gt_buf_release(&qr->block);
    gt_buf_release(&qr->turned);
    gt_buf_release(&qr->r);
    gt_buf_release(&qr->below);
}
