/* Points counted by a device: one launch at a time, each index counts GT_PI_STEP points. */
#ifndef GT_CALC_PI_DEVICE_H
#define GT_CALC_PI_DEVICE_H

#include "core/device/device_open.h"

#define GT_PI_DEVICE_POINTS (INT64_C(1) << 28)
#define GT_PI_STEP 1024
#define GT_PI_COUNTER_BYTES (GT_PI_DEVICE_POINTS / GT_PI_STEP * (int64_t)sizeof(uint32_t))

/* A stream and room for the counts of GT_PI_DEVICE_POINTS points; for one thread at a time. */
struct gt_pi_counter;
int gt_pi_counter_new(struct gt_pi_counter **out, struct gt_device *device, struct gt_budget *budget, struct gt_err *err);
void gt_pi_counter_free(struct gt_pi_counter *counter);

/* *inside: of points [first, first + n) under that key; n <= GT_PI_DEVICE_POINTS. */
int gt_pi_device_count(struct gt_pi_counter *counter, uint64_t key, uint64_t first, int64_t n, int64_t *inside, struct gt_err *err);

#endif
