/* Passes over an array of whole numbers from 0 to 2, as calc/array_pass.h has them, by the kernels of genotypes: narrow
 * matrices are rounded to that many bits as are asked for, of the largest number of a column in a block, and products of
 * what is rounded are exact but for the last bit of doubles.
 *
 * What is rounded is so in place.  So M'P is of the P that stands in `left`, and P = M right of the `right` that stands there. */
#ifndef GT_CALC_MATMUL_PASS_INT_H
#define GT_CALC_MATMUL_PASS_INT_H

#include "calc/svd/matmul_pass.h"

/* Can all numbers of an array of such a type be 0, 1 and 2, and do the kernels take as many? */
bool gt_matmul_int_possible(const struct gt_matrix_info *info);
/* GT_INPUT, and pass->codes.others is true, when there is another number. */
int gt_matmul_int_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err);

/* Memory of a block at work, and of what a pass has in addition to blocks. */
int64_t gt_matmul_int_bytes(int64_t columns, int64_t width);
int64_t gt_matmul_int_fixed_bytes(int64_t columns, int64_t width);
/* Of a device's memory, without blocks that stay there; and of the host's, for a pass on a device. */
int64_t gt_matmul_int_device_bytes(const struct gt_device *device, int64_t columns, int64_t width);
int64_t gt_matmul_int_device_host_bytes(int64_t columns, int64_t width);

#endif
