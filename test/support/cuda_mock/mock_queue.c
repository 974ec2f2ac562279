/* Streams and events: work runs when it is waited for. */
#include "mock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A position in a stream. */
struct mark {
    struct mark *next;
    struct CUstream_st *stream;
    bool done;
    struct timespec when; /* it was done */
};

struct work {
    struct work *next;
    const char *name;
    void (*run)(const void *args);
    struct mark *wait, *mark;
    bool fails;
    int n_ranges;
    struct mock_range ranges[8];
    void *args;
};

struct CUstream_st {
    struct CUstream_st *next;
    struct work *first, *last;
};

struct CUevent_st {
    struct mark *mark; /* NULL: not recorded */
    unsigned flags;
};

static struct CUstream_st *streams;
static struct mark *marks;
static cudaError_t lost;

cudaError_t mock_lost(void)
{
    return lost;
}

/* --- running -------------------------------------------------------------------------------------------- */

static void step(struct CUstream_st *stream);

static bool is_blocked(const struct CUstream_st *stream)
{
    return stream->first->wait && !stream->first->wait->done;
}

/* Other streams go on for a while, where GT_MOCK_ORDER says so. */
static void run_others(const struct CUstream_st *stream)
{
    static int64_t seed;
    static unsigned state;
    if (seed != mock_number("GT_MOCK_ORDER", 0))
        state = (unsigned)(seed = mock_number("GT_MOCK_ORDER", 0));
    for (struct CUstream_st *other = streams; seed && other; other = other->next) {
        state = state * 1664525u + 1013904223u;
        if (other != stream && other->first && !is_blocked(other) && state >> 31)
            step(other);
    }
}

static void step(struct CUstream_st *stream)
{
    struct work *work = stream->first;
    while (work->wait && !work->wait->done && !lost)
        step(work->wait->stream);
    stream->first = work->next;
    if (!stream->first)
        stream->last = NULL;
    for (int i = 0; i < work->n_ranges; i++) {
        bool whole;
        mock_memory_find(work->ranges[i].address, work->ranges[i].bytes, &whole);
        if (!whole)
            mock_fault("%s runs with memory that was freed", work->name);
    }
    if (work->fails)
        lost = cudaErrorLaunchFailure;
    if (work->run && !lost)
        work->run(work->args);
    if (work->mark) {
        work->mark->done = true;
        clock_gettime(CLOCK_MONOTONIC, &work->mark->when);
    }
    free(work->args);
    free(work);
}

cudaError_t mock_run_stream(cudaStream_t stream)
{
    if (!stream->first)
        return lost;
    mock_memory_open();
    while (stream->first) {
        run_others(stream);
        step(stream);
    }
    mock_memory_close();
    return lost;
}

cudaError_t mock_run_all(void)
{
    for (struct CUstream_st *s = streams; s; s = s->next)
        mock_run_stream(s);
    return lost;
}

/* --- queueing ------------------------------------------------------------------------------------------- */

static bool overlap(const struct mock_range *range, const void *address, size_t bytes)
{
    const char *a = range->address, *b = address;
    return range->bytes ? a < b + bytes && b < a + range->bytes : a >= b && a < b + bytes;
}

bool mock_in_use(const void *address, size_t bytes)
{
    for (const struct CUstream_st *s = streams; s; s = s->next)
        for (const struct work *w = s->first; w; w = w->next)
            for (int i = 0; i < w->n_ranges; i++)
                if (overlap(&w->ranges[i], address, bytes))
                    return true;
    return false;
}

static struct work *append(cudaStream_t stream, const char *name)
{
    struct work *work = calloc(1, sizeof *work);
    work->name = name;
    if (stream->last)
        stream->last->next = work;
    else
        stream->first = work;
    stream->last = work;
    return work;
}

cudaError_t mock_enqueue(cudaStream_t stream, const char *name, void (*run)(const void *args), const void *args, size_t bytes,
                         const struct mock_range *ranges, int n_ranges)
{
    const bool fails = mock_fails_late();
    if (!mock_object_check("stream", stream))
        return cudaErrorInvalidResourceHandle;
    for (int i = 0; i < n_ranges; i++) {
        bool whole;
        mock_memory_find(ranges[i].address, ranges[i].bytes, &whole);
        if (!whole) {
            mock_fault("%s: operand %d of %zu bytes is not live memory", name, i, ranges[i].bytes);
            return cudaErrorInvalidValue;
        }
    }
    if (lost)
        return lost;
    struct work *work = append(stream, name);
    work->run = run;
    work->fails = fails;
    work->n_ranges = n_ranges;
    memcpy(work->ranges, ranges, (size_t)n_ranges * sizeof *ranges);
    work->args = malloc(bytes);
    memcpy(work->args, args, bytes);
    return cudaSuccess;
}

/* --- the API -------------------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    cudaError_t status = mock_enter(__func__, "%u", flags) ? cudaErrorUnknown : lost;
    if (!status) {
        if (flags != cudaStreamNonBlocking)
            mock_fault("a stream that waits for the default stream");
        *stream = mock_object_new("stream", sizeof **stream);
        (*stream)->next = streams;
        streams = *stream;
    }
    mock_leave();
    return status;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    mock_enter(__func__, "%p", (void *)stream);
    if (mock_object_check("stream", stream) && stream->first)
        mock_fault("a stream is destroyed before its work is done");
    mock_object_free("stream", stream);
    mock_leave();
    return lost;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t status = mock_enter(__func__, "%p", (void *)stream) ? cudaErrorUnknown : lost;
    if (!mock_object_check("stream", stream))
        status = cudaErrorInvalidResourceHandle;
    else if (mock_run_stream(stream) != cudaSuccess)
        status = lost;
    mock_leave();
    return status;
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t status = mock_enter(__func__, "%s", "") ? cudaErrorUnknown : lost;
    mock_run_all();
    mock_leave();
    return status ? status : lost;
}

static int64_t ticks(const struct timespec *time)
{
    return time->tv_sec * INT64_C(2000000) + time->tv_nsec / 500;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    cudaError_t status = mock_enter(__func__, "%u", flags) ? cudaErrorUnknown : lost;
    if (!status) {
        *event = mock_object_new("event", sizeof **event);
        (*event)->flags = flags;
    }
    mock_leave();
    return status;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t status = mock_enter(__func__, "%p", (void *)event) ? cudaErrorUnknown : lost;
    if (!mock_object_check("event", event))
        status = cudaErrorInvalidResourceHandle;
    if (!status && event->mark && !event->mark->done)
        status = cudaErrorNotReady;
    mock_leave();
    return status;
}

/* Of a clock of its own, which counts half microseconds. */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t status = mock_enter(__func__, "%p %p", (void *)start, (void *)end) ? cudaErrorUnknown : lost;
    if (!mock_object_check("event", start) || !mock_object_check("event", end))
        status = cudaErrorInvalidResourceHandle;
    else if (start->flags || end->flags || !start->mark || !end->mark || !start->mark->done || !end->mark->done)
        mock_fault("%s: an event without a time", __func__);
    else
        *ms = (float)(ticks(&end->mark->when) - ticks(&start->mark->when)) / 2e3f;
    mock_leave();
    return status;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    mock_enter(__func__, "%p", (void *)event);
    mock_object_free("event", event);
    mock_leave();
    return lost;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t status = mock_enter(__func__, "%p %p", (void *)event, (void *)stream) ? cudaErrorUnknown : lost;
    if (!mock_object_check("event", event) || !mock_object_check("stream", stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status) {
        struct mark *mark = calloc(1, sizeof *mark);
        mark->stream = stream;
        mark->next = marks;
        marks = mark;
        struct work *work = append(stream, "cudaEventRecord");
        work->mark = event->mark = mark;
        work->fails = mock_fails_late();
    }
    mock_leave();
    return status;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t status = mock_enter(__func__, "%p", (void *)event) ? cudaErrorUnknown : lost;
    if (!mock_object_check("event", event))
        status = cudaErrorInvalidResourceHandle;
    mock_memory_open();
    while (!status && event->mark && !event->mark->done) {
        run_others(event->mark->stream);
        if (!event->mark->done)
            step(event->mark->stream);
    }
    mock_memory_close();
    mock_leave();
    return status ? status : lost;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t status = mock_enter(__func__, "%p %p %u", (void *)stream, (void *)event, flags) ? cudaErrorUnknown : lost;
    if (!mock_object_check("event", event) || !mock_object_check("stream", stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status && event->mark) {
        struct work *work = append(stream, "cudaStreamWaitEvent");
        work->wait = event->mark;
        work->fails = mock_fails_late();
    }
    mock_leave();
    return status;
}
