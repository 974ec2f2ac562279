/* What each thread did, and what it waited for.
 *
 * A task is what stands between gt_trace_begin and gt_trace_end on one thread.  Of its
 * time, that inside gt_cond_wait is waiting, that inside tasks which it runs itself is
 * theirs, and the rest is work.
 *
 * Each thread keeps its last tasks one by one, in a ring; those that the ring loses are
 * added up by stage and stretch of time, the stretches growing with the run.  So what is
 * written adds up to the totals however long the run, in memory that is bounded.
 * Recording takes no lock. */
#ifndef GT_ENGINE_TRACE_H
#define GT_ENGINE_TRACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

#define GT_TRACE_STAGES 64
#define GT_TRACE_QUEUES 4

struct gt_trace_impl;
struct gt_ring;
struct gt_trace {
    struct gt_trace_impl *impl;
};

/* A task that runs.  Times are in ns since the trace began. */
struct gt_span {
    struct gt_trace *trace; /* NULL: none */
    int64_t task, start, bytes;
    int64_t waited, nested; /* ns in waits, and in tasks inside */
    int stage;
};

#define GT_PROGRESS_FLOWS 6

/* A moment's view, for progress displays. */
struct gt_progress {
    int n_flows;
    struct gt_progress_flow {
        const char *name;
        int64_t done, tasks;     /* delivered; tasks: -1 when not known */
        double seconds;          /* since it began */
        int64_t bytes;           /* moved by all its stages */
        int64_t in_flight, most; /* tasks begun and not delivered; the most that may be */
        int64_t ready;           /* of these, read and not begun to be worked on */
        int running;             /* threads that compute for it */
        bool reads;              /* it has reader threads */
    } flow[GT_PROGRESS_FLOWS];   /* those that run; the one started last, which pulls from the others, comes first */
    int64_t memory_used;         /* budget */
    bool memory_short;           /* a task waits for memory */
    int64_t size, read;          /* bytes of the inputs, and of those that were read so far; size 0: they do not tell how far it is */
    double pass_seconds;         /* since the first of them */
};

int gt_trace_init(struct gt_trace *trace, struct gt_err *err);
void gt_trace_release(struct gt_trace *trace);
/* A stage number for "flow/stage"; the same name gives the same number. */
int gt_trace_stage(struct gt_trace *trace, const char *flow, const char *stage);
int64_t gt_trace_now(const struct gt_trace *trace);

/* Begins a task on this thread; what is returned goes to gt_trace_end, on the same thread. */
struct gt_span gt_trace_begin(struct gt_trace *trace, int stage, int64_t task);
/* Ends it; the bytes that it moved are returned. */
int64_t gt_trace_end(const struct gt_span *outer);
/* Begins a task "flow/stage" inside the task of this thread, whose number it has; false outside of tasks, and then nothing is begun.
 * It ends by gt_trace_end(outer).  Both names are static text. */
bool gt_trace_enter(const char *flow, const char *stage, struct gt_span *outer);
/* The task of this thread has moved that many; outside of tasks, nothing. */
void gt_trace_bytes(int64_t bytes);
/* pthread_cond_wait, whose time is not work. */
void gt_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

/* A row for a stream of a device, "DEVICE NAME", which gt_trace_stream_end gives back: a later one of that name takes it over.  Its work is
 * in rows and sums of its own, in none of threads or stages.  NULL: out of memory. */
struct gt_ring *gt_trace_stream(struct gt_trace *trace, const char *device, const char *name);
/* Work of a kind (static text), from start to end of CLOCK_MONOTONIC, in ns; by one thread at a time for a stream, in order. */
void gt_trace_stream_work(struct gt_ring *stream, const char *kind, int64_t bytes, int64_t start, int64_t end);
void gt_trace_stream_end(struct gt_ring *stream);

/* Sums over all threads of one stage. */
struct gt_trace_total {
    const char *flow, *stage;
    int64_t count, bytes;
    int64_t worked, waited; /* ns */
    int64_t longest;        /* most work of one task, ns */
};
/* totals[0..n), n is returned; at any time. */
int gt_trace_totals(const struct gt_trace *trace, struct gt_trace_total totals[GT_TRACE_STAGES]);

/* How full memory and queues were at one time. */
struct gt_trace_moment {
    int64_t time, memory; /* memory: bytes of the budget in use */
    int n_queues;
    struct gt_trace_queue {
        const char *flow;
        int64_t in_flight, waiting; /* tasks begun and not delivered; of these, read and not begun to be worked on */
        int64_t memory;             /* bytes that its callbacks took and did not give back */
    } queue[GT_TRACE_QUEUES];
};
/* Is it time to look at them?  For the thread to which it says so, until the next time;
 * asked after a task. */
bool gt_trace_is_due(struct gt_trace *trace);
void gt_trace_sample(struct gt_trace *trace, struct gt_trace_moment *moment); /* sets its time */

/* Chrome trace JSON (chrome://tracing, Perfetto), every task in it, alone or in a sum; with
 * the totals as "stages".  No flow may run meanwhile.  others: events of other processes, each list after a comma; NULL: there are no
 * other processes. */
int gt_trace_write(const struct gt_trace *trace, const char *others, FILE *file, struct gt_err *err);
/* Its events alone, as those of process number `process`, 2 and above for other processes. */
int gt_trace_write_events(const struct gt_trace *trace, int process, const char *name, FILE *file, struct gt_err *err);

/* The same as figures of a report, into members of the object `to`; `more`: no flow runs, and single tasks may be read; ranks: that put
 * theirs into one report, which limits the size of each, 1 for a report of its own.
 *   stages   [{flow, stage, tasks, worked, waited, longest, bytes}]   sums over all threads, seconds; longest: most work of a task
 *   threads  [{name, cpu, stages: [[stage, worked, waited]]}]    stage: its place in `stages`; seconds; cpu: of the whole thread;
 *            one with a member `threads`, their number, for all of them where all ranks have more than 1,000
 *   memory   [[time, bytes]]                                     buffers in use, at most 250 samples
 *   queues   [{flow, samples: [[time, in flight, waiting, bytes]]}]   tasks that were begun and not delivered; of these, read only;
 *            buffers that its tasks have
 * and, with `more`,
 *   timeline {seconds, bins, threads: [[[bin, stage, worked, waited]]], bytes: [[bin, stage, bytes]]}
 *            worked, waited: thousandths of a bin of `seconds`; bytes: of all threads
 *   tasks    [[thread, stage, start, seconds, waited, task]]     all of them, or empty when there are more than 4,000 / ranks
 * and, where streams of a device had rows (gt_trace_stream), always
 *   devices  [{stages, streams, timeline, tasks}]   as stages, threads, timeline and tasks above, of streams: a stage is a kind of work,
 *            none of it waits, and streams have no cpu; timeline and tasks with `more`
 * A failure to allocate is GT_FAIL. */
struct json_object;
int gt_trace_profile(const struct gt_trace *trace, bool more, int ranks, struct json_object *to, struct gt_err *err);

struct gt_engine;
void gt_progress_get(struct gt_engine *engine, struct gt_progress *progress);

#endif
