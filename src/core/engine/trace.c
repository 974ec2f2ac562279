#include "config.h"

#include "core/engine/trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/monotonic.h"
#include "core/base/size.h"
#include "core/engine/trace_impl.h"
#include "core/os/os_process.h"

#define FIRST_STRETCH_NS INT64_C(1000000)
#define FIRST_MOMENTS_NS INT64_C(1000000)

/* The task that this thread is in, and when its last one ended. */
static _Thread_local struct gt_span current;
static _Thread_local int64_t last_end;

/* ns of CPU of the thread of a ring that is in use; under the lock, for which a thread that ends waits. */
static int64_t running_cpu(const struct gt_ring *ring)
{
    struct timespec used;
    return clock_gettime(ring->clock, &used) ? 0 : used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

int64_t gt_ring_cpu(const struct gt_ring *ring)
{
    return ring->cpu + (ring->in_use ? running_cpu(ring) : 0);
}

static void leave_ring(void *arg)
{
    struct gt_ring *ring = arg;
    pthread_mutex_lock(&ring->impl->lock);
    ring->cpu += running_cpu(ring);
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
    impl->began = gt_clock_ns();
    impl->moment_every = FIRST_MOMENTS_NS;
    return GT_OK;
}

static void free_impl(struct gt_trace_impl *impl)
{
    for (struct gt_ring *ring = impl->rings, *next; ring; ring = next) {
        next = ring->next;
        free(ring);
    }
    pthread_mutex_destroy(&impl->lock);
    free(impl);
}

void gt_trace_release(struct gt_trace *trace)
{
    struct gt_trace_impl *impl = trace->impl;
    if (!impl)
        return;
    pthread_key_delete(impl->key);
    if (impl->streams)
        free_impl(impl->streams);
    free_impl(impl);
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
    return gt_clock_ns() - trace->impl->began;
}

struct gt_ring *gt_ring_new(struct gt_trace_impl *impl)
{
    struct gt_ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    ring->impl = impl;
    ring->number = ++impl->n_rings;
    ring->stretch_ns = FIRST_STRETCH_NS;
    ring->next = impl->rings;
    return impl->rings = ring;
}

/* A ring for this thread, or NULL when there is no memory for one. */
static struct gt_ring *take_ring(struct gt_trace_impl *impl)
{
    struct gt_ring *ring;
    pthread_mutex_lock(&impl->lock);
    for (ring = impl->rings; ring && ring->in_use; ring = ring->next)
        continue;
    ring = ring ? ring : gt_ring_new(impl);
    if (ring) {
        ring->in_use = true;
        gt_thread_name(ring->thread, sizeof ring->thread);
        if (!gt_thread_clock(&ring->clock))
            ring->clock = (clockid_t)-1; /* not a clock: no CPU time is known */
        pthread_setspecific(impl->key, ring);
    }
    pthread_mutex_unlock(&impl->lock);
    return ring;
}

/* --- what the ring loses ---------------------------------------------------------- */

/* The sum of a stage in the stretch that comes last, made if it is not there; NULL: no room. */
static struct gt_trace_sum *sum_of(struct gt_trace_sum *sums, int *n, int most, int64_t stretch, int stage)
{
    for (int i = *n; i > 0 && sums[i - 1].stretch == stretch; i--)
        if (sums[i - 1].stage == stage)
            return &sums[i - 1];
    if (*n == most)
        return NULL;
    sums[*n] = (struct gt_trace_sum){.stretch = stretch, .stage = stage, .start = INT64_MAX};
    return &sums[(*n)++];
}

static void add_sum(struct gt_trace_sum *to, const struct gt_trace_sum *from)
{
    to->start = from->start < to->start ? from->start : to->start;
    to->count += from->count;
    to->worked += from->worked;
    to->waited += from->waited;
    to->bytes += from->bytes;
}

/* Stretches twice as long, until half of the room is free. */
static void make_room(struct gt_ring *ring)
{
    while (ring->n_sums > GT_RING_SUMS / 2) {
        int n = 0;
        ring->stretch_ns *= 2;
        for (int i = 0; i < ring->n_sums; i++) {
            struct gt_trace_sum sum = ring->sums[i];
            add_sum(sum_of(ring->sums, &n, i + 1, sum.stretch / 2, sum.stage), &sum);
        }
        ring->n_sums = n;
    }
}

static void keep_sum(struct gt_ring *ring, const struct gt_trace_event *e)
{
    const struct gt_trace_sum one = {0, e->start, 1, e->worked, e->waited, e->bytes, e->stage};
    struct gt_trace_sum *sum;
    while (!(sum = sum_of(ring->sums, &ring->n_sums, GT_RING_SUMS, e->end / ring->stretch_ns, e->stage)))
        make_room(ring);
    add_sum(sum, &one);
}

/* --- recording ------------------------------------------------------------------------ */

static void add(_Atomic int64_t *sum, int64_t n)
{
    /* one writer: no atomic addition is needed */
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

void gt_ring_record(struct gt_ring *ring, const struct gt_trace_event *event)
{
    int64_t n = atomic_load_explicit(&ring->n, memory_order_relaxed);
    struct gt_trace_event *slot = &ring->events[n % GT_RING_EVENTS];
    if (n >= GT_RING_EVENTS && !slot->wait)
        keep_sum(ring, slot);
    *slot = *event;
    atomic_store_explicit(&ring->n, n + 1, memory_order_release);
    if (event->wait)
        return;
    add(&ring->totals[event->stage].count, 1);
    add(&ring->totals[event->stage].worked, event->worked);
    add(&ring->totals[event->stage].waited, event->waited);
    add(&ring->totals[event->stage].bytes, event->bytes);
    if (event->worked > atomic_load_explicit(&ring->totals[event->stage].longest, memory_order_relaxed))
        atomic_store_explicit(&ring->totals[event->stage].longest, event->worked, memory_order_relaxed);
}

/* NULL: there is no memory for one. */
static struct gt_ring *own_ring(struct gt_trace_impl *impl)
{
    struct gt_ring *ring = pthread_getspecific(impl->key);
    return ring ? ring : take_ring(impl);
}

static void record(struct gt_trace_impl *impl, const struct gt_trace_event *event)
{
    struct gt_ring *ring = own_ring(impl);
    if (ring)
        gt_ring_record(ring, event);
}

struct gt_span gt_trace_begin(struct gt_trace *trace, int stage, int64_t task)
{
    struct gt_span outer = current;
    own_ring(trace->impl); /* from here on: one that another thread gives back later has events of this time */
    current = (struct gt_span){.trace = trace, .stage = stage, .task = task, .start = gt_trace_now(trace)};
    return outer;
}

/* gt_trace_stage, without its lock for names that this thread has asked for lately. */
static int stage_of(struct gt_trace *trace, const char *flow, const char *stage)
{
    enum { KNOWN = 4 };
    static _Thread_local struct {
        const struct gt_trace_impl *impl;
        const char *flow, *stage;
        int number;
    } known[KNOWN];
    static _Thread_local unsigned next;
    for (int i = 0; i < KNOWN; i++)
        if (known[i].impl == trace->impl && known[i].flow == flow && known[i].stage == stage)
            return known[i].number;
    const int number = gt_trace_stage(trace, flow, stage), at = (int)(next++ % KNOWN);
    known[at].impl = trace->impl;
    known[at].flow = flow;
    known[at].stage = stage;
    known[at].number = number;
    return number;
}

bool gt_trace_enter(const char *flow, const char *stage, struct gt_span *outer)
{
    if (!current.trace)
        return false;
    *outer = gt_trace_begin(current.trace, stage_of(current.trace, flow, stage), current.task);
    return true;
}

int64_t gt_trace_end(const struct gt_span *outer)
{
    const struct gt_span span = current;
    const int64_t end = gt_trace_now(span.trace), took = end - span.start;
    current = *outer;
    current.nested += took;
    last_end = end;
    record(span.trace->impl, &(struct gt_trace_event){.task = span.task,
                                                      .start = span.start,
                                                      .end = end,
                                                      .worked = took - span.waited - span.nested,
                                                      .waited = span.waited,
                                                      .bytes = span.bytes,
                                                      .stage = span.stage});
    return span.bytes;
}

void gt_trace_bytes(int64_t bytes)
{
    current.bytes += bytes;
}

void gt_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
    struct gt_trace *trace = current.trace;
    int64_t start = trace ? gt_trace_now(trace) : 0, end;
    pthread_cond_wait(cond, lock);
    if (!trace)
        return;
    end = gt_trace_now(trace);
    current.waited += end - start;
    record(trace->impl, &(struct gt_trace_event){
                            .task = current.task, .start = start, .end = end, .waited = end - start, .stage = current.stage, .wait = true});
}

int gt_trace_totals(const struct gt_trace *trace, struct gt_trace_total totals[GT_TRACE_STAGES])
{
    struct gt_trace_impl *impl = trace->impl;
    int n;
    pthread_mutex_lock(&impl->lock);
    n = impl->n_stages;
    for (int i = 0; i < n; i++) {
        totals[i] = (struct gt_trace_total){.flow = impl->stages[i].flow, .stage = impl->stages[i].stage};
        for (struct gt_ring *ring = impl->rings; ring; ring = ring->next) {
            totals[i].count += atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed);
            totals[i].worked += atomic_load_explicit(&ring->totals[i].worked, memory_order_relaxed);
            totals[i].waited += atomic_load_explicit(&ring->totals[i].waited, memory_order_relaxed);
            totals[i].bytes += atomic_load_explicit(&ring->totals[i].bytes, memory_order_relaxed);
            totals[i].longest = gt_max_i64(totals[i].longest, atomic_load_explicit(&ring->totals[i].longest, memory_order_relaxed));
        }
    }
    pthread_mutex_unlock(&impl->lock);
    return n;
}

/* --- samples ---------------------------------------------------------------------------- */

bool gt_trace_is_due(struct gt_trace *trace)
{
    int64_t due = atomic_load_explicit(&trace->impl->next_moment, memory_order_relaxed);
    return last_end >= due && atomic_compare_exchange_strong(&trace->impl->next_moment, &due, INT64_MAX);
}

/* Half of them, from now on half as often. */
static void thin_moments(struct gt_trace_impl *impl)
{
    for (int i = 0; i < GT_TRACE_MOMENTS / 2; i++)
        impl->moments[i] = impl->moments[2 * i];
    impl->n_moments = GT_TRACE_MOMENTS / 2;
    impl->moment_every *= 2;
}

void gt_trace_sample(struct gt_trace *trace, struct gt_trace_moment *moment)
{
    struct gt_trace_impl *impl = trace->impl;
    moment->time = gt_trace_now(trace);
    pthread_mutex_lock(&impl->lock);
    if (impl->n_moments == GT_TRACE_MOMENTS)
        thin_moments(impl);
    impl->moments[impl->n_moments++] = *moment;
    atomic_store_explicit(&impl->next_moment, moment->time + impl->moment_every, memory_order_relaxed);
    pthread_mutex_unlock(&impl->lock);
}
