/* When the work of a stream ran: a pair of events around each operation. */
#include "core/base/monotonic.h"
#include "core/device/cuda_impl.cuh"

#include <stdlib.h>

enum { MOST = 1024 }; /* of work that was begun and not logged yet: more waits for the first */

struct work {
    cudaEvent_t begin, end; /* NULL: not made yet */
    const char *kind;
    size_t bytes;
};

/* Each time is that of the one before it plus what lies between: an event counts in float32 milliseconds. */
struct gt_cuda_log {
    gt_device_log *log;
    void *to;
    cudaEvent_t last; /* end of what was logged last, and when that was */
    int64_t at;
    int depth; /* operations that have begun and not ended */
    int64_t begun, logged;
    struct work work[MOST];
};

static int64_t ns(float ms)
{
    return (int64_t)((double)ms * 1e6 + 0.5);
}

/* Logs what is complete, and waits for the first ones up to number `until`. */
static int log_work(struct gt_cuda_log *log, int64_t until)
{
    for (; log->logged < log->begun; log->logged++) {
        struct work *work = &log->work[log->logged % MOST];
        float before = 0, took = 0;
        cudaError_t status = log->logged < until ? cudaEventSynchronize(work->end) : cudaEventQuery(work->end);
        if (status == cudaErrorNotReady)
            return GT_DEVICE_OK;
        status = status ? status : cudaEventElapsedTime(&before, log->last, work->begin);
        status = status ? status : cudaEventElapsedTime(&took, work->begin, work->end);
        if (status)
            return gt_cuda_check(status, "%s: an operation failed", work->kind);
        const int64_t start = log->at + ns(before);
        const cudaEvent_t end = work->end;
        work->end = log->last;
        log->last = end;
        log->at = start + ns(took);
        log->log(log->to, work->kind, (int64_t)work->bytes, start, log->at);
    }
    return GT_DEVICE_OK;
}

static int make_event(cudaEvent_t *event)
{
    return *event ? GT_DEVICE_OK : gt_cuda_check(cudaEventCreateWithFlags(event, cudaEventDefault), "cannot create an event");
}

int gt_cuda_log_begin(struct gt_stream *stream, const char *kind, size_t bytes)
{
    struct gt_cuda_log *log = stream->log;
    if (!log || log->depth++)
        return GT_DEVICE_OK;
    struct work *work = &log->work[log->begun % MOST];
    int code = log_work(log, log->begun - MOST + 1);
    code = code ? code : make_event(&work->begin);
    code = code ? code : make_event(&work->end);
    work->kind = kind;
    work->bytes = bytes;
    return code ? code : gt_cuda_check(cudaEventRecord(work->begin, stream->stream), "cannot record an event");
}

int gt_cuda_log_end(struct gt_stream *stream, int code)
{
    struct gt_cuda_log *log = stream->log;
    if (!log || --log->depth || code)
        return code;
    code = gt_cuda_check(cudaEventRecord(log->work[log->begun % MOST].end, stream->stream), "cannot record an event");
    log->begun += !code;
    return code;
}

int gt_cuda_log_all(struct gt_stream *stream)
{
    return stream->log ? log_work(stream->log, stream->log->begun) : GT_DEVICE_OK;
}

static void free_log(struct gt_cuda_log *log)
{
    if (log->last)
        cudaEventDestroy(log->last);
    for (int i = 0; i < MOST; i++) {
        if (log->work[i].begin)
            cudaEventDestroy(log->work[i].begin);
        if (log->work[i].end)
            cudaEventDestroy(log->work[i].end);
    }
    free(log);
}

void gt_cuda_log_free(struct gt_stream *stream)
{
    if (!stream->log)
        return;
    (void)gt_cuda_log_all(stream); /* of a stream that failed, what can be measured */
    stream->log->log(stream->log->to, NULL, 0, 0, 0);
    free_log(stream->log);
}

/* The clock of the GPU is tied to the host's by an event that is waited for. */
int gt_cuda_stream_log(struct gt_stream *stream, gt_device_log *log, void *to)
{
    struct gt_cuda_log *made = calloc(1, sizeof *made);
    if (!made)
        return gt_cuda_fail(GT_DEVICE_FAILED, "out of memory");
    int code = gt_cuda_check(cudaSetDevice(stream->device->index), "cannot use GPU %d", stream->device->index);
    code = code ? code : make_event(&made->last);
    code = code ? code : gt_cuda_check(cudaEventRecord(made->last, stream->stream), "cannot record an event");
    code = code ? code : gt_cuda_check(cudaEventSynchronize(made->last), "an operation failed");
    made->at = gt_clock_ns();
    made->log = log;
    made->to = to;
    if (code)
        free_log(made);
    else
        stream->log = made;
    return code;
}
