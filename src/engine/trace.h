/* What each thread did: (stage, ticket, start, end, bytes) in a ring buffer per
 * thread, and totals per stage that never wrap.  Recording takes no lock. */
#ifndef GT_ENGINE_TRACE_H
#define GT_ENGINE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define GT_TRACE_STAGES 64

struct gt_trace_event {
    int64_t ticket;
    int64_t start, end; /* ns since the trace began */
    int64_t bytes;
    int stage;
};

struct gt_trace_impl;
struct gt_trace {
    struct gt_trace_impl *impl;
};

/* A moment's view, for the progress line. */
struct gt_progress {
    const char *flow;        /* the flow started last that still runs, or NULL */
    int64_t done, tickets;   /* delivered; -1 when not known */
    double seconds;          /* since that flow began */
    int64_t bytes;           /* moved by all stages of that flow */
    int64_t memory_used;     /* budget */
};

int gt_trace_init(struct gt_trace *trace, struct gt_err *err);
void gt_trace_release(struct gt_trace *trace);
/* A stage number for "flow/stage"; the same name gives the same number. */
int gt_trace_stage(struct gt_trace *trace, const char *flow, const char *stage);
int64_t gt_trace_now(const struct gt_trace *trace);
void gt_trace_record(struct gt_trace *trace, const struct gt_trace_event *event);

/* Sums over all threads of one stage. */
struct gt_trace_total {
    const char *flow, *stage;
    int64_t count, ns, bytes;
};
/* totals[0..n), n is returned; at any time. */
int gt_trace_totals(const struct gt_trace *trace, struct gt_trace_total totals[GT_TRACE_STAGES]);

/* Chrome trace JSON (chrome://tracing, Perfetto) of what the rings still hold.
 * No flow may run meanwhile. */
int gt_trace_write(const struct gt_trace *trace, FILE *file, struct gt_err *err);

struct gt_engine;
void gt_progress_get(struct gt_engine *engine, struct gt_progress *progress);

#endif
