/* Products of a pass (calc/svd/matmul_pass.h) on a device, in float64.
 *
 * Rows become doubles on the cpu, with its checks, means and scale, and go to the device in blocks whose rows the shape decides alone:
 * results do not depend on chunks, threads and memory, but products are added in the device's order.  The first blocks stay on the
 * device between passes, as many as fit. */
#ifndef GT_CALC_MATMUL_PASS_DEVICE_H
#define GT_CALC_MATMUL_PASS_DEVICE_H

#include "calc/svd/matmul_pass.h"

/* Of the device's memory, without blocks that stay; and of the host's, in addition to what the cpu's products take. */
int64_t gt_matmul_device_bytes(const struct gt_device *device, const struct gt_matrix_info *info, int64_t width);
int64_t gt_matmul_device_host_bytes(const struct gt_matrix_info *info, int64_t width);
/* Rows of a block of the matrix at most, and of the host's memory for them as doubles. */
int64_t gt_matmul_device_read_rows(const struct gt_matrix_info *info);
int64_t gt_matmul_device_block_bytes(const struct gt_matrix_info *info);

/* Begins a pass, before pass->kept does; makes pass->on in the first one. */
int gt_matmul_device_begin(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err);
int gt_matmul_device_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err);
/* What stays on the device is forgotten: the scale of values has changed. */
void gt_matmul_device_forget(struct gt_matmul_on_device *on);
void gt_matmul_device_free(struct gt_matmul_on_device *on); /* NULL is allowed, here and above */

#endif
