/* The engine of a process: limits, budget, worker pool, trace, comm and cancel flag.  A command
 * creates one at start and passes it to everything. */
#ifndef GT_ENGINE_ENGINE_H
#define GT_ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/base/budget.h"
#include "core/base/limits.h"
#include "core/engine/comm.h"
#include "core/engine/plan_record.h"
#include "core/engine/trace.h"

struct gt_pool; /* engine/pool.h */

/* Memory required by the plans of a command, as values of --memory.  Each plan raises both (engine/memory_plan.h). */
struct gt_needs {
    int64_t minimum;   /* bytes; the plan is refused with less; 0: nothing was planned */
    int64_t preferred; /* bytes; more would not be used; INT64_MAX / 2 if unbounded */
    int64_t opened;    /* bytes; the most buffers in use before the first flow, as flows take what there is; 0: none has started */
    bool hinted;       /* the hint of a refusal already states the memory needed */
    bool more;         /* only metadata was planned so far: the plan of the work itself follows */
    bool only_plans;   /* dry run: skip passes that only make the plan more precise */
};

struct gt_engine {
    struct gt_limits limits;
    struct gt_budget budget;
    struct gt_comm comm; /* one rank; else set after gt_engine_init by its owner, who releases it */
    struct gt_trace trace;
    struct gt_pool *pool;
    struct gt_needs *needs;      /* memory required by the plans so far */
    struct gt_plan_record *plan; /* steps and shares of memory so far */
    bool all_chunks;             /* a missing chunk in an input store is an error instead of fill values */
    const char *tmpdir;          /* --tmpdir, $TMPDIR or /tmp */
    _Atomic int cancelled;       /* 0, or the status that flows stop with */
    struct gt_pass {
        _Atomic int64_t size, done, began_ns; /* bytes of the inputs in a full pass; size 0: no pass is running */
    } pass;
};

/* Starts limits.threads workers.  budget.limit is limits.memory less a fixed allowance for
 * code, stacks and libraries; GT_NOFIT when nothing is left. */
int gt_engine_init(struct gt_engine *engine, const struct gt_limits *limits, const char *tmpdir, struct gt_err *err);
void gt_engine_release(struct gt_engine *engine);

/* Begins a pass over inputs of `size` bytes, which then drive the progress display; 0: progress is shown in tasks. */
void gt_engine_pass(struct gt_engine *engine, int64_t size);
/* Adds bytes read in this pass.  Any thread. */
void gt_engine_passed(struct gt_engine *engine, int64_t bytes);
/* Ends the pass; progress is shown in tasks again. */
void gt_engine_pass_over(struct gt_engine *engine);

/* Stops all flows at the next task.  Any thread; not async-signal-safe. */
void gt_engine_cancel(struct gt_engine *engine, int status);
/* 0, or the status that a task of many steps ends with: all flows are being stopped.  Any thread. */
static inline int gt_engine_stopped(const struct gt_engine *engine)
{
    return atomic_load_explicit(&engine->cancelled, memory_order_relaxed);
}

#endif
