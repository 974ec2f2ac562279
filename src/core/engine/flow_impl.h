/* Internals of a flow: flow.c has the interface, flow_tasks.c the worker and reader loops,
 * flow_memory.c the allocation of scarce memory, flow_trim.c the release of memory in free items. */
#ifndef GT_ENGINE_FLOW_IMPL_H
#define GT_ENGINE_FLOW_IMPL_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/engine/flow.h"
#include "core/engine/pool.h"

enum item_state {
    ITEM_FREE,
    ITEM_BUSY,     /* in use by a callback, or reserved for one */
    ITEM_WORKED,   /* waits for its parts */
    ITEM_FINISHED, /* waits for gt_flow_next, or was delivered */
};

struct item {
    struct item *all;  /* list of all items */
    struct item *free; /* list of free items */
    int64_t task;
    enum item_state state;
    bool used;             /* data may own memory */
    _Atomic int64_t taken; /* net bytes allocated by the callbacks of its task */
    alignas(max_align_t) unsigned char data[];
};

struct stage {
    const char *name;
    int number;
};

/* All members from `items` on are protected by the lock of the pool.
 *
 * Tasks below next_deliver were delivered; tasks in [next_deliver, next_start) are in flight,
 * each with an item in slots[task % items].  gt_flow_stop_at() is the first task that will
 * not be delivered. */
struct gt_flow {
    struct gt_pool_source source;
    struct gt_engine *engine;
    struct gt_pool *pool;
    struct gt_flow_ops ops;
    void *ctx;
    int64_t parts;
    int workers;
    int64_t begun_ns;
    struct stage read, work, part, commit;
    pthread_t *readers;
    int n_readers;

    int64_t items;
    struct item *all_items, *free_items;
    struct item **slots;
    struct item **ready; /* ring of items that were read and wait for work */
    int64_t ready_head, ready_n;
    int64_t next_start, next_deliver;
    int64_t end;         /* number of tasks, INT64_MAX until known */
    int64_t failed_at;   /* lowest failed task, or INT64_MAX */
    struct gt_err error; /* its error */
    int64_t part_task;   /* all parts of lower tasks are finished */
    bool part_active;
    int64_t part_next, part_running;
    int64_t at_once; /* parts that a thread takes */
    int64_t bytes;
    int64_t first;              /* the oldest task whose item is in use */
    int64_t task_bytes;         /* planned bytes per task */
    int step;                   /* of the plan record; -1: none */
    bool read_noted;            /* who reads the results is recorded */
    _Atomic int64_t most_taken; /* maximum over tasks of bytes allocated */
    _Atomic int64_t held;       /* bytes that its callbacks took and did not give back */
    int running;                /* running work and part callbacks */
    int consumers;              /* threads inside gt_flow_next */
    int waiting_readers;
    int trimming;  /* threads in the release callback */
    bool stopping; /* gt_flow_free was called */
    pthread_cond_t can_read, can_deliver, drained;
};

/* The flow that this thread is a reader of, or NULL. */
extern _Thread_local struct gt_flow *gt_flow_reading_for;

/* The item whose data was passed to a callback or consumer. */
static inline struct item *gt_flow_item_of(void *data)
{
    return (struct item *)((char *)data - offsetof(struct item, data));
}

/* Called with the lock held: */

static inline struct gt_flow *gt_flow_of(struct gt_pool_source *source)
{
    return (struct gt_flow *)((char *)source - offsetof(struct gt_flow, source));
}

static inline bool gt_flow_halted(const struct gt_flow *flow)
{
    return flow->stopping || gt_engine_stopped(flow->engine);
}

/* The first task that will not be delivered. */
static inline int64_t gt_flow_stop_at(const struct gt_flow *flow)
{
    return flow->end < flow->failed_at ? flow->end : flow->failed_at;
}

/* Can the next task get an item and memory? */
bool gt_flow_can_start(struct gt_flow *flow);
/* The same without side effects, for use by other flows. */
bool gt_flow_could_start(const struct gt_flow *flow);
/* Is there a task for a worker? */
bool gt_flow_has_task(const struct gt_flow *flow);

/* Memory was released: wakes threads that wait for memory. */
void gt_flow_memory_event(struct gt_pool *pool);
/* Wakes the threads that may start a task of this flow. */
void gt_flow_wake_starters(struct gt_flow *flow);
/* Updates `first` after an item became free. */
void gt_flow_find_first(struct gt_flow *flow);
/* Call after a flow was added or removed. */
void gt_flow_memory_update(struct gt_pool *pool);
/* Frees what the item owns, or what any free item owns.  Drops the lock meanwhile.
 * gt_flow_trim_one: false when no free item owns memory. */
void gt_flow_trim(struct gt_flow *flow, struct item *item);
bool gt_flow_trim_one(struct gt_pool *pool);

bool gt_flow_run_one(struct gt_pool_source *source); /* as gt_pool_source says */
void gt_flow_wake(struct gt_pool_source *source);

/* Called without the lock: */

void *gt_flow_reader(void *flow); /* a reader thread */

/* Registers the flow's memory arbitration with the budget of the engine. */
void gt_flow_keep_memory(struct gt_engine *engine);

/* The item of the current callback of this thread; NULL members outside of callbacks. */
struct on_thread {
    struct gt_flow *flow;
    struct item *item;
    bool worker; /* work and part */
};
extern _Thread_local struct on_thread gt_flow_on_thread;

/* A running callback. */
struct call {
    struct on_thread outer;
    struct gt_span outer_span;
};
struct call gt_flow_call_begin(struct gt_flow *flow, const struct stage *stage, struct item *item);
int64_t gt_flow_call_end(const struct call *call); /* the bytes that the callback moved */

#endif
