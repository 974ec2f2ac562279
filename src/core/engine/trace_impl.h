/* What a trace is inside: trace.c records, trace_write.c writes. */
#ifndef GT_ENGINE_TRACE_IMPL_H
#define GT_ENGINE_TRACE_IMPL_H

#include <stdatomic.h>
#include <time.h>

#include "core/engine/trace.h"

#define GT_RING_EVENTS 8192
#define GT_RING_SUMS 1024
#define GT_TRACE_MOMENTS 2048

/* A task, or the part of one that was spent waiting (worked is 0 then). */
struct gt_trace_event {
    int64_t task, start, end, worked, waited, bytes;
    int stage;
    bool wait;
};

/* Tasks of one stage that ended in one stretch of time. */
struct gt_trace_sum {
    int64_t stretch, start; /* its number; the start of the first task */
    int64_t count, worked, waited, bytes;
    int stage;
};

/* Written by one thread at a time; a new thread takes over the ring of one that ended. */
struct gt_ring {
    struct gt_ring *next;
    struct gt_trace_impl *impl;
    int number;
    char thread[32];   /* or stream */
    bool in_use;       /* under the lock, as the next two */
    clockid_t clock;   /* CPU time of the thread that uses it */
    int64_t cpu;       /* ns of CPU of the threads that ended */
    _Atomic int64_t n; /* events ever recorded */
    struct {
        _Atomic int64_t count, worked, waited, bytes, longest; /* longest: most work of a task */
    } totals[GT_TRACE_STAGES];
    struct gt_trace_event events[GT_RING_EVENTS];
    int n_sums;
    int64_t stretch_ns;
    struct gt_trace_sum sums[GT_RING_SUMS]; /* of what the ring has lost, in order of their stretches */
};

/* ns of CPU of its threads so far; under the lock. */
int64_t gt_ring_cpu(const struct gt_ring *ring);
/* One more; NULL: out of memory.  Under the lock. */
struct gt_ring *gt_ring_new(struct gt_trace_impl *impl);
void gt_ring_record(struct gt_ring *ring, const struct gt_trace_event *event);

struct gt_trace_impl {
    pthread_mutex_t lock;
    pthread_key_t key; /* this thread's ring */
    int64_t began;     /* of gt_clock_ns */
    struct gt_ring *rings;
    int n_rings;
    struct {
        const char *flow, *stage;
    } stages[GT_TRACE_STAGES];
    int n_stages;
    _Atomic int64_t next_moment; /* when it is due */
    int64_t moment_every;        /* ns */
    int n_moments;
    struct gt_trace_moment moments[GT_TRACE_MOMENTS];
    struct gt_trace_impl *streams; /* of devices: a ring for each, and a stage for each kind of work; NULL: none had a row */
};

#endif
