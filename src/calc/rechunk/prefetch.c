/* Units that are asked for together. */
#include "calc/rechunk/rechunk_internal.h"
#include "core/base/size.h"

int64_t gt_rechunk_left(const struct gt_rechunk *r)
{
    const struct gt_rechunk_plan *plan = &r->plan;
    int64_t used = plan->peak;
    if (plan->way == GT_RECHUNK_SPILL)
        used = plan->tasks * plan->slab_bytes;
    else if (plan->way == GT_RECHUNK_BATCHES || plan->way == GT_RECHUNK_GATHER) /* its chunks are made later */
        used -= plan->tasks * gt_max_i64(0, r->request.chunk_bytes - r->request.unit_bytes);
    return r->request.memory - used;
}

int gt_rechunk_ahead(const struct gt_rechunk *r, int64_t bytes)
{
    const struct gt_store *store = r->from.array->store;
    const int64_t left = gt_rechunk_left(r);
    if (!store->ops->get_many || store->stream || left <= 0)
        return 1;
    return 1 + (int)gt_min_i64(GT_RECHUNK_AHEAD - 1, left / gt_max_i64(1, r->plan.tasks) / gt_max_i64(1, bytes));
}

int gt_rechunk_acquire(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                       struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];
    struct gt_box items;
    int status = 0;
    gt_rechunk_coder_init(&held->coder, &r->engine->budget);
    held->n = held->at = 0;
    for (; held->next < held->end && held->n < most && !status; held->next++) {
        gt_rechunk_unit(r, box, count, held->next, index, &items);
        if (!gt_rechunk_unit_has(r, box, index))
            continue;
        held->unit[held->n] = NULL;
        held->number[held->n] = held->next;
        status = gt_cache_acquire(r->cache, index, &held->unit[held->n], err);
        held->n += held->unit[held->n] != NULL;
    }
    return status || !held->n ? status : gt_rechunk_fetch_held(r, held->unit, held->n, err);
}

int gt_rechunk_held_next(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                         struct gt_chunk **unit, struct gt_box *items, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];
    int status = held->at < held->n || held->next >= held->end ? 0 : gt_rechunk_acquire(r, box, count, most, held, err);
    if (status)
        return status;
    if (held->at == held->n)
        return GT_END;
    gt_rechunk_unit(r, box, count, held->number[held->at], index, items);
    *unit = held->unit[held->at++];
    return 0;
}

int gt_rechunk_put_in(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, const struct gt_rechunk_room *room,
                      struct gt_rechunk_held *held, struct gt_err *err)
{
    struct gt_chunk *unit;
    struct gt_box items;
    int status;
    while ((status = gt_rechunk_held_next(r, box, count, GT_RECHUNK_AHEAD, held, &unit, &items, err)) == 0)
        if ((status = gt_rechunk_decode(r, room, unit, &items, &held->coder, err)) != 0)
            return status;
    return status == GT_END ? 0 : status;
}

void gt_rechunk_held_release(struct gt_rechunk *r, struct gt_rechunk_held *held)
{
    while (held->at < held->n)
        gt_cache_give(r->cache, held->unit[held->at++]);
    gt_rechunk_coder_release(&held->coder);
}
