#include "config.h"

#include "core/engine/flow.h"

#include <limits.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow_impl.h"

int gt_flow_most_items(const struct gt_engine *engine, int readers)
{
    return 2 * engine->limits.threads + readers + 1;
}

static int64_t choose_items(const struct gt_engine *engine, const struct gt_flow_opts *opts, int readers)
{
    int64_t items = opts->max_items > 0 ? opts->max_items : gt_flow_most_items(engine, readers);
    int64_t memory = opts->memory > 0 ? opts->memory : engine->budget.limit / 4;
    if (opts->task_bytes && opts->task_bytes > (size_t)(memory / items))
        items = opts->task_bytes > (size_t)memory ? 1 : memory / (int64_t)opts->task_bytes;
    if (opts->tasks >= 0 && opts->tasks < items)
        items = opts->tasks;
    return items < 1 ? 1 : items;
}

static struct stage make_stage(struct gt_engine *engine, const char *flow, const char *name, const char *otherwise)
{
    struct stage stage = {.name = name ? name : otherwise};
    stage.number = gt_trace_stage(&engine->trace, flow, stage.name);
    return stage;
}

static int make_items(struct gt_flow *flow, struct gt_err *err)
{
    for (int64_t i = 0; i < flow->items; i++) {
        struct item *item = gt_alloc(1, sizeof *item + flow->ops.item_size, err);
        if (!item)
            return GT_FAIL;
        item->all = flow->all_items;
        item->free = flow->free_items;
        flow->all_items = flow->free_items = item;
    }
    return GT_OK;
}

static void free_flow(struct gt_flow *flow)
{
    void (*const end)(void *ctx, void *item) = flow->ops.end ? flow->ops.end : flow->ops.release;
    for (struct item *item = flow->all_items, *before; item; item = before) {
        before = item->all;
        if (end)
            end(flow->ctx, item->data);
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

/* n that did not start. */
static void forget_readers(struct gt_flow *flow, int n)
{
    pthread_mutex_lock(&flow->pool->lock);
    flow->pool->active -= n;
    pthread_mutex_unlock(&flow->pool->lock);
}

/* All but threads. */
static struct gt_flow *make_flow(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, int n_readers,
                                 void *ctx, struct gt_err *err)
{
    struct gt_flow *flow = gt_alloc(1, sizeof *flow, err);
    if (!flow)
        return NULL;
    flow->source = (struct gt_pool_source){.run_one = gt_flow_run_one, .wake = gt_flow_wake};
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
    flow->slots = gt_alloc((size_t)flow->items, sizeof(struct item *), err);
    flow->ready = gt_alloc((size_t)flow->items, sizeof(struct item *), err);
    flow->readers = gt_alloc((size_t)n_readers, sizeof *flow->readers, err);
    flow->task_bytes = opts->task_bytes < INT64_MAX ? (int64_t)opts->task_bytes : INT64_MAX;
    flow->end = opts->tasks >= 0 ? opts->tasks : INT64_MAX;
    flow->failed_at = INT64_MAX;
    pthread_cond_init(&flow->can_read, NULL);
    pthread_cond_init(&flow->can_deliver, NULL);
    pthread_cond_init(&flow->drained, NULL);
    if (flow->slots && flow->ready && flow->readers && make_items(flow, err) == GT_OK)
        return flow;
    free_flow(flow);
    return NULL;
}

int gt_flow_start(struct gt_flow **out, struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                  struct gt_err *err)
{
    int n_readers = !ops->read ? 0 : opts->readers > 1 ? opts->readers : 1, status = GT_OK;
    *out = NULL;
    if ((!ops->read && !ops->work && !ops->part) || (!ops->read && opts->tasks < 0) || opts->parts < 0)
        return gt_fail(err, GT_USAGE, "flow '%s' has no callback, or no number of tasks", ops->name);
    struct gt_flow *flow = make_flow(engine, ops, opts, n_readers, ctx, err);
    if (!flow)
        return GT_FAIL;

    flow->step = gt_plan_record_start(engine->plan, &(struct gt_plan_step){.flow = ops->name,
                                                                           .read = ops->read ? flow->read.name : NULL,
                                                                           .work = ops->work ? flow->work.name : NULL,
                                                                           .part = ops->part ? flow->part.name : NULL,
                                                                           .tasks = opts->tasks,
                                                                           .parts = flow->parts,
                                                                           .task_bytes = flow->task_bytes});
    pthread_mutex_lock(&flow->pool->lock);
    if (!engine->needs->opened)
        engine->needs->opened = gt_max_i64(atomic_load(&engine->budget.high), 1);
    gt_pool_add(flow->pool, &flow->source);
    gt_flow_memory_update(flow->pool);
    flow->pool->active += n_readers;
    if (!ops->read)
        gt_pool_tasks(flow->pool, flow->items);
    pthread_mutex_unlock(&flow->pool->lock);
    for (; flow->n_readers < n_readers && !status; flow->n_readers += !status)
        status = gt_thread_start(&flow->readers[flow->n_readers], "gt-reader", gt_flow_reader, flow, err);
    if (status) {
        forget_readers(flow, n_readers - flow->n_readers);
        gt_flow_free(flow);
        flow = NULL;
    }
    *out = flow;
    return status;
}

/* What stops the calling thread from waiting any longer: 0, or a status. */
static int halt_status(const struct gt_flow *flow)
{
    const int cancelled = gt_engine_stopped(flow->engine);
    if (cancelled)
        return cancelled;
    return flow->stopping || (gt_flow_reading_for && gt_flow_reading_for != flow && gt_flow_reading_for->stopping) ? GT_CANCEL : 0;
}

int gt_flow_next(struct gt_flow *flow, void **item, int64_t *task, struct gt_err *err)
{
    struct item *found = NULL;
    int status;
    pthread_mutex_lock(&flow->pool->lock);
    if (!flow->read_noted) {
        gt_plan_record_edge(flow->engine->plan, flow->step, gt_flow_reading_for ? gt_flow_reading_for->step : -1);
        flow->read_noted = true;
    }
    flow->consumers++;
    while ((status = halt_status(flow)) == 0 && flow->next_deliver < gt_flow_stop_at(flow)) {
        if (flow->next_deliver < flow->next_start) {
            found = flow->slots[flow->next_deliver % flow->items];
            if (found->state == ITEM_FINISHED)
                break;
            found = NULL;
        }
        flow->pool->active--;
        flow->pool->idles(flow->pool);
        gt_cond_wait(&flow->can_deliver, &flow->pool->lock);
        flow->pool->active++;
    }
    if (status) {
        gt_fail(err, status, "stopped");
    } else if (found) {
        flow->next_deliver++;
        *item = found->data;
        if (task)
            *task = found->task;
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
    struct item *item = gt_flow_item_of(data);
    pthread_mutex_lock(&flow->pool->lock);
    if (atomic_load(&flow->pool->short_of))
        gt_flow_trim(flow, item);
    item->state = ITEM_FREE;
    item->free = flow->free_items;
    flow->free_items = item;
    if (item->task == flow->first)
        gt_flow_find_first(flow);
    if (flow->ops.read)
        pthread_cond_signal(&flow->can_read);
    else if (gt_flow_can_start(flow))
        gt_pool_tasks(flow->pool, 1);
    gt_flow_memory_event(flow->pool);
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
    while (flow->running || flow->consumers || flow->trimming)
        pthread_cond_wait(&flow->drained, &flow->pool->lock);
    gt_pool_remove(flow->pool, &flow->source);
    gt_flow_memory_update(flow->pool);
    gt_flow_memory_event(flow->pool);
    pthread_mutex_unlock(&flow->pool->lock);
    for (int i = 0; i < flow->n_readers; i++)
        pthread_join(flow->readers[i], NULL);
    gt_plan_record_end(flow->engine->plan, flow->step, atomic_load(&flow->most_taken));
    free_flow(flow);
}

static int run_commit(struct gt_flow *flow, int64_t task, void *item, int (*commit)(void *, int64_t, void *, struct gt_err *),
                      struct gt_err *err)
{
    struct call call = gt_flow_call_begin(flow, &flow->commit, gt_flow_item_of(item));
    int status = commit(flow->ctx, task, item, err);
    int64_t bytes = gt_flow_call_end(&call);
    if (bytes) {
        pthread_mutex_lock(&flow->pool->lock);
        flow->bytes += bytes;
        pthread_mutex_unlock(&flow->pool->lock);
    }
    if (status < 0)
        status = gt_fail(err, GT_FAIL, "%s/commit failed at task %lld", flow->ops.name, (long long)task);
    return status;
}

int gt_flow_commit(struct gt_flow *flow, int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err)
{
    int64_t task;
    void *item;
    int status = GT_OK;
    while (!status && (status = gt_flow_next(flow, &item, &task, err)) == GT_OK) {
        if (commit)
            status = run_commit(flow, task, item, commit, err);
        gt_flow_done(flow, item);
    }
    return status == GT_END ? GT_OK : status;
}

int gt_flow_run(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, void *ctx,
                int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err)
{
    struct gt_flow *flow = NULL;
    int status = gt_flow_start(&flow, engine, ops, opts, ctx, err);
    status = status ? status : gt_flow_commit(flow, commit, err);
    gt_flow_free(flow);
    return status;
}
