#include "config.h"

#include "engine/flow.h"

#include <limits.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/str.h"
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

/* Everything from `items` on is under the pool's lock, readers apart.
 *
 * Tickets up to next_deliver were delivered; [next_deliver, next_start) are
 * begun, each holding an item in slots[ticket % items]; the first ticket that
 * will not be delivered is stop_at(). */
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

    int64_t items, made;
    struct item *all_items, *free_items;
    struct item **slots;
    struct item **ready; /* ring: read, wait for work */
    int64_t ready_head, ready_n;
    int64_t next_start, next_deliver;
    int64_t end;           /* number of tickets, INT64_MAX until known */
    int64_t failed_at;     /* lowest ticket that failed, else INT64_MAX */
    struct gt_err error;   /* its error */
    int64_t part_ticket;   /* parts of the tickets below it are done */
    bool part_active;
    int64_t part_next, part_running;
    int64_t bytes;
    int running;   /* work and part callbacks */
    int consumers; /* threads inside gt_flow_next */
    bool stopping; /* gt_flow_free was called */
    pthread_cond_t can_read, can_deliver, drained;
};

/* Bytes that the callback on this thread has moved, and the flow that this thread reads for. */
static _Thread_local int64_t moved_bytes;
static _Thread_local struct gt_flow *reading_for;

void gt_flow_bytes(int64_t bytes)
{
    moved_bytes += bytes;
}

/* --- state, under the lock ---------------------------------------------- */

static struct gt_flow *flow_of(struct gt_pool_source *source)
{
    return (struct gt_flow *)((char *)source - offsetof(struct gt_flow, source));
}

static bool halted(const struct gt_flow *flow)
{
    return flow->stopping || atomic_load_explicit(&flow->engine->cancelled, memory_order_relaxed);
}

static int64_t stop_at(const struct gt_flow *flow)
{
    return flow->end < flow->failed_at ? flow->end : flow->failed_at;
}

static bool can_start(const struct gt_flow *flow)
{
    return flow->next_start < stop_at(flow) && (flow->free_items || flow->made < flow->items);
}

static struct item *start_ticket(struct gt_flow *flow)
{
    struct item *item = flow->free_items;
    if (item) {
        flow->free_items = item->free;
    } else {
        item = gt_xcalloc(1, sizeof *item + flow->ops.item_size);
        item->all = flow->all_items;
        flow->all_items = item;
        flow->made++;
    }
    item->ticket = flow->next_start++;
    item->state = ITEM_BUSY;
    flow->slots[item->ticket % flow->items] = item;
    return item;
}

static void finish_item(struct gt_flow *flow, struct item *item)
{
    item->state = ITEM_FINISHED;
    if (item->ticket == flow->next_deliver)
        pthread_cond_signal(&flow->can_deliver);
}

/* Begins the parts of the next ticket when it is ready for them. */
static void try_parts(struct gt_flow *flow)
{
    while (!flow->part_active && flow->part_ticket < flow->next_start && flow->part_ticket < stop_at(flow)) {
        struct item *item = flow->slots[flow->part_ticket % flow->items];
        if (item->state != ITEM_WORKED)
            return;
        if (flow->parts > 0) {
            flow->part_active = true;
            flow->part_next = 0;
            gt_pool_tasks(flow->pool, flow->parts);
        } else {
            flow->part_ticket++;
            finish_item(flow, item);
        }
    }
}

static void item_worked(struct gt_flow *flow, struct item *item)
{
    if (!flow->ops.part) {
        finish_item(flow, item);
        return;
    }
    item->state = ITEM_WORKED;
    try_parts(flow);
}

static void item_read(struct gt_flow *flow, struct item *item)
{
    if (!flow->ops.work) {
        item_worked(flow, item);
        return;
    }
    flow->ready[(flow->ready_head + flow->ready_n++) % flow->items] = item;
    gt_pool_tasks(flow->pool, 1);
}

/* Wakes whoever may now see that the flow ends earlier than it knew. */
static void stop_moved(struct gt_flow *flow)
{
    pthread_cond_broadcast(&flow->can_read);
    pthread_cond_broadcast(&flow->can_deliver);
}

/* The error of the lowest ticket is the flow's: it does not depend on timing. */
static void fail_at(struct gt_flow *flow, int64_t ticket, int status, const char *stage, struct gt_err *err)
{
    if (ticket >= stop_at(flow))
        return;
    if (status < 0)
        status = GT_FAIL;
    if (!err->status)
        gt_fail(err, status, "%s/%s failed at ticket %lld", flow->ops.name, stage, (long long)ticket);
    flow->error = *err;
    flow->error.status = status;
    flow->failed_at = ticket;
    stop_moved(flow);
}

/* --- callbacks, without the lock ---------------------------------------- */

struct call {
    const struct stage *stage;
    int64_t ticket, start, outer_bytes;
};

static struct call call_begin(struct gt_flow *flow, const struct stage *stage, int64_t ticket)
{
    struct call call = {stage, ticket, gt_trace_now(&flow->engine->trace), moved_bytes};
    moved_bytes = 0;
    return call;
}

/* The bytes that the callback moved. */
static int64_t call_end(struct gt_flow *flow, const struct call *call)
{
    int64_t bytes = moved_bytes;
    moved_bytes = call->outer_bytes;
    gt_trace_record(&flow->engine->trace, &(struct gt_trace_event){.ticket = call->ticket,
                                                                   .start = call->start,
                                                                   .end = gt_trace_now(&flow->engine->trace),
                                                                   .bytes = bytes,
                                                                   .stage = call->stage->number});
    return bytes;
}

static void run_work(struct gt_flow *flow, struct item *item)
{
    struct gt_err err = {0};
    int64_t bytes;
    int status;
    flow->running++;
    pthread_mutex_unlock(&flow->pool->lock);
    struct call call = call_begin(flow, &flow->work, item->ticket);
    status = flow->ops.work(flow->ctx, item->ticket, item->data, &err);
    bytes = call_end(flow, &call);
    pthread_mutex_lock(&flow->pool->lock);
    flow->running--;
    flow->bytes += bytes;
    if (status)
        fail_at(flow, item->ticket, status, flow->work.name, &err);
    else
        item_worked(flow, item);
}

static void run_part(struct gt_flow *flow)
{
    struct item *item = flow->slots[flow->part_ticket % flow->items];
    int64_t part = flow->part_next++, bytes;
    struct gt_err err = {0};
    int status;
    flow->running++;
    flow->part_running++;
    pthread_mutex_unlock(&flow->pool->lock);
    struct call call = call_begin(flow, &flow->part, item->ticket);
    status = flow->ops.part(flow->ctx, item->ticket, part, item->data, &err);
    bytes = call_end(flow, &call);
    pthread_mutex_lock(&flow->pool->lock);
    flow->running--;
    flow->part_running--;
    flow->bytes += bytes;
    if (status) {
        fail_at(flow, item->ticket, status, flow->part.name, &err);
        flow->part_next = flow->parts;
    }
    if (flow->part_running || flow->part_next < flow->parts)
        return;
    flow->part_active = false;
    if (item->ticket >= stop_at(flow))
        return;
    flow->part_ticket++;
    finish_item(flow, item);
    try_parts(flow);
}

static bool run_one_task(struct gt_flow *flow)
{
    if (flow->part_active && flow->part_next < flow->parts) {
        run_part(flow);
        return true;
    }
    while (flow->ready_n) {
        struct item *item = flow->ready[flow->ready_head];
        flow->ready_head = (flow->ready_head + 1) % flow->items;
        flow->ready_n--;
        if (item->ticket < stop_at(flow)) {
            run_work(flow, item);
            return true;
        }
    }
    if (flow->ops.read || !can_start(flow))
        return false;
    struct item *item = start_ticket(flow);
    if (flow->ops.work)
        run_work(flow, item);
    else
        item_worked(flow, item);
    return true;
}

static bool flow_run_one(struct gt_pool_source *source)
{
    struct gt_flow *flow = flow_of(source);
    bool ran = !halted(flow) && flow->running < flow->workers && run_one_task(flow);
    if (ran && flow->stopping && !flow->running)
        pthread_cond_broadcast(&flow->drained);
    return ran;
}

static void flow_wake(struct gt_pool_source *source)
{
    stop_moved(flow_of(source));
}

static void *reader(void *arg)
{
    struct gt_flow *flow = arg;
    reading_for = flow;
    pthread_mutex_lock(&flow->pool->lock);
    while (!halted(flow) && flow->next_start < stop_at(flow)) {
        if (!can_start(flow)) {
            pthread_cond_wait(&flow->can_read, &flow->pool->lock);
            continue;
        }
        struct item *item = start_ticket(flow);
        struct gt_err err = {0};
        pthread_mutex_unlock(&flow->pool->lock);
        struct call call = call_begin(flow, &flow->read, item->ticket);
        int status = flow->ops.read(flow->ctx, item->ticket, item->data, &err);
        int64_t bytes = call_end(flow, &call);
        pthread_mutex_lock(&flow->pool->lock);
        flow->bytes += bytes;
        if (!status) {
            item_read(flow, item);
        } else if (status == GT_END) {
            if (item->ticket < flow->end)
                flow->end = item->ticket;
            stop_moved(flow);
        } else {
            fail_at(flow, item->ticket, status, flow->read.name, &err);
        }
    }
    pthread_mutex_unlock(&flow->pool->lock);
    return NULL;
}

/* --- the interface ------------------------------------------------------ */

static int64_t choose_items(const struct gt_engine *engine, const struct gt_flow_opts *opts, int readers)
{
    int64_t items = opts->max_items > 0 ? opts->max_items : 2 * engine->limits.threads + readers + 1;
    int64_t memory = opts->memory > 0 ? opts->memory : engine->budget.limit / 4;
    if (opts->ticket_bytes && opts->ticket_bytes > (size_t)(memory / items))
        items = opts->ticket_bytes > (size_t)memory ? 1 : memory / (int64_t)opts->ticket_bytes;
    if (opts->tickets >= 0 && opts->tickets < items)
        items = opts->tickets;
    return items < 1 ? 1 : items;
}

static struct stage make_stage(struct gt_engine *engine, const char *flow, const char *name, const char *otherwise)
{
    struct stage stage = {.name = name ? name : otherwise};
    stage.number = gt_trace_stage(&engine->trace, flow, stage.name);
    return stage;
}

int gt_flow_start(struct gt_flow **out, struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                  struct gt_err *err)
{
    int n_readers = !ops->read ? 0 : opts->readers > 1 ? opts->readers : 1, status = GT_OK;
    *out = NULL;
    if ((!ops->read && !ops->work && !ops->part) || (!ops->read && opts->tickets < 0) || opts->parts < 0)
        return gt_fail(err, GT_USAGE, "flow '%s' has no callback, or no number of tickets", ops->name);
    struct gt_flow *flow = gt_xcalloc(1, sizeof *flow);
    flow->source = (struct gt_pool_source){.run_one = flow_run_one, .wake = flow_wake};
    flow->engine = engine;
    flow->pool = engine->pool;
    flow->ops = *ops;
    flow->ctx = ctx;
    flow->parts = ops->part ? opts->parts : 0;
    flow->workers = opts->workers > 0 ? opts->workers : INT_MAX;
    flow->begun_ns = gt_trace_now(&engine->trace);
    flow->read = make_stage(engine, ops->name, ops->read_name, "read");
    flow->work = make_stage(engine, ops->name, ops->work_name, "work");
    flow->part = make_stage(engine, ops->name, ops->part_name, "part");
    flow->commit = make_stage(engine, ops->name, NULL, "commit");
    flow->items = choose_items(engine, opts, n_readers);
    flow->slots = gt_xcalloc((size_t)flow->items, sizeof(struct item *));
    flow->ready = gt_xcalloc((size_t)flow->items, sizeof(struct item *));
    flow->end = opts->tickets >= 0 ? opts->tickets : INT64_MAX;
    flow->failed_at = INT64_MAX;
    pthread_cond_init(&flow->can_read, NULL);
    pthread_cond_init(&flow->can_deliver, NULL);
    pthread_cond_init(&flow->drained, NULL);
    flow->readers = gt_xcalloc((size_t)n_readers, sizeof *flow->readers);

    pthread_mutex_lock(&flow->pool->lock);
    gt_pool_add(flow->pool, &flow->source);
    if (!ops->read)
        gt_pool_tasks(flow->pool, flow->items);
    pthread_mutex_unlock(&flow->pool->lock);
    for (; flow->n_readers < n_readers && !status; flow->n_readers += !status)
        status = gt_thread_start(&flow->readers[flow->n_readers], "gt-reader", reader, flow, err);
    if (status) {
        gt_flow_free(flow);
        flow = NULL;
    }
    *out = flow;
    return status;
}

/* What stops the calling thread from waiting any longer: 0, or a status. */
static int halt_status(const struct gt_flow *flow)
{
    int cancelled = atomic_load_explicit(&flow->engine->cancelled, memory_order_relaxed);
    if (cancelled)
        return cancelled;
    return flow->stopping || (reading_for && reading_for != flow && reading_for->stopping) ? GT_CANCEL : 0;
}

int gt_flow_next(struct gt_flow *flow, void **item, int64_t *ticket, struct gt_err *err)
{
    struct item *found = NULL;
    int status;
    pthread_mutex_lock(&flow->pool->lock);
    flow->consumers++;
    while ((status = halt_status(flow)) == 0 && flow->next_deliver < stop_at(flow)) {
        if (flow->next_deliver < flow->next_start) {
            found = flow->slots[flow->next_deliver % flow->items];
            if (found->state == ITEM_FINISHED)
                break;
            found = NULL;
        }
        pthread_cond_wait(&flow->can_deliver, &flow->pool->lock);
    }
    if (status) {
        gt_fail(err, status, "stopped");
    } else if (found) {
        flow->next_deliver++;
        *item = found->data;
        if (ticket)
            *ticket = found->ticket;
    } else if (flow->failed_at < flow->end) {
        status = flow->error.status;
        gt_fail(err, status, "%s", flow->error.msg);
        if (flow->error.hint[0])
            gt_hint(err, "%s", flow->error.hint);
    } else {
        status = GT_END;
    }
    if (--flow->consumers == 0 && flow->stopping)
        pthread_cond_broadcast(&flow->drained);
    pthread_mutex_unlock(&flow->pool->lock);
    return status;
}

void gt_flow_done(struct gt_flow *flow, void *data)
{
    struct item *item = (struct item *)((char *)data - offsetof(struct item, data));
    pthread_mutex_lock(&flow->pool->lock);
    item->free = flow->free_items;
    flow->free_items = item;
    if (flow->ops.read)
        pthread_cond_signal(&flow->can_read);
    else if (can_start(flow))
        gt_pool_tasks(flow->pool, 1);
    pthread_mutex_unlock(&flow->pool->lock);
}

void gt_flow_free(struct gt_flow *flow)
{
    if (!flow)
        return;
    pthread_mutex_lock(&flow->pool->lock);
    flow->stopping = true;
    /* our readers may wait inside other flows */
    gt_pool_wake_all(flow->pool);
    while (flow->running || flow->consumers)
        pthread_cond_wait(&flow->drained, &flow->pool->lock);
    gt_pool_remove(flow->pool, &flow->source);
    pthread_mutex_unlock(&flow->pool->lock);
    for (int i = 0; i < flow->n_readers; i++)
        pthread_join(flow->readers[i], NULL);
    for (struct item *item = flow->all_items, *before; item; item = before) {
        before = item->all;
        if (flow->ops.release)
            flow->ops.release(flow->ctx, item->data);
        free(item);
    }
    pthread_cond_destroy(&flow->can_read);
    pthread_cond_destroy(&flow->can_deliver);
    pthread_cond_destroy(&flow->drained);
    free(flow->readers);
    free(flow->slots);
    free(flow->ready);
    free(flow);
}

static int run_commit(struct gt_flow *flow, int64_t ticket, void *item, int (*commit)(void *, int64_t, void *, struct gt_err *),
                      struct gt_err *err)
{
    struct call call = call_begin(flow, &flow->commit, ticket);
    int status = commit(flow->ctx, ticket, item, err);
    int64_t bytes = call_end(flow, &call);
    if (bytes) {
        pthread_mutex_lock(&flow->pool->lock);
        flow->bytes += bytes;
        pthread_mutex_unlock(&flow->pool->lock);
    }
    if (status < 0)
        status = gt_fail(err, GT_FAIL, "%s/commit failed at ticket %lld", flow->ops.name, (long long)ticket);
    return status;
}

int gt_flow_run(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                int (*commit)(void *ctx, int64_t ticket, void *item, struct gt_err *err), struct gt_err *err)
{
    struct gt_flow *flow;
    int64_t ticket;
    void *item;
    int status = gt_flow_start(&flow, engine, ops, opts, ctx, err);
    while (!status && (status = gt_flow_next(flow, &item, &ticket, err)) == GT_OK) {
        if (commit)
            status = run_commit(flow, ticket, item, commit, err);
        gt_flow_done(flow, item);
    }
    gt_flow_free(flow);
    return status == GT_END ? GT_OK : status;
}

void gt_progress_get(struct gt_engine *engine, struct gt_progress *progress)
{
    struct gt_pool_source *source;
    *progress = (struct gt_progress){.tickets = -1, .memory_used = atomic_load(&engine->budget.used)};
    pthread_mutex_lock(&engine->pool->lock);
    for (source = engine->pool->sources; source; source = source->next) {
        struct gt_flow *flow = flow_of(source);
        if (flow->stopping || flow->next_deliver >= stop_at(flow))
            continue;
        progress->flow = flow->ops.name;
        progress->done = flow->next_deliver;
        progress->tickets = flow->end == INT64_MAX ? -1 : flow->end;
        progress->seconds = (double)(gt_trace_now(&engine->trace) - flow->begun_ns) / 1e9;
        progress->bytes = flow->bytes;
        break;
    }
    pthread_mutex_unlock(&engine->pool->lock);
}
