/* Products of packed rows (kernels/kernels.h: sketch) on a device: the integer sums of the cpu, as products of int8 planes.
 *
 * Codes are unpacked on the device: with samples side by side for the way forward, with variants side by side for the way back.  The
 * small work between the two (means, weights, fixed point) is the cpu's.  Blocks of codes stay on the device between passes as far as
 * they fit. */
#ifndef GT_CALC_SKETCH_DEVICE_H
#define GT_CALC_SKETCH_DEVICE_H

#include "calc/svd/fixed_point.h"
#include "core/device/device_open.h"

struct gt_svd_on_device;

/* Of the device's memory, without blocks that stay. */
int64_t gt_svd_device_bytes(const struct gt_device *device, int64_t samples, int64_t block_rows, int64_t width);

/* Of the host's memory, for products. */
int64_t gt_svd_device_host_bytes(int64_t block_rows, int64_t width);

/* For passes over blocks of up to block_rows variants. */
int gt_svd_device_new(struct gt_svd_on_device **out, struct gt_device *device, struct gt_budget *budget, int64_t samples,
                      int64_t block_rows, int64_t width, struct gt_err *err);
void gt_svd_device_free(struct gt_svd_on_device *on);

/* Begins a pass: the operand of the samples, and sums that are 0.  Without operand->numbers no call may be missing. */
int gt_svd_device_begin(struct gt_svd_on_device *on, const struct gt_svd_fixed *operand, struct gt_err *err);

/* Sums of that many columns (digits * width) that are 0, for what goes back from now on; any thread, while others go forward. */
int gt_svd_device_begin_back(struct gt_svd_on_device *on, int64_t columns, struct gt_err *err);

/* Rows of block number `block`, which are the same in each pass; GT_SVD_DEVICE_ONCE: they are not seen again.  Any thread, here and
 * below. */
enum { GT_SVD_DEVICE_ONCE = -1 };
struct gt_svd_device_rows {
    int64_t block, n;
    const uint8_t *data;
    size_t stride;
};
/* y and gaps [n][digits * width] += what the cpu's sketch and sketch_gaps add for the operand; gaps NULL: no call is missing. */
int gt_svd_device_forward(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, int64_t *y, int64_t *gaps,
                          struct gt_err *err);
/* The sums of samples += 2^shift times those of sketch and, with gaps, sketch_gaps, over the turned codes and f, a number per row. */
int gt_svd_device_back(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const struct gt_svd_fixed *f, bool gaps,
                       int shift, struct gt_err *err);
/* The sums, [samples][digits * width]. */
int gt_svd_device_sums(struct gt_svd_on_device *on, int64_t *sums, struct gt_err *err);

#endif
