#include "core/device/device_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/module.h"
#include "core/base/size.h"

int gt_device_ops_find(const char *name, const struct gt_device_ops **ops, struct gt_err *err)
{
    const void *table = NULL;
    *ops = &gt_device_host;
    if (!strcmp(name, "host"))
        return GT_OK;
    if (strcmp(name, "cuda") != 0)
        return gt_fail(err, GT_USAGE, "no device '%s'", name);
    if (!gt_module_is_installed("gt-cuda.so")) {
        gt_fail(err, GT_FAIL, "this build has no CUDA module (gt-cuda.so)");
        gt_hint(err, "use --device cpu, or build with nvcc and configure --with-cuda");
        return GT_FAIL;
    }
    int status = gt_module_load("gt-cuda.so", GT_DEVICE_MODULE_SYMBOL, GT_DEVICE_ABI, "CUDA module", &table, err);
    *ops = table;
    return status;
}

int gt_device_status(const struct gt_device *device, int code, const char *what, struct gt_err *err)
{
    char cause[256] = "";
    if (code == GT_DEVICE_OK)
        return GT_OK;
    device->ops->last_error(cause, sizeof cause);
    return gt_fail(err, code == GT_DEVICE_NO_MEMORY ? GT_NOFIT : GT_FAIL, "%s: %s: %s", device->label, what,
                   *cause ? cause : "unknown error");
}

/* "cuda:1" -> "cuda" and 1. */
static int split_name(const char *text, char *name, size_t size, int *index, struct gt_err *err)
{
    const size_t n = strcspn(text, ":");
    char *end = NULL;
    const long i = text[n] ? strtol(text + n + 1, &end, 10) : 0;
    if (n >= size || (text[n] && (end == text + n + 1 || *end || i < 0 || i > 9999)))
        return gt_fail(err, GT_USAGE, "no device '%s'; choose cpu, auto, cuda or cuda:N", text);
    memcpy(name, text, n);
    name[n] = '\0';
    *index = (int)i;
    return GT_OK;
}

static int check_memory(struct gt_device *device, int64_t memory, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (memory > device->info.memory_free) {
        gt_fail(err, GT_NOFIT, "--device-memory %s: %s has %s free", gt_format_size(a, memory), device->label,
                gt_format_size(b, device->info.memory_free));
        return GT_NOFIT;
    }
    gt_budget_init(&device->memory, memory ? memory : device->info.memory_free / 10 * 9);
    return GT_OK;
}

int gt_device_open(struct gt_device *device, const char *text, int64_t memory, struct gt_err *err)
{
    char name[16];
    int index = 0, status;
    memset(device, 0, sizeof *device);
    if ((status = split_name(text, name, sizeof name, &index, err)) != GT_OK ||
        (status = gt_device_ops_find(name, &device->ops, err)) != GT_OK) {
        device->ops = NULL;
        return status;
    }
    snprintf(device->label, sizeof device->label, "%s:%d", name, index);
    status = gt_device_status(device, device->ops->describe(index, &device->info), "cannot be used", err);
    if (!status)
        status = check_memory(device, memory, err);
    if (!status)
        status = gt_device_status(device, device->ops->open(index, &device->impl), "cannot be opened", err);
    if (status)
        gt_device_close(device);
    return status;
}

void gt_device_close(struct gt_device *device)
{
    if (device->ops && device->impl)
        device->ops->close(device->impl);
    device->ops = NULL;
    device->impl = NULL;
}

/* Are so many bytes left? */
static int check_left(const struct gt_device *device, size_t bytes, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    const int64_t left = device->memory.limit - device->memory.used;
    if (left >= 0 && bytes <= (size_t)left)
        return GT_OK;
    return gt_fail(err, GT_NOFIT, "%s: %s are needed, and %s of --device-memory are left", device->label, gt_format_size(a, (int64_t)bytes),
                   gt_format_size(b, left));
}

static void log_work(void *row, const char *kind, int64_t bytes, int64_t start, int64_t end)
{
    if (kind)
        gt_trace_stream_work(row, kind, bytes, start, end);
    else
        gt_trace_stream_end(row);
}

static int log_stream(struct gt_device *device, const char *name, struct gt_stream *stream, struct gt_err *err)
{
    struct gt_ring *row = gt_trace_stream(device->trace, device->label, name);
    if (!row)
        return gt_fail(err, GT_FAIL, "out of memory");
    const int status = gt_device_status(device, device->ops->stream_log(stream, log_work, row), "cannot measure a stream", err);
    if (status)
        gt_trace_stream_end(row);
    return status;
}

int gt_device_stream_plain(struct gt_device *device, const char *name, struct gt_stream **stream, struct gt_err *err)
{
    int status = gt_device_status(device, device->ops->stream_new(device->impl, stream), "cannot make a stream", err);
    if (!status && device->trace && (status = log_stream(device, name, *stream, err)) != GT_OK)
        device->ops->stream_free(*stream);
    *stream = status ? NULL : *stream;
    return status;
}

int gt_device_stream_new(struct gt_device *device, const char *name, struct gt_stream **stream, struct gt_err *err)
{
    const size_t bytes = (size_t)device->info.product_memory;
    int status = check_left(device, bytes, err);
    if (!status)
        status = gt_budget_take(&device->memory, bytes, err);
    if (status)
        return status;
    status = gt_device_stream_plain(device, name, stream, err);
    if (status)
        gt_budget_give(&device->memory, bytes);
    return status;
}

void gt_device_stream_free(struct gt_device *device, struct gt_stream *stream)
{
    if (!stream)
        return;
    device->ops->stream_free(stream);
    gt_budget_give(&device->memory, (size_t)device->info.product_memory);
}

static int get(struct gt_device_buf *buf, size_t bytes, int (*alloc)(struct gt_device_impl *, size_t, void **), struct gt_err *err)
{
    int status = gt_budget_take(buf->budget, bytes, err);
    if (status)
        return status;
    status = gt_device_status(buf->device, alloc(buf->device->impl, bytes, &buf->data), buf->pinned ? "pinned memory" : "memory", err);
    if (status) {
        buf->data = NULL;
        gt_budget_give(buf->budget, bytes);
    } else {
        buf->bytes = bytes;
    }
    return status;
}

int gt_device_alloc(struct gt_device_buf *buf, struct gt_device *device, size_t bytes, struct gt_err *err)
{
    gt_device_release(buf);
    *buf = (struct gt_device_buf){.device = device, .budget = &device->memory};
    int status = check_left(device, bytes, err);
    return status ? status : get(buf, bytes, device->ops->alloc, err);
}

int gt_device_alloc_pinned(struct gt_device_buf *buf, struct gt_device *device, struct gt_budget *budget, size_t bytes, struct gt_err *err)
{
    gt_device_release(buf);
    *buf = (struct gt_device_buf){.device = device, .budget = budget, .pinned = true};
    return get(buf, bytes, device->ops->host_alloc, err);
}

void gt_device_release(struct gt_device_buf *buf)
{
    if (buf->data) {
        (buf->pinned ? buf->device->ops->host_free : buf->device->ops->free)(buf->device->impl, buf->data);
        gt_budget_give(buf->budget, buf->bytes);
    }
    buf->data = NULL;
    buf->bytes = 0;
}
