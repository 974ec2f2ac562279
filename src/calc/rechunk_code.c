#include <string.h>

#include "calc/rechunk_impl.h"

void gt_rechunk_coder_init(struct gt_rechunk_coder *coder, struct gt_budget *budget)
{
    coder->raw.budget = coder->scratch[0].budget = coder->scratch[1].budget = budget;
}

void gt_rechunk_coder_release(struct gt_rechunk_coder *coder)
{
    gt_buf_release(&coder->raw);
    gt_buf_release(&coder->scratch[0]);
    gt_buf_release(&coder->scratch[1]);
}

int gt_rechunk_fetch(struct gt_rechunk *r, const int64_t *index, struct gt_chunk **unit, struct gt_err *err)
{
    int64_t bytes = 0;
    int status = gt_cache_hold(r->cache, index, unit, err);
    if (!status)
        status = gt_cache_fetch(r->cache, unit, 1, &bytes, err);
    gt_flow_bytes(bytes);
    return status;
}

int gt_rechunk_decode(struct gt_rechunk *r, const struct gt_rechunk_room *room, struct gt_chunk *unit, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_err *err)
{
    int status = gt_cache_decode(r->cache, unit, coder->scratch, err);
    if (!status)
        gt_rechunk_fill(r, room, unit->index, items, unit->raw.data);
    gt_cache_give(r->cache, unit);
    return status;
}

int gt_rechunk_encode(struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_buf *stored, struct gt_err *err)
{
    int status = gt_buf_resize(&coder->raw, r->to->chunk_bytes, err);
    if (status)
        return status;
    if (gt_box_items(items) * (int64_t)r->item < (int64_t)r->to->chunk_bytes)
        memset(coder->raw.data, 0, r->to->chunk_bytes);
    gt_rechunk_take(r, room, index, items, coder->raw.data);
    return gt_array_encode(r->to, &coder->raw, stored, coder->scratch, err);
}
