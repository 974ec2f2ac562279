#include "calc/svd/svd_qr_device.h"

#include "core/base/size.h"
#include "core/engine/memory_plan.h"

int64_t gt_qr_device_rows(int64_t columns)
{
    return gt_max_i64(GT_QR_DEVICE_VALUES / columns, 4 * columns);
}

/* A block stands below the triangle of those before. */
static int64_t most_rows(int64_t columns)
{
    return columns + gt_qr_device_rows(columns);
}

/* What cuSOLVER takes for it in addition is less than the block. */
int64_t gt_qr_device_bytes(int64_t columns)
{
    const int64_t size = (int64_t)sizeof(double);
    return gt_bytes_add(gt_bytes_mul(gt_bytes_mul(2 * most_rows(columns), columns), size), gt_bytes_mul(columns * size, columns));
}

int gt_qr_device_start(struct gt_qr_on_device *on, struct gt_device *device, int64_t columns, struct gt_budget *budget, struct gt_err *err)
{
    *on = (struct gt_qr_on_device){.device = device, .by_rows.budget = budget};
    const size_t triangle = (size_t)(columns * columns) * sizeof(double);
    int status = gt_device_stream_plain(device, "QR", &on->stream, err);
    if (!status)
        status = gt_device_alloc(&on->a, device, (size_t)(most_rows(columns) * columns) * sizeof(double), err);
    if (!status)
        status = gt_device_alloc(&on->r, device, triangle, err);
    return status ? status : gt_buf_resize(&on->by_rows, triangle, err);
}

void gt_qr_device_release(struct gt_qr_on_device *on)
{
    if (on->stream)
        on->device->ops->stream_free(on->stream);
    on->stream = NULL;
    gt_device_release(&on->a);
    gt_device_release(&on->r);
    gt_buf_release(&on->by_rows);
}

int gt_qr_device_factor(void *ctx, int64_t rows, int64_t columns, double *a, double *r, struct gt_err *err)
{
    struct gt_qr_on_device *on = ctx;
    const struct gt_device_ops *ops = on->device->ops;
    const size_t triangle = (size_t)(columns * columns) * sizeof(double);
    const double *by_rows = gt_buf_f64(&on->by_rows);
    int code = ops->copy_to(on->stream, on->a.data, a, (size_t)(rows * columns) * sizeof *a);
    if (!code)
        code = ops->qr(on->stream, rows, columns, on->a.data, rows, on->r.data, columns);
    if (!code)
        code = ops->copy_from(on->stream, on->by_rows.data, on->r.data, triangle);
    const int waited = ops->stream_wait(on->stream);
    const int status = gt_device_status(on->device, code ? code : waited, "QR of a block of rows", err);
    for (int64_t i = 0; i < columns && !status; i++)
        for (int64_t j = 0; j < columns; j++)
            r[j * columns + i] = by_rows[i * columns + j];
    return status;
}
