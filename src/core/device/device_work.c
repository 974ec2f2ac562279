#include "core/device/device_work.h"

#include <stdio.h>

#include "core/base/size.h"

static const double start_seconds = 0.5; /* until a card takes its first work: driver, libraries */
static const double slow_bus = 1.2e10;   /* bytes per second, where a device does not say: PCI Express 3 */
static const double efficiency = 0.6;    /* of nominal rates that products reach */

int64_t gt_device_share(const struct gt_device *device, const struct gt_device_work *work)
{
    const int64_t limit = device->memory.limit;
    return limit < work->minimum ? 0 : limit < work->preferred ? limit : work->preferred;
}

int gt_device_check_room(const struct gt_device *device, int64_t bytes, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (device->memory.limit >= bytes)
        return GT_OK;
    gt_fail(err, GT_NOFIT, "%s: this work needs %s of device memory, and may use %s", device->label, gt_format_size(a, bytes),
            gt_format_size(b, device->memory.limit));
    if (device->info.memory_free >= bytes)
        gt_hint(err, "use --device-memory %lldM", (long long)gt_ceil_div(bytes, 1 << 20));
    else
        gt_hint(err, "use --device cpu");
    return GT_NOFIT;
}

/* The longest of what can go on at the same time. */
static double longest(const double *seconds, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = seconds[i] > most ? seconds[i] : most;
    return most;
}

double gt_device_seconds(const struct gt_device_info *info, const struct gt_device_work *work)
{
    if (info->int8_rate <= 0 || info->f32_rate <= 0 || info->f64_rate <= 0 || info->memory_rate <= 0)
        return -1;
    const double compute =
        (work->int8 / info->int8_rate + work->f32 / info->f32_rate + work->f64 / info->f64_rate + work->scalar / info->f32_rate) /
        efficiency;
    const double seconds[] = {compute, work->memory_bytes / info->memory_rate,
                              work->bus_bytes / (info->bus_rate > 0 ? info->bus_rate : slow_bus)};
    return start_seconds + longest(seconds, 3);
}

bool gt_device_pays(const struct gt_device_info *info, const struct gt_device_work *work, char *why, size_t size)
{
    const double seconds = gt_device_seconds(info, work);
    if (work->cpu_seconds < 0)
        snprintf(why, size, "the size of the input is not known in advance");
    else if (seconds < 0)
        snprintf(why, size, "%s does not say how fast it is", info->name);
    else
        snprintf(why, size, "predicted %.2g s on %s, %.2g s on the CPU", seconds, info->name, work->cpu_seconds);
    return seconds >= 0 && seconds < work->cpu_seconds;
}
