/* Flows: bounded, ordered, parallel runs over tasks.
 *
 * The tasks of a flow are numbered 0, 1, 2, ...  Each task gets an item (a zeroed struct of
 * item_size bytes, reused after gt_flow_done) and passes through
 *
 *     read    on an I/O thread: input.  With readers == 1 in task order, one at a time;
 *             with more readers tasks are read concurrently.
 *     work    on a worker thread: decode and compute, in any order.
 *     part    on worker threads, `parts` calls per task, concurrently and in any order.  All
 *             parts of task t end before a part of task t+1 starts, so each part may
 *             accumulate into state it owns, and sums are in task order.
 *     next / commit   in task order, on the thread that calls gt_flow_next
 *             (or gt_flow_run).
 *
 * read, work and part may each be NULL, but not all three.  Without read, `tasks` must be
 * known.
 *
 * Memory.  At most `items` tasks are in flight, chosen so that items * task_bytes fits in
 * `memory` (at least one).  When the budget is full, further allocations in callbacks block
 * until memory is released; the oldest task has priority, so it always completes and releases
 * its memory (flow_memory.c).  Requests that cannot be met this way fail with GT_NOFIT.  Any
 * callback may block in an allocation, so it must not hold a lock while allocating, except as
 * gt_budget_locked describes, nor wait for another callback, except as gt_budget_waiting
 * describes.  One thread, besides the engine's own, uses the flows of an engine.
 *
 * Chains.  A flow may pull from another one: its read callback (readers == 1) calls
 * gt_flow_next on the upstream flow.  work and part must not.  Workers prefer the flow that
 * was started last (the downstream one).
 *
 * Errors.  The first failing callback cancels the flow.  gt_flow_next and gt_flow_run return
 * its error after all earlier tasks have been delivered; later tasks are never delivered.
 * gt_engine_cancel stops every flow with its status. */
#ifndef GT_ENGINE_FLOW_H
#define GT_ENGINE_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "core/engine/engine.h"

struct gt_flow;

struct gt_flow_ops {
    const char *name;      /* "pack", for trace and progress: static text */
    const char *read_name; /* stage names: "read", "decode", ...: static text, NULL = default */
    const char *work_name;
    const char *part_name;
    size_t item_size;
    /* GT_END ends the flow before this task (readers == 1 only). */
    int (*read)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*work)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*part)(void *ctx, int64_t task, int64_t part, void *item, struct gt_err *err);
    /* Does each part of this item take little time?  Then a thread takes half of its share at once.  Called with a lock held: it must not
     * wait or change anything.  NULL: no. */
    bool (*light)(void *ctx, const void *item);
    /* Frees what the item owns and is followed by zeroing it: at the end, or earlier when
     * memory is short and the item is unused.  Any thread.  May be NULL. */
    void (*release)(void *ctx, void *item);
    /* In its place at the end, where what the item owns may be kept for another flow.  NULL: release. */
    void (*end)(void *ctx, void *item);
};

struct gt_flow_opts {
    int64_t tasks;     /* number of tasks; -1: until read returns GT_END */
    int64_t parts;     /* calls of part per task; 0 when part is NULL */
    int readers;       /* I/O threads; 0 = 1 */
    size_t task_bytes; /* upper bound of the memory of a task, to choose `items` */
    int64_t memory;    /* memory of this flow (engine/memory_plan.h); 0 = a quarter of the budget */
    int max_items;     /* 0 = 2 * threads + readers + 1 */
    int workers;       /* maximum of worker threads; 0 = all (for scaling measurements) */
};

/* Number of tasks in flight when neither max_items nor memory limits it. */
int gt_flow_most_items(const struct gt_engine *engine, int readers);

/* Starts running immediately.  ctx must outlive the flow. */
int gt_flow_start(struct gt_flow **out, struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                  struct gt_err *err);

/* Blocks until the next task in order is finished.  The caller owns the item until
 * gt_flow_done.  GT_END after the last task; errors as above.  One caller at a time; before
 * the call, at least one of the items must have been returned. */
int gt_flow_next(struct gt_flow *flow, void **item, int64_t *task, struct gt_err *err);
void gt_flow_done(struct gt_flow *flow, void *item);

/* Cancels unfinished tasks, waits for running callbacks and frees all items.  NULL is allowed. */
void gt_flow_free(struct gt_flow *flow);

/* Calls commit(ctx, task, item) for each task in order, and gives it back.  commit may be NULL. */
int gt_flow_commit(struct gt_flow *flow, int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);
/* Starts a flow, commits its tasks and frees the flow. */
int gt_flow_run(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);

/* Adds bytes moved by the current callback to the trace (the rate of the progress line). */
void gt_flow_bytes(int64_t bytes);

#endif
