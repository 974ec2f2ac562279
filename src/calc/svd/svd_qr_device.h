/* QR of blocks of rows on a device, for arrays/linalg/streaming_qr.h. */
#ifndef GT_CALC_SVD_QR_DEVICE_H
#define GT_CALC_SVD_QR_DEVICE_H

#include "arrays/linalg/streaming_qr.h"
#include "core/device/device_open.h"

struct gt_qr_on_device {
    struct gt_device *device;
    struct gt_stream *stream;
    struct gt_device_buf a, r;
    struct gt_buf by_rows; /* R as it comes */
};

/* Values of a block, about: more than on the cpu, where a block stays in a cache. */
enum { GT_QR_DEVICE_VALUES = 1 << 18 };
int64_t gt_qr_device_rows(int64_t columns);
/* Of the device's memory, for at most that number of columns. */
int64_t gt_qr_device_bytes(int64_t columns);

/* Zero-initialise; release also takes one that failed to start, or was not started. */
int gt_qr_device_start(struct gt_qr_on_device *on, struct gt_device *device, int64_t columns, struct gt_budget *budget, struct gt_err *err);
void gt_qr_device_release(struct gt_qr_on_device *on);
/* A gt_qr_factor; ctx is the gt_qr_on_device. */
int gt_qr_device_factor(void *ctx, int64_t rows, int64_t columns, double *a, double *r, struct gt_err *err);

#endif
