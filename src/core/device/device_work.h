/* What a computation would take of a device, so that --device auto and the plan can say whether it pays. */
#ifndef GT_DEVICE_WORK_H
#define GT_DEVICE_WORK_H

#include <stdbool.h>

#include "core/device/device_open.h"

struct gt_device_work {
    double cpu_seconds;             /* predicted, with all threads; below 0: the amount of work is not known */
    double int8, f32, f64;          /* multiply-adds of products */
    double scalar;                  /* operations of elementwise kernels */
    double memory_bytes, bus_bytes; /* moved in the device's memory, and between host and device */
    int64_t minimum, preferred;     /* bytes of device memory */
};

/* Bytes of device memory that it gets of a device: preferred, or what there is; 0: less than the minimum. */
int64_t gt_device_share(const struct gt_device *device, const struct gt_device_work *work);

/* GT_NOFIT, with a hint, where a device that is open may not use as many bytes. */
int gt_device_check_room(const struct gt_device *device, int64_t bytes, struct gt_err *err);

/* Seconds that it would take; below 0 if the device does not say how fast it is. */
double gt_device_seconds(const struct gt_device_info *info, const struct gt_device_work *work);

/* Is a device faster than the cpu?  No, if the amount of work is not known.  why: one line with both figures. */
bool gt_device_pays(const struct gt_device_info *info, const struct gt_device_work *work, char *why, size_t size);

#endif
