/* Flows: a bounded, ordered, parallel run over tasks.
 *
 * A flow numbers its work 0, 1, 2, ... (tasks).  Each task gets an item
 * (a zeroed struct of item_size bytes, reused for a later task when it is
 * handed back) and passes through
 *
 *     read    on an I/O thread: bytes in.  With readers == 1, in task order,
 *             one at a time; with more, tasks are read side by side.
 *     work    on a computing thread: decode and compute, any order.
 *     part    on computing threads, `parts` calls a task, part 0..parts-1 in any
 *             order and side by side.  All parts of task t end before any part
 *             of task t+1 starts, so a part may add to state that the part
 *             owns, and the sums are made in task order.
 *     next / commit   in task order, on the thread that calls gt_flow_next
 *             (or gt_flow_run).
 *
 * Any of read, work, part may be NULL, not all three.  Without read, tasks
 * go straight to the workers and `tasks` must be known.
 *
 * Memory.  At most `items` tasks are in flight, chosen so that items * task_bytes fits
 * `memory` (at least one).  What callbacks take beyond that waits, when the budget is full,
 * for what others give back: the oldest task comes first, so that it goes on, is delivered
 * and gives back (flow_memory.c).  What cannot be had that way fails with GT_NOFIT.  Any
 * callback may wait, so none may hold a lock while it takes memory but as
 * gt_budget_locked says, nor wait for another one but as gt_budget_waiting says.  An
 * engine's flows are used by one thread beside its own.
 *
 * Chains.  A flow may pull from another one: its read callback (readers == 1)
 * calls gt_flow_next on the upstream flow.  work and part must never do so.
 * Workers prefer the flow that was started last (the downstream one).
 *
 * Faults.  The first failing callback cancels this flow; the others drain, and
 * gt_flow_next / gt_flow_run return that error once earlier tasks have been
 * delivered... never later ones.  gt_engine_cancel stops every flow with its status. */
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
    /* GT_END from read ends the flow before this task (readers == 1 only). */
    int (*read)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*work)(void *ctx, int64_t task, void *item, struct gt_err *err);
    int (*part)(void *ctx, int64_t task, int64_t part, void *item, struct gt_err *err);
    /* Frees what the item owns: at the end, and earlier when memory is short and the item
     * free; it is zeroed then.  Any thread.  May be NULL. */
    void (*release)(void *ctx, void *item);
};

struct gt_flow_opts {
    int64_t tasks;     /* how many, or -1: until read returns GT_END */
    int64_t parts;     /* calls of part a task; 0 when part is NULL */
    int readers;       /* I/O threads; 0 = 1 */
    size_t task_bytes; /* what one task may take, for choosing `items` */
    int64_t memory;    /* this flow's share (engine/memory_plan.h); 0 = a quarter of the budget */
    int max_items;     /* 0 = 2 * threads + readers + 1 */
    int workers;       /* at most so many computing threads; 0 = all (for scaling measurements) */
};

/* Tasks in flight where neither max_items nor memory bounds them. */
int gt_flow_most_items(const struct gt_engine *engine, int readers);

/* Starts running at once.  ctx must outlive the flow. */
int gt_flow_start(struct gt_flow **out, struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                  struct gt_err *err);

/* The next finished task in order; blocks.  The item is the caller's until
 * gt_flow_done.  GT_END after the last; an error as above.  One caller at a time;
 * at least one item must have been handed back when all are out. */
int gt_flow_next(struct gt_flow *flow, void **item, int64_t *task, struct gt_err *err);
void gt_flow_done(struct gt_flow *flow, void *item);

/* Cancels what is unfinished, waits for running callbacks, frees items. NULL is fine. */
void gt_flow_free(struct gt_flow *flow);

/* start, then commit(ctx, task, item) for each task in order, then free.
 * commit may be NULL. */
int gt_flow_run(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);

/* Bytes the current callback moved, for the trace (rate in the progress line). */
void gt_flow_bytes(int64_t bytes);

#endif
