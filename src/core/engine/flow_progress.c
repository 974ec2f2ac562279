/* What flows are doing at a moment, for progress displays. */
#include "config.h"

#include <string.h>

#include "core/engine/flow_impl.h"

static bool is_delivered(const struct gt_flow *flow)
{
    return flow->stopping || flow->next_deliver >= gt_flow_stop_at(flow);
}

static struct gt_progress_flow view_of(const struct gt_flow *flow)
{
    const int64_t in_flight = flow->next_start - flow->next_deliver;
    return (struct gt_progress_flow){.name = flow->ops.name,
                                     .done = flow->next_deliver,
                                     .tasks = flow->end == INT64_MAX ? -1 : flow->end,
                                     .seconds = (double)(gt_trace_now(&flow->engine->trace) - flow->begun_ns) / 1e9,
                                     .bytes = flow->bytes,
                                     .in_flight = in_flight,
                                     .ready = flow->ready_n,
                                     .most = flow->items,
                                     .running = flow->running,
                                     .reads = flow->n_readers > 0};
}

void gt_progress_get(struct gt_engine *engine, struct gt_progress *progress)
{
    *progress = (struct gt_progress){
        .memory_used = atomic_load(&engine->budget.used), .size = atomic_load(&engine->pass.size), .read = atomic_load(&engine->pass.done)};
    progress->pass_seconds = (double)(gt_trace_now(&engine->trace) - atomic_load(&engine->pass.began_ns)) / 1e9;
    pthread_mutex_lock(&engine->pool->lock);
    for (struct gt_pool_source *source = engine->pool->sources; source && progress->n_flows < GT_PROGRESS_FLOWS; source = source->next)
        if (!is_delivered(gt_flow_of(source)))
            progress->flow[progress->n_flows++] = view_of(gt_flow_of(source));
    progress->memory_short = atomic_load(&engine->pool->short_of) > 0;
    pthread_mutex_unlock(&engine->pool->lock);
}
