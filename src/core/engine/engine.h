/* The engine of one process: limits, budget, worker pool, trace, comm and the
 * cancel flag.  One is made by a command at start and handed to everything. */
#ifndef GT_ENGINE_ENGINE_H
#define GT_ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/base/budget.h"
#include "core/base/limits.h"
#include "core/engine/comm.h"
#include "core/engine/trace.h"

struct gt_pool; /* engine/pool.h */

/* Memory that a command takes by its plan, as values of --memory.  Each plan raises both (engine/memory_plan.h). */
struct gt_needs {
    int64_t minimum;   /* bytes; with fewer it is refused; 0: nothing was planned */
    int64_t preferred; /* bytes; more are not used; INT64_MAX / 2 when there is no bound */
    bool told;         /* the hint of a refusal says already what is needed */
    bool only_plans;   /* nothing will be computed: passes that only make the plan exact are left out */
};

struct gt_engine {
    struct gt_limits limits;
    struct gt_budget budget;
    struct gt_comm comm;
    struct gt_trace trace;
    struct gt_pool *pool;
    struct gt_needs *needs; /* memory that the plans so far take */
    bool all_chunks;        /* a chunk that a store for reading lacks is an error, and not fill values */
    const char *tmpdir;     /* --tmpdir, $TMPDIR or /tmp */
    _Atomic int cancelled;  /* 0, or the status that flows stop with */
    struct gt_pass {
        _Atomic int64_t size, done, began_ns; /* of the inputs that are read from end to end; size 0: there is no such pass */
    } pass;
};

/* Starts limits.threads workers.  budget.limit = limits.memory less a fixed
 * allowance for code, stacks and libraries; GT_NOFIT when nothing is left. */
int gt_engine_init(struct gt_engine *engine, const struct gt_limits *limits, const char *tmpdir, struct gt_err *err);
void gt_engine_release(struct gt_engine *engine);

/* A pass over inputs of so many bytes begins, and its progress is told by them; 0: it is told as tasks are. */
void gt_engine_pass(struct gt_engine *engine, int64_t size);
/* Any thread: so many of them were read. */
void gt_engine_passed(struct gt_engine *engine, int64_t bytes);
/* It has ended: what goes on tells of its tasks. */
void gt_engine_pass_over(struct gt_engine *engine);

/* Stop all flows at the next task; async-signal-unsafe, any thread. */
void gt_engine_cancel(struct gt_engine *engine, int status);

#endif
