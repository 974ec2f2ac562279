#include "config.h"

#include "core/base/size.h"
#include "core/engine/flow_impl.h"

_Thread_local struct gt_flow *gt_flow_reading_for;

void gt_flow_bytes(int64_t bytes)
{
    gt_trace_bytes(bytes);
}

/* --- state, under the lock ---------------------------------------------- */

static struct item *start_task(struct gt_flow *flow)
{
    struct item *item = flow->free_items;
    flow->free_items = item->free;
    item->task = flow->next_start++;
    item->state = ITEM_BUSY;
    item->used = true;
    atomic_store_explicit(&item->taken, 0, memory_order_relaxed);
    flow->slots[item->task % flow->items] = item;
    return item;
}

static void finish_item(struct gt_flow *flow, struct item *item)
{
    item->state = ITEM_FINISHED;
    gt_flow_memory_event(flow->pool);
    if (item->task == flow->next_deliver)
        pthread_cond_signal(&flow->can_deliver);
}

static int64_t parts_at_once(const struct gt_flow *flow, const struct item *item)
{
    const bool light = flow->ops.light && flow->ops.light(flow->ctx, item->data);
    return light ? gt_ceil_div(flow->parts, 2 * (int64_t)flow->engine->limits.threads) : 1;
}

/* Begins the parts of the next task when it is ready for them. */
static void try_parts(struct gt_flow *flow)
{
    while (!flow->part_active && flow->part_task < flow->next_start && flow->part_task < gt_flow_stop_at(flow)) {
        struct item *item = flow->slots[flow->part_task % flow->items];
        if (item->state != ITEM_WORKED)
            return;
        if (flow->parts > 0) {
            flow->part_active = true;
            flow->part_next = 0;
            flow->at_once = parts_at_once(flow, item);
            gt_pool_tasks(flow->pool, gt_ceil_div(flow->parts, flow->at_once));
        } else {
            flow->part_task++;
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
    gt_flow_memory_event(flow->pool);
}

/* The error of the lowest task is the flow's: it does not depend on timing. */
static void fail_at(struct gt_flow *flow, int64_t task, int status, const char *stage, struct gt_err *err)
{
    if (task >= gt_flow_stop_at(flow))
        return;
    if (status < 0)
        status = GT_FAIL;
    if (!err->status)
        gt_fail(err, status, "%s/%s failed at task %lld", flow->ops.name, stage, (long long)task);
    flow->error = *err;
    flow->error.status = status;
    flow->failed_at = task;
    stop_moved(flow);
}

/* Memory and the queues of all flows, for the trace. */
static void sample(struct gt_flow *flow)
{
    if (!gt_trace_is_due(&flow->engine->trace))
        return;
    struct gt_trace_moment moment = {.memory = atomic_load_explicit(&flow->engine->budget.used, memory_order_relaxed)};
    for (struct gt_pool_source *source = flow->pool->sources; source && moment.n_queues < GT_TRACE_QUEUES; source = source->next) {
        const struct gt_flow *of = gt_flow_of(source);
        moment.queue[moment.n_queues++] = (struct gt_trace_queue){of->ops.name, of->next_start - of->next_deliver, of->ready_n,
                                                                  gt_max_i64(0, atomic_load_explicit(&of->held, memory_order_relaxed))};
    }
    gt_trace_sample(&flow->engine->trace, &moment);
}

/* --- callbacks, without the lock ---------------------------------------- */

struct call gt_flow_call_begin(struct gt_flow *flow, const struct stage *stage, struct item *item)
{
    struct call call = {gt_flow_on_thread, gt_trace_begin(&flow->engine->trace, stage->number, item->task)};
    gt_flow_on_thread = (struct on_thread){flow, item, stage == &flow->work || stage == &flow->part};
    return call;
}

int64_t gt_flow_call_end(const struct call *call)
{
    gt_flow_on_thread = call->outer;
    return gt_trace_end(&call->outer_span);
}

static void run_work(struct gt_flow *flow, struct item *item)
{
    struct gt_err err = {0};
    int64_t bytes;
    int status;
    flow->running++;
    pthread_mutex_unlock(&flow->pool->lock);
    struct call call = gt_flow_call_begin(flow, &flow->work, item);
    status = flow->ops.work(flow->ctx, item->task, item->data, &err);
    bytes = gt_flow_call_end(&call);
    pthread_mutex_lock(&flow->pool->lock);
    flow->running--;
    flow->bytes += bytes;
    if (status)
        fail_at(flow, item->task, status, flow->work.name, &err);
    else
        item_worked(flow, item);
}

static void run_parts(struct gt_flow *flow)
{
    struct item *item = flow->slots[flow->part_task % flow->items];
    const int64_t from = flow->part_next, to = gt_min_i64(flow->parts, from + flow->at_once);
    struct gt_err err = {0};
    int64_t bytes;
    int status = GT_OK;
    flow->part_next = to;
    flow->running++;
    flow->part_running++;
    pthread_mutex_unlock(&flow->pool->lock);
    struct call call = gt_flow_call_begin(flow, &flow->part, item);
    for (int64_t part = from; part < to && !status; part++)
        status = flow->ops.part(flow->ctx, item->task, part, item->data, &err);
    bytes = gt_flow_call_end(&call);
    pthread_mutex_lock(&flow->pool->lock);
    flow->running--;
    flow->part_running--;
    flow->bytes += bytes;
    if (status) {
        fail_at(flow, item->task, status, flow->part.name, &err);
        flow->part_next = flow->parts;
    }
    if (flow->part_running || flow->part_next < flow->parts)
        return;
    flow->part_active = false;
    if (item->task >= gt_flow_stop_at(flow))
        return;
    flow->part_task++;
    finish_item(flow, item);
    try_parts(flow);
}

static bool run_one_task(struct gt_flow *flow)
{
    if (flow->part_active && flow->part_next < flow->parts) {
        run_parts(flow);
        return true;
    }
    while (flow->ready_n) {
        struct item *item = flow->ready[flow->ready_head];
        flow->ready_head = (flow->ready_head + 1) % flow->items;
        flow->ready_n--;
        if (item->task < gt_flow_stop_at(flow)) {
            run_work(flow, item);
            return true;
        }
    }
    if (flow->ops.read)
        return false;
    if (!gt_flow_can_start(flow))
        return flow->pool->starved && gt_flow_trim_one(flow->pool);
    struct item *item = start_task(flow);
    if (flow->ops.work)
        run_work(flow, item);
    else
        item_worked(flow, item);
    return true;
}

bool gt_flow_has_task(const struct gt_flow *flow)
{
    if (gt_flow_halted(flow) || flow->running >= flow->workers)
        return false;
    return (flow->part_active && flow->part_next < flow->parts) || flow->ready_n || (!flow->ops.read && gt_flow_could_start(flow));
}

bool gt_flow_run_one(struct gt_pool_source *source)
{
    struct gt_flow *flow = gt_flow_of(source);
    bool ran = !gt_flow_halted(flow) && flow->running < flow->workers && run_one_task(flow);
    if (ran)
        sample(flow);
    if (ran && flow->stopping && !flow->running)
        pthread_cond_broadcast(&flow->drained);
    return ran;
}

void gt_flow_wake(struct gt_pool_source *source)
{
    stop_moved(gt_flow_of(source));
}

static void wait_to_read(struct gt_flow *flow)
{
    flow->waiting_readers++;
    flow->pool->active--;
    flow->pool->idles(flow->pool);
    pthread_cond_wait(&flow->can_read, &flow->pool->lock);
    flow->pool->active++;
    flow->waiting_readers--;
}

void *gt_flow_reader(void *arg)
{
    struct gt_flow *flow = arg;
    gt_flow_reading_for = flow;
    pthread_mutex_lock(&flow->pool->lock);
    while (!gt_flow_halted(flow) && flow->next_start < gt_flow_stop_at(flow)) {
        if (!gt_flow_can_start(flow)) {
            if (!flow->pool->starved || !gt_flow_trim_one(flow->pool))
                wait_to_read(flow);
            continue;
        }
        struct item *item = start_task(flow);
        struct gt_err err = {0};
        if (flow->next_start >= gt_flow_stop_at(flow))
            pthread_cond_broadcast(&flow->can_read); /* readers that wait have nothing left to do */
        pthread_mutex_unlock(&flow->pool->lock);
        struct call call = gt_flow_call_begin(flow, &flow->read, item);
        int status = flow->ops.read(flow->ctx, item->task, item->data, &err);
        int64_t bytes = gt_flow_call_end(&call);
        pthread_mutex_lock(&flow->pool->lock);
        flow->bytes += bytes;
        sample(flow);
        if (!status) {
            item_read(flow, item);
        } else if (status == GT_END) {
            if (item->task < flow->end)
                flow->end = item->task;
            stop_moved(flow);
        } else {
            fail_at(flow, item->task, status, flow->read.name, &err);
        }
    }
    flow->pool->active--;
    flow->pool->idles(flow->pool);
    pthread_mutex_unlock(&flow->pool->lock);
    return NULL;
}
