/* Texts of variable length: each chunk of the output is put together from the units that it needs. */
#include <string.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/le.h"

struct texts {
    int64_t index[GT_MAX_DIMS];
    struct gt_strs list;  /* those that were met */
    struct gt_buf number; /* uint32_t of each item of the chunk: 1 + that in the list, 0 = "" */
    struct gt_buf stored;
    struct gt_box box;
    int64_t count[GT_MAX_DIMS]; /* of its units */
    struct gt_rechunk_held held;
    bool ready, kept;
};

static void prepare(struct gt_rechunk *r, struct texts *t)
{
    if (t->ready)
        return;
    t->ready = true;
    t->list.budget = t->number.budget = t->stored.budget = &r->engine->budget;
}

/* The texts of a unit that the chunk has. */
static int take_texts(const struct gt_rechunk *r, struct texts *t, const struct gt_chunk *unit, const struct gt_box *items,
                      struct gt_err *err)
{
    const struct gt_rechunk_position from = gt_rechunk_unit_place(r, unit->index), to = gt_rechunk_chunk_position(r, t->index);
    uint32_t *number = (uint32_t *)(void *)t->number.data;
    int64_t extent[GT_MAX_DIMS], at[GT_MAX_DIMS] = {0}, item[GT_MAX_DIMS];
    int status = 0;
    if (gt_box_items(items) == 0)
        return 0;
    for (int k = 0; k < items->ndim; k++)
        extent[k] = items->to[k] - items->from[k];
    do {
        int64_t here, there;
        for (int k = 0; k < items->ndim; k++)
            item[k] = items->from[k] + at[k];
        if (!gt_rechunk_at(&from, items->ndim, item, &here) || !gt_rechunk_at(&to, items->ndim, item, &there))
            continue;
        const char *text = gt_chunk_text(unit, (size_t)here);
        if (!*text)
            continue;
        status = gt_strs_add(&t->list, text, strlen(text), err);
        number[there] = (uint32_t)t->list.n;
    } while (!status && gt_nd_next(items->ndim, extent, at));
    return status;
}

/* The chunk as vlen.h lays it out. */
static int lay_out(struct texts *t, struct gt_err *err)
{
    const uint32_t *number = (const uint32_t *)(void *)t->number.data;
    const size_t n = t->number.len / sizeof *number;
    int status = gt_buf_resize(&t->held.coder.raw, 4 + 4 * n + t->list.text_len, err);
    if (status)
        return status;
    uint8_t *to = gt_le_put(t->held.coder.raw.data, n, 4);
    for (size_t i = 0; i < n; i++) {
        const char *text = number[i] ? gt_strs_get(&t->list, number[i] - 1) : "";
        const size_t len = strlen(text);
        to = gt_le_put(to, len, 4);
        memcpy(to, text, len);
        to += len;
    }
    t->held.coder.raw.len = (size_t)(to - t->held.coder.raw.data);
    return 0;
}

static int texts_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct texts *t = data;
    struct gt_box items;
    int64_t count[GT_MAX_DIMS];
    prepare(r, t);
    gt_rechunk_box(&t->box, r->plan.band, r->plan.ndim, task);
    gt_rechunk_chunks(r, &t->box, count);
    gt_rechunk_chunk(r, &t->box, count, 0, t->index, &items);
    t->held.next = 0;
    t->held.end = gt_rechunk_units(r, &t->box, t->count);
    int status = gt_rechunk_chunk_done(r, t->index, &t->kept, err);
    return status || t->kept ? status : gt_rechunk_acquire(r, &t->box, t->count, gt_rechunk_ahead(r, r->request.unit_bytes), &t->held, err);
}

static int texts_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_rechunk *r = ctx;
    struct texts *t = data;
    const int most = gt_rechunk_ahead(r, r->request.unit_bytes);
    struct gt_chunk *unit;
    struct gt_box items;
    (void)task;
    if (t->kept)
        return 0;
    gt_strs_clear(&t->list);
    int status = gt_buf_zeros(&t->number, r->to.array->chunk_items * sizeof(uint32_t), err);
    while (!status && (status = gt_rechunk_held_next(r, &t->box, t->count, most, &t->held, &unit, &items, err)) == 0) {
        items = gt_box_both(&items, &t->box);
        status = gt_cache_decode(r->cache, unit, t->held.coder.scratch, err);
        status = status ? status : take_texts(r, t, unit, &items, err);
        gt_cache_give(r->cache, unit);
    }
    if (status != GT_END)
        return status;
    status = lay_out(t, err);
    return status ? status : gt_array_encode(r->to.array, &t->held.coder.raw, &t->stored, t->held.coder.scratch, err);
}

static int texts_put(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct texts *t = data;
    (void)task;
    return t->kept ? 0 : gt_rechunk_put(ctx, t->index, &t->stored, err);
}

static void texts_release(void *ctx, void *data)
{
    struct texts *t = data;
    gt_strs_release(&t->list);
    gt_buf_release(&t->number);
    gt_buf_release(&t->stored);
    gt_rechunk_held_release(ctx, &t->held);
}

int gt_rechunk_texts(struct gt_rechunk *r, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "rechunk",
                                           .work_name = "strings",
                                           .item_size = sizeof(struct texts),
                                           .read = texts_read,
                                           .work = texts_work,
                                           .release = texts_release};
    const struct gt_flow_opts opts = {.tasks = r->plan.bands,
                                      .readers = r->from.array->store->stream ? 1 : r->engine->limits.io_threads,
                                      .max_items = (int)r->plan.tasks};
    return gt_flow_run(r->engine, &ops, &opts, r, texts_put, err);
}
