/* The host device: memory, copies, kernels, and its table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/host_internal.h"
#include "kernels/device/list.h"

enum { MEMORY_ALIGN = 256 };
static const int64_t memory = (int64_t)4 << 30; /* of a device that has none of its own */

static int host_count(int *n)
{
    *n = 1;
    return GT_DEVICE_OK;
}

static int host_describe(int index, struct gt_device_info *info)
{
    if (index)
        return gt_host_fail(GT_DEVICE_ABSENT, "there is one device, 0");
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "this computer's cpu, in plain C");
    snprintf(info->version, sizeof info->version, "for tests");
    info->memory = info->memory_free = memory;
    return GT_DEVICE_OK;
}

static int host_open(int index, struct gt_device_impl **device)
{
    if (index)
        return gt_host_fail(GT_DEVICE_ABSENT, "there is one device, 0");
    if (!gt_host_faults_read() || gt_host_fault(GT_HOST_open))
        return GT_DEVICE_FAILED;
    *device = calloc(1, sizeof **device);
    if (!*device)
        return gt_host_fail(GT_DEVICE_FAILED, "out of memory");
    pthread_mutex_init(&(*device)->lock, NULL);
    return GT_DEVICE_OK;
}

static void host_close(struct gt_device_impl *device)
{
    if (device)
        pthread_mutex_destroy(&device->lock);
    free(device);
}

/* Contents are undefined: filled with what is no sensible number, so that a forgotten zero shows. */
static int get_memory(enum gt_host_operation operation, size_t bytes, void **address)
{
    if (gt_host_fault(operation))
        return GT_DEVICE_NO_MEMORY;
    if (posix_memalign(address, MEMORY_ALIGN, bytes ? bytes : 1))
        return gt_host_fail(GT_DEVICE_NO_MEMORY, "out of memory");
    memset(*address, 0xA5, bytes);
    return GT_DEVICE_OK;
}

static int host_alloc(struct gt_device_impl *device, size_t bytes, void **address)
{
    (void)device;
    return get_memory(GT_HOST_alloc, bytes, address);
}

static int host_host_alloc(struct gt_device_impl *device, size_t bytes, void **address)
{
    (void)device;
    return get_memory(GT_HOST_host_alloc, bytes, address);
}

static void host_free(struct gt_device_impl *device, void *address)
{
    if (address)
        gt_host_wait_all(device);
    free(address);
}

/* --- copies and kernels ---------------------------------------------------------------- */

struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

static int run_copy(const void *args)
{
    const struct copy *copy = args;
    if (copy->bytes)
        memcpy(copy->to, copy->from, copy->bytes);
    return GT_DEVICE_OK;
}

static int enqueue_copy(struct gt_stream *stream, enum gt_host_operation operation, const char *kind, int (*run)(const void *args),
                        const struct copy *copy)
{
    return gt_host_enqueue(stream, operation, copy->bytes ? kind : NULL, copy->bytes, run, copy, sizeof *copy);
}

static int host_copy_to(struct gt_stream *stream, void *to, const void *from, size_t bytes)
{
    return enqueue_copy(stream, GT_HOST_copy_to, "copy to device", run_copy, &(struct copy){to, from, bytes});
}

static int host_copy_from(struct gt_stream *stream, void *to, const void *from, size_t bytes)
{
    return enqueue_copy(stream, GT_HOST_copy_from, "copy from device", run_copy, &(struct copy){to, from, bytes});
}

static int run_zero(const void *args)
{
    const struct copy *copy = args;
    if (copy->bytes)
        memset(copy->to, 0, copy->bytes);
    return GT_DEVICE_OK;
}

static int host_zero(struct gt_stream *stream, void *at, size_t bytes)
{
    return enqueue_copy(stream, GT_HOST_zero, "clear", run_zero, &(struct copy){at, NULL, bytes});
}

/* A queued launch is the number of indices, then the arguments. */
enum { HEAD = 16, LARGEST = 512 };

#define RUN(name)                                                                                                                          \
    static int run_##name(const void *args)                                                                                                \
    {                                                                                                                                      \
        const struct gt_device_##name##_args *a = (const void *)((const char *)args + HEAD);                                               \
        const int64_t n = *(const int64_t *)args;                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                                                                    \
            gt_device_##name(i, a);                                                                                                        \
        return GT_DEVICE_OK;                                                                                                               \
    }
GT_DEVICE_KERNELS(RUN)
#undef RUN

static const struct {
    const char *name;
    size_t bytes;
    int (*run)(const void *args);
} kernels[] = {
#define ROW(name) {#name, sizeof(struct gt_device_##name##_args), run_##name},
    GT_DEVICE_KERNELS(ROW)
#undef ROW
};

static int host_launch(struct gt_stream *stream, const char *name, int64_t n, const void *args, size_t bytes)
{
    _Alignas(HEAD) char all[HEAD + LARGEST];
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (!strcmp(kernels[k].name, name) && kernels[k].bytes == bytes && bytes <= LARGEST) {
            memcpy(all, &n, sizeof n);
            memcpy(all + HEAD, args, bytes);
            return gt_host_enqueue(stream, GT_HOST_launch, n > 0 ? kernels[k].name : NULL, 0, kernels[k].run, all, HEAD + bytes);
        }
    return gt_host_fail(GT_DEVICE_FAILED, "no kernel '%s' with %zu bytes of arguments", name, bytes);
}

const struct gt_device_ops gt_device_host = {
    .abi = GT_DEVICE_ABI,
    .name = "host",
    .note = "plain C, for tests",
    .count = host_count,
    .describe = host_describe,
    .last_error = gt_host_last_error,
    .open = host_open,
    .close = host_close,
    .alloc = host_alloc,
    .free = host_free,
    .host_alloc = host_host_alloc,
    .host_free = host_free,
    .stream_new = gt_host_stream_new,
    .stream_free = gt_host_stream_free,
    .stream_wait = gt_host_stream_wait,
    .stream_log = gt_host_stream_log,
    .event_new = gt_host_event_new,
    .event_free = gt_host_event_free,
    .event_record = gt_host_event_record,
    .event_wait = gt_host_event_wait,
    .stream_after = gt_host_stream_after,
    .copy_to = host_copy_to,
    .copy_from = host_copy_from,
    .zero = host_zero,
    .launch = host_launch,
    .igemm = gt_host_igemm,
    .fgemm = gt_host_fgemm,
    .syev = gt_host_syev,
    .qr = gt_host_qr,
};
