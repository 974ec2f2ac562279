/* Queues of operations, which run when they are waited for. */
#include <stdlib.h>
#include <string.h>

#include "core/base/monotonic.h"
#include "core/device/host_internal.h"

struct operation {
    struct operation *next;
    int (*run)(const void *args);
    const char *kind; /* for the log; NULL: nothing to do */
    size_t moved;
    struct gt_stream *other; /* of stream_after: runs first up to `until` */
    int64_t until;
    _Alignas(16) unsigned char args[];
};

struct gt_stream {
    struct gt_device_impl *device;
    struct gt_stream *next;
    struct operation *first, *last;
    int64_t queued, done;
    gt_device_log *log; /* NULL: none was asked for */
    void *log_to;
};

/* A position of a stream. */
struct gt_event {
    struct gt_device_impl *device;
    struct gt_event *next;
    struct gt_stream *stream; /* NULL: everything before it is complete */
    int64_t at;
};

/* --- running: with the lock ------------------------------------------------------ */

/* The first failure is the cause of all later ones, on any thread. */
static int failed(struct gt_device_impl *device, int code)
{
    if (code && !device->failed) {
        device->failed = true;
        gt_host_last_error(device->cause, sizeof device->cause);
    }
    return device->failed ? gt_host_fail(GT_DEVICE_FAILED, "%s", device->cause) : GT_DEVICE_OK;
}

static int run_one(const struct gt_stream *stream, const struct operation *operation)
{
    const bool logged = stream->log && operation->kind;
    const int64_t start = logged ? gt_clock_ns() : 0;
    const int code = operation->run(operation->args);
    if (logged)
        stream->log(stream->log_to, operation->kind, (int64_t)operation->moved, start, gt_clock_ns());
    return code;
}

static int run_until(struct gt_stream *stream, int64_t until)
{
    int code = GT_DEVICE_OK;
    while (stream->done < until) {
        struct operation *operation = stream->first;
        if (operation->other && !stream->device->failed)
            code = run_until(operation->other, operation->until);
        if (!code && operation->run && !stream->device->failed)
            code = run_one(stream, operation);
        (void)failed(stream->device, code);
        stream->first = operation->next;
        stream->done++;
        free(operation);
    }
    if (!stream->first)
        stream->last = NULL;
    return failed(stream->device, GT_DEVICE_OK);
}

static int wait_until(struct gt_stream *stream, int64_t until)
{
    pthread_mutex_lock(&stream->device->lock);
    const int code = run_until(stream, until);
    pthread_mutex_unlock(&stream->device->lock);
    return code;
}

static int injected(const void *args)
{
    (void)args;
    return gt_host_fail(GT_DEVICE_FAILED, "fault injected, found at the end of the operation");
}

/* What the fault table and earlier failures say of a call. */
static int begin(struct gt_device_impl *device, enum gt_host_operation operation, bool *late)
{
    const enum gt_host_fault fault = gt_host_fault(operation);
    *late = fault == GT_HOST_FAILS_LATE;
    pthread_mutex_lock(&device->lock);
    const int code = failed(device, fault == GT_HOST_FAILS ? GT_DEVICE_FAILED : GT_DEVICE_OK);
    pthread_mutex_unlock(&device->lock);
    return code;
}

static struct operation *new_operation(int (*run)(const void *args), const void *args, size_t bytes)
{
    struct operation *operation = calloc(1, sizeof *operation + bytes);
    if (!operation) {
        gt_host_fail(GT_DEVICE_FAILED, "out of memory");
        return NULL;
    }
    operation->run = run;
    if (bytes)
        memcpy(operation->args, args, bytes);
    return operation;
}

static int append(struct gt_stream *stream, struct operation *operation, const struct gt_event *after)
{
    if (!operation)
        return GT_DEVICE_FAILED;
    pthread_mutex_lock(&stream->device->lock);
    if (after && after->stream && after->stream != stream) {
        operation->other = after->stream;
        operation->until = after->at;
    }
    if (stream->last)
        stream->last->next = operation;
    else
        stream->first = operation;
    stream->last = operation;
    stream->queued++;
    pthread_mutex_unlock(&stream->device->lock);
    return GT_DEVICE_OK;
}

int gt_host_enqueue(struct gt_stream *stream, enum gt_host_operation operation, const char *kind, size_t moved,
                    int (*run)(const void *args), const void *args, size_t bytes)
{
    bool late;
    const int code = begin(stream->device, operation, &late);
    struct operation *made = code ? NULL : new_operation(late ? injected : run, args, bytes);
    if (made) {
        made->kind = late ? NULL : kind;
        made->moved = moved;
    }
    return code ? code : append(stream, made, NULL);
}

/* --- streams and events ------------------------------------------------------------- */

int gt_host_stream_new(struct gt_device_impl *device, struct gt_stream **stream)
{
    bool late;
    if (begin(device, GT_HOST_stream_new, &late) || late)
        return GT_DEVICE_FAILED;
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return gt_host_fail(GT_DEVICE_FAILED, "out of memory");
    pthread_mutex_lock(&device->lock);
    (*stream)->device = device;
    (*stream)->next = device->streams;
    device->streams = *stream;
    pthread_mutex_unlock(&device->lock);
    return GT_DEVICE_OK;
}

void gt_host_wait_all(struct gt_device_impl *device)
{
    pthread_mutex_lock(&device->lock);
    for (struct gt_stream *stream = device->streams; stream; stream = stream->next)
        (void)run_until(stream, stream->queued);
    pthread_mutex_unlock(&device->lock);
}

void gt_host_stream_free(struct gt_stream *stream)
{
    if (!stream)
        return;
    gt_host_wait_all(stream->device); /* others may be waiting for this one */
    pthread_mutex_lock(&stream->device->lock);
    for (struct gt_event *event = stream->device->events; event; event = event->next)
        if (event->stream == stream)
            event->stream = NULL;
    struct gt_stream **at = &stream->device->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    pthread_mutex_unlock(&stream->device->lock);
    if (stream->log)
        stream->log(stream->log_to, NULL, 0, 0, 0);
    free(stream);
}

/* A wait that fails is a failure of the device: afterwards no operation runs, and the caller may free what they use. */
static int begin_wait(struct gt_device_impl *device, enum gt_host_operation operation)
{
    bool late;
    int code = begin(device, operation, &late);
    if (!code && late) {
        pthread_mutex_lock(&device->lock);
        code = failed(device, injected(NULL));
        pthread_mutex_unlock(&device->lock);
    }
    return code;
}

int gt_host_stream_wait(struct gt_stream *stream)
{
    const int code = begin_wait(stream->device, GT_HOST_stream_wait);
    return code ? code : wait_until(stream, stream->queued);
}

int gt_host_stream_log(struct gt_stream *stream, gt_device_log *log, void *to)
{
    bool late;
    if (begin(stream->device, GT_HOST_stream_log, &late) || late)
        return GT_DEVICE_FAILED;
    pthread_mutex_lock(&stream->device->lock); /* a wait for another stream may run this one */
    stream->log = log;
    stream->log_to = to;
    pthread_mutex_unlock(&stream->device->lock);
    return GT_DEVICE_OK;
}

int gt_host_event_new(struct gt_device_impl *device, struct gt_event **event)
{
    bool late;
    if (begin(device, GT_HOST_event_new, &late) || late)
        return GT_DEVICE_FAILED;
    *event = calloc(1, sizeof **event);
    if (!*event)
        return gt_host_fail(GT_DEVICE_FAILED, "out of memory");
    pthread_mutex_lock(&device->lock);
    (*event)->device = device;
    (*event)->next = device->events;
    device->events = *event;
    pthread_mutex_unlock(&device->lock);
    return GT_DEVICE_OK;
}

void gt_host_event_free(struct gt_event *event)
{
    if (!event)
        return;
    pthread_mutex_lock(&event->device->lock);
    struct gt_event **at = &event->device->events;
    while (*at != event)
        at = &(*at)->next;
    *at = event->next;
    pthread_mutex_unlock(&event->device->lock);
    free(event);
}

int gt_host_event_record(struct gt_event *event, struct gt_stream *stream)
{
    bool late;
    const int code = begin(stream->device, GT_HOST_event_record, &late);
    if (code)
        return code;
    event->stream = stream;
    event->at = stream->queued;
    return late ? append(stream, new_operation(injected, NULL, 0), NULL) : GT_DEVICE_OK;
}

int gt_host_event_wait(struct gt_event *event)
{
    const int code = begin_wait(event->device, GT_HOST_event_wait);
    if (code)
        return code;
    return event->stream ? wait_until(event->stream, event->at) : GT_DEVICE_OK;
}

int gt_host_stream_after(struct gt_stream *stream, struct gt_event *event)
{
    bool late;
    const int code = begin(stream->device, GT_HOST_stream_after, &late);
    return code ? code : append(stream, new_operation(late ? injected : NULL, NULL, 0), event);
}
