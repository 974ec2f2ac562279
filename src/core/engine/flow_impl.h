/* What a flow is inside.  flow.c has the interface, flow_tasks.c what workers and
 * readers do, flow_memory.c who gets memory when it is short, flow_trim.c what free items give back then. */
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
    ITEM_BUSY,     /* a callback has it, or will */
    ITEM_WORKED,   /* waits until it is its turn for parts */
    ITEM_FINISHED, /* waits for gt_flow_next, or was delivered */
};

struct item {
    struct item *all;  /* the item that was made before it */
    struct item *free; /* the next free one */
    int64_t task;
    enum item_state state;
    bool used;             /* its data may own something */
    _Atomic int64_t taken; /* bytes that the callbacks of its task took and did not give back */
    alignas(max_align_t) unsigned char data[];
};

struct stage {
    const char *name;
    int number;
};

/* Everything from `items` on is under the pool's lock.
 *
 * Tasks up to next_deliver were delivered; [next_deliver, next_start) are
 * begun, each holding an item in slots[task % items]; the first task that
 * will not be delivered is gt_flow_stop_at(). */
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
    struct item **ready; /* ring: read, wait for work */
    int64_t ready_head, ready_n;
    int64_t next_start, next_deliver;
    int64_t end;         /* number of tasks, INT64_MAX until known */
    int64_t failed_at;   /* lowest task that failed, else INT64_MAX */
    struct gt_err error; /* its error */
    int64_t part_task;   /* parts of the tasks below it are done */
    bool part_active;
    int64_t part_next, part_running;
    int64_t bytes;
    int64_t first;              /* the oldest task whose item is not free */
    int64_t task_bytes;         /* what a task takes, as planned */
    _Atomic int64_t most_taken; /* the most that one took */
    int running;                /* work and part callbacks */
    int consumers;              /* threads inside gt_flow_next */
    int waiting_readers;
    int trimming;  /* threads that free what an item owns */
    bool stopping; /* gt_flow_free was called */
    pthread_cond_t can_read, can_deliver, drained;
};

/* The flow that this thread is a reader of, or NULL. */
extern _Thread_local struct gt_flow *gt_flow_reading_for;

/* The item whose data a callback or consumer has. */
static inline struct item *gt_flow_item_of(void *data)
{
    return (struct item *)((char *)data - offsetof(struct item, data));
}

/* With the lock held: */

static inline struct gt_flow *gt_flow_of(struct gt_pool_source *source)
{
    return (struct gt_flow *)((char *)source - offsetof(struct gt_flow, source));
}

static inline bool gt_flow_halted(const struct gt_flow *flow)
{
    return flow->stopping || atomic_load_explicit(&flow->engine->cancelled, memory_order_relaxed);
}

/* The first task that will not be delivered. */
static inline int64_t gt_flow_stop_at(const struct gt_flow *flow)
{
    return flow->end < flow->failed_at ? flow->end : flow->failed_at;
}

/* Has the next task an item, and memory? */
bool gt_flow_can_start(struct gt_flow *flow);
/* The same, to be asked by others: nothing is noted. */
bool gt_flow_could_start(const struct gt_flow *flow);
/* Is there a task for a worker? */
bool gt_flow_has_task(const struct gt_flow *flow);

/* Something happened that those who wait for memory may have waited for. */
void gt_flow_memory_event(struct gt_pool *pool);
/* Whoever may start a task of the flow looks again. */
void gt_flow_wake_starters(struct gt_flow *flow);
/* An item is free. */
void gt_flow_find_first(struct gt_flow *flow);
/* A flow has come or gone. */
void gt_flow_memory_update(struct gt_pool *pool);
/* Memory is short: frees what the item owns, which nobody else has, or one of the free
 * items.  The lock is dropped meanwhile.  false: none owns anything. */
void gt_flow_trim(struct gt_flow *flow, struct item *item);
bool gt_flow_trim_one(struct gt_pool *pool);

bool gt_flow_run_one(struct gt_pool_source *source); /* as gt_pool_source says */
void gt_flow_wake(struct gt_pool_source *source);

/* Without it: */

void *gt_flow_reader(void *flow); /* a reader thread */

/* The engine's budget asks its flows from now on. */
void gt_flow_keep_memory(struct gt_engine *engine);

/* What this thread does: the item that a callback has; NULL outside of callbacks. */
struct on_thread {
    struct gt_flow *flow;
    struct item *item;
    bool worker; /* work and part */
};
extern _Thread_local struct on_thread gt_flow_on_thread;

/* A callback that runs. */
struct call {
    struct on_thread outer;
    struct gt_span outer_span;
};
struct call gt_flow_call_begin(struct gt_flow *flow, const struct stage *stage, struct item *item);
int64_t gt_flow_call_end(const struct call *call); /* the bytes that the callback moved */

#endif
