#include "calc/pi/pi_device.h"

#include <stdlib.h>

#include "calc/pi/pi.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "kernels/device/random.h"

struct gt_pi_counter {
    struct gt_device *device;
    struct gt_stream *stream;
    struct gt_device_buf counts, counted; /* uint32_t each: on the device, and copied from it */
};

struct gt_device_work gt_pi_device_work(const struct gt_pi_plan *plan, int threads)
{
    const double points = (double)plan->points, cpu_rate = 5e8, operations = 70; /* of a thread; of a point */
    return (struct gt_device_work){.cpu_seconds = points / (cpu_rate * threads),
                                   .scalar = points * operations,
                                   .minimum = GT_PI_COUNTER_BYTES,
                                   .preferred = 5 * GT_PI_COUNTER_BYTES,
                                   .bus_bytes = points / GT_PI_STEP * sizeof(uint32_t)};
}

int gt_pi_counter_new(struct gt_pi_counter **out, struct gt_device *device, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_pi_counter *counter = gt_alloc(1, sizeof *counter, err);
    if (!counter)
        return GT_FAIL;
    counter->device = device;
    int status = gt_device_alloc(&counter->counts, device, GT_PI_COUNTER_BYTES, err);
    if (!status)
        status = gt_device_alloc_pinned(&counter->counted, device, budget, GT_PI_COUNTER_BYTES, err);
    if (!status)
        status = gt_device_stream_plain(device, "points", &counter->stream, err);
    if (status)
        gt_pi_counter_free(counter);
    else
        *out = counter;
    return status;
}

void gt_pi_counter_free(struct gt_pi_counter *counter)
{
    if (!counter)
        return;
    counter->device->ops->stream_free(counter->stream);
    gt_device_release(&counter->counts);
    gt_device_release(&counter->counted);
    free(counter);
}

int gt_pi_device_count(struct gt_pi_counter *counter, uint64_t key, uint64_t first, int64_t n, int64_t *inside, struct gt_err *err)
{
    const struct gt_device_ops *ops = counter->device->ops;
    const struct gt_device_pi_count_args args = {key, first, first + (uint64_t)n, GT_PI_STEP, counter->counts.data};
    const int64_t steps = gt_ceil_div(n, GT_PI_STEP);
    const uint32_t *counted = counter->counted.data;
    int code = ops->launch(counter->stream, "pi_count", steps, &args, sizeof args);
    if (!code)
        code = ops->copy_from(counter->stream, counter->counted.data, counter->counts.data, (size_t)steps * sizeof *counted);
    if (!code)
        code = ops->stream_wait(counter->stream);
    if (code)
        return gt_device_status(counter->device, code, "counting points", err);
    *inside = 0;
    for (int64_t i = 0; i < steps; i++)
        *inside += counted[i];
    return GT_OK;
}
