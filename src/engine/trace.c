#include "config.h"

#include "engine/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define RING_EVENTS 8192

struct totals {
    _Atomic int64_t count, ns, bytes;
};

/* Written by one thread at a time; a new thread takes over the ring of one that ended. */
struct ring {
    struct ring *next;
    struct gt_trace_impl *impl;
    int number;
    char thread[16];
    bool in_use;       /* under the lock */
    _Atomic int64_t n; /* events ever recorded */
    struct totals totals[GT_TRACE_STAGES];
    struct gt_trace_event events[RING_EVENTS];
};

struct gt_trace_impl {
    pthread_mutex_t lock;
    pthread_key_t key; /* this thread's ring */
    struct timespec began;
    struct ring *rings;
    int n_rings;
    struct {
        const char *flow, *stage;
    } stages[GT_TRACE_STAGES];
    int n_stages;
};

static void leave_ring(void *arg)
{
    struct ring *ring = arg;
    pthread_mutex_lock(&ring->impl->lock);
    ring->in_use = false;
    pthread_mutex_unlock(&ring->impl->lock);
}

int gt_trace_init(struct gt_trace *trace, struct gt_err *err)
{
    struct gt_trace_impl *impl = trace->impl = gt_alloc(1, sizeof *impl, err);
    if (!impl)
        return GT_FAIL;
    int rc = pthread_key_create(&impl->key, leave_ring);
    if (rc) {
        free(impl);
        trace->impl = NULL;
        return gt_fail_errno(err, rc, "cannot start the trace");
    }
    pthread_mutex_init(&impl->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &impl->began);
    return GT_OK;
}

void gt_trace_release(struct gt_trace *trace)
{
    struct gt_trace_impl *impl = trace->impl;
    if (!impl)
        return;
    pthread_key_delete(impl->key);
    for (struct ring *ring = impl->rings, *next; ring; ring = next) {
        next = ring->next;
        free(ring);
    }
    pthread_mutex_destroy(&impl->lock);
    free(impl);
    trace->impl = NULL;
}

int gt_trace_stage(struct gt_trace *trace, const char *flow, const char *stage)
{
    struct gt_trace_impl *impl = trace->impl;
    int i;
    pthread_mutex_lock(&impl->lock);
    for (i = 0; i < impl->n_stages; i++)
        if (!strcmp(impl->stages[i].flow, flow) && !strcmp(impl->stages[i].stage, stage))
            break;
    if (i == impl->n_stages && i < GT_TRACE_STAGES) {
        impl->stages[i].flow = flow;
        impl->stages[i].stage = stage;
        impl->n_stages++;
    }
    pthread_mutex_unlock(&impl->lock);
    /* more stages than there is room for share the last number */
    return i < GT_TRACE_STAGES ? i : GT_TRACE_STAGES - 1;
}

int64_t gt_trace_now(const struct gt_trace *trace)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - trace->impl->began.tv_sec) * INT64_C(1000000000) + (now.tv_nsec - trace->impl->began.tv_nsec);
}

/* A ring for this thread, or NULL when there is no memory for one. */
static struct ring *take_ring(struct gt_trace_impl *impl)
{
    struct ring *ring;
    pthread_mutex_lock(&impl->lock);
    for (ring = impl->rings; ring && ring->in_use; ring = ring->next)
        continue;
    if (!ring && (ring = calloc(1, sizeof *ring)) != NULL) {
        ring->impl = impl;
        ring->number = ++impl->n_rings;
        ring->next = impl->rings;
        impl->rings = ring;
    }
    if (ring) {
        ring->in_use = true;
        pthread_getname_np(pthread_self(), ring->thread, sizeof ring->thread);
        pthread_setspecific(impl->key, ring);
    }
    pthread_mutex_unlock(&impl->lock);
    return ring;
}

static void add(_Atomic int64_t *sum, int64_t n)
{
    /* one writer: no atomic addition is needed */
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

void gt_trace_record(struct gt_trace *trace, const struct gt_trace_event *event)
{
    struct gt_trace_impl *impl = trace->impl;
    struct ring *ring = pthread_getspecific(impl->key);
    if (!ring && !(ring = take_ring(impl)))
        return;
    int64_t n = atomic_load_explicit(&ring->n, memory_order_relaxed);
    ring->events[n % RING_EVENTS] = *event;
    atomic_store_explicit(&ring->n, n + 1, memory_order_release);
    struct totals *totals = &ring->totals[event->stage];
    add(&totals->count, 1);
    add(&totals->ns, event->end - event->start);
    add(&totals->bytes, event->bytes);
}

int gt_trace_totals(const struct gt_trace *trace, struct gt_trace_total totals[GT_TRACE_STAGES])
{
    struct gt_trace_impl *impl = trace->impl;
    int n;
    pthread_mutex_lock(&impl->lock);
    n = impl->n_stages;
    for (int i = 0; i < n; i++) {
        totals[i] = (struct gt_trace_total){.flow = impl->stages[i].flow, .stage = impl->stages[i].stage};
        for (struct ring *ring = impl->rings; ring; ring = ring->next) {
            totals[i].count += atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed);
            totals[i].ns += atomic_load_explicit(&ring->totals[i].ns, memory_order_relaxed);
            totals[i].bytes += atomic_load_explicit(&ring->totals[i].bytes, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&impl->lock);
    return n;
}

static void write_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static void write_ring(const struct gt_trace_impl *impl, const struct ring *ring, FILE *file)
{
    int64_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    fprintf(file, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":", ring->number);
    write_string(file, ring->thread);
    fputs("}}", file);
    for (int64_t i = n > RING_EVENTS ? n - RING_EVENTS : 0; i < n; i++) {
        const struct gt_trace_event *e = &ring->events[i % RING_EVENTS];
        fputs(",\n{\"name\":", file);
        write_string(file, impl->stages[e->stage].stage);
        fputs(",\"cat\":", file);
        write_string(file, impl->stages[e->stage].flow);
        fprintf(file,
                ",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"ticket\":%" PRId64 ",\"bytes\":%" PRId64 "}}",
                ring->number, (double)e->start / 1e3, (double)(e->end - e->start) / 1e3, e->ticket, e->bytes);
    }
}

int gt_trace_write(const struct gt_trace *trace, FILE *file, struct gt_err *err)
{
    struct gt_trace_impl *impl = trace->impl;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"gt-"
          "utils\"}}",
          file);
    pthread_mutex_lock(&impl->lock);
    for (const struct ring *ring = impl->rings; ring; ring = ring->next)
        write_ring(impl, ring, file);
    pthread_mutex_unlock(&impl->lock);
    fputs("\n]}\n", file);
    if (fflush(file) || ferror(file))
        return gt_fail_errno(err, errno, "cannot write the trace");
    return GT_OK;
}
