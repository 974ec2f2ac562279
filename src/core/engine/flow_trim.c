/* Memory is short: what free items own is given back. */
#include "config.h"

#include <string.h>

#include "core/engine/flow_impl.h"

void gt_flow_trim(struct gt_flow *flow, struct item *item)
{
    struct on_thread outer = gt_flow_on_thread;
    if (!item->used || !flow->ops.release)
        return;
    flow->trimming++;
    pthread_mutex_unlock(&flow->pool->lock);
    gt_flow_on_thread = (struct on_thread){flow, item, outer.worker};
    flow->ops.release(flow->ctx, item->data);
    memset(item->data, 0, flow->ops.item_size);
    gt_flow_on_thread = outer;
    pthread_mutex_lock(&flow->pool->lock);
    item->used = false;
    if (--flow->trimming == 0 && flow->stopping)
        pthread_cond_broadcast(&flow->drained);
}

/* Takes a free item that may own something off its flow's list. */
static struct item *take_free(struct gt_pool *pool, struct gt_flow **of)
{
    for (struct gt_pool_source *source = pool->sources; source; source = source->next) {
        struct gt_flow *flow = gt_flow_of(source);
        for (struct item **at = &flow->free_items; !flow->stopping && flow->ops.release && *at; at = &(*at)->free) {
            struct item *item = *at;
            if (!item->used)
                continue;
            *at = item->free;
            *of = flow;
            return item;
        }
    }
    return NULL;
}

bool gt_flow_trim_one(struct gt_pool *pool)
{
    struct gt_flow *flow;
    struct item *item = take_free(pool, &flow);
    if (!item)
        return false;
    gt_flow_trim(flow, item);
    item->free = flow->free_items;
    flow->free_items = item;
    gt_flow_wake_starters(flow);
    return true;
}
