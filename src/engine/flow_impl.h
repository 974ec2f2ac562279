/* What a flow is inside.  flow.c has the interface, flow_tasks.c what workers and
 * readers do. */
#ifndef GT_ENGINE_FLOW_IMPL_H
#define GT_ENGINE_FLOW_IMPL_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "engine/flow.h"
#include "engine/pool.h"

enum item_state {
    ITEM_BUSY,     /* a callback has it, or will */
    ITEM_WORKED,   /* waits until it is its turn for parts */
    ITEM_FINISHED, /* waits for gt_flow_next */
};

struct item {
    struct item *all;  /* the item that was made before it */
    struct item *free; /* the next free one */
    int64_t ticket;
    enum item_state state;
    alignas(max_align_t) unsigned char data[];
};

struct stage {
    const char *name;
    int number;
};

/* Everything from `items` on is under the pool's lock.
 *
 * Tickets up to next_deliver were delivered; [next_deliver, next_start) are
 * begun, each holding an item in slots[ticket % items]; the first ticket that
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
    int64_t end;         /* number of tickets, INT64_MAX until known */
    int64_t failed_at;   /* lowest ticket that failed, else INT64_MAX */
    struct gt_err error; /* its error */
    int64_t part_ticket; /* parts of the tickets below it are done */
    bool part_active;
    int64_t part_next, part_running;
    int64_t bytes;
    int running;   /* work and part callbacks */
    int consumers; /* threads inside gt_flow_next */
    bool stopping; /* gt_flow_free was called */
    pthread_cond_t can_read, can_deliver, drained;
};

/* The flow that this thread is a reader of, or NULL. */
extern _Thread_local struct gt_flow *gt_flow_reading_for;

/* With the lock held: */

static inline struct gt_flow *gt_flow_of(struct gt_pool_source *source)
{
    return (struct gt_flow *)((char *)source - offsetof(struct gt_flow, source));
}

static inline bool gt_flow_halted(const struct gt_flow *flow)
{
    return flow->stopping || atomic_load_explicit(&flow->engine->cancelled, memory_order_relaxed);
}

/* The first ticket that will not be delivered. */
static inline int64_t gt_flow_stop_at(const struct gt_flow *flow)
{
    return flow->end < flow->failed_at ? flow->end : flow->failed_at;
}

static inline bool gt_flow_can_start(const struct gt_flow *flow)
{
    return flow->next_start < gt_flow_stop_at(flow) && flow->free_items;
}

bool gt_flow_run_one(struct gt_pool_source *source); /* as gt_pool_source says */
void gt_flow_wake(struct gt_pool_source *source);

/* Without it: */

void *gt_flow_reader(void *flow); /* a reader thread */

/* A callback's time and bytes. */
struct call {
    const struct stage *stage;
    int64_t ticket, start, outer_bytes;
};
struct call gt_flow_call_begin(struct gt_flow *flow, const struct stage *stage, int64_t ticket);
int64_t gt_flow_call_end(struct gt_flow *flow, const struct call *call); /* the bytes that the callback moved */

#endif
