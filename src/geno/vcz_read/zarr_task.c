/* A task: what of the store it reads, and the block that is made of it. */
#include "geno/vcz_read/zarr_reader.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/select/filter.h"

static bool is_stream(const struct zarr_reader *r)
{
    return r->store->stream;
}

/* --- items ------------------------------------------------------------------------------ */

enum { ITEM_BUFS = 9 };

static void item_bufs(struct zr_item *item, struct gt_buf *bufs[ITEM_BUFS])
{
    struct gt_buf *own[ITEM_BUFS] = {item->scratch,    item->scratch + 1, &item->tile,         &item->codes,        &item->seen,
                                     &item->alt_calls, &item->rows,       &item->record_texts, &item->record_starts};
    memcpy(bufs, own, sizeof own);
}

static void item_init(struct zarr_reader *r, struct zr_item *item)
{
    struct gt_buf *bufs[ITEM_BUFS];

    if (item->ready)
        return;
    item->ready = true;
    gt_block_init(&item->block, &r->base.engine->budget);
    item_bufs(item, bufs);
    for (int i = 0; i < ITEM_BUFS; i++)
        bufs[i]->budget = &r->base.engine->budget;
}

static void item_release(void *ctx, void *data)
{
    struct zr_item *item = data;
    struct gt_buf *bufs[ITEM_BUFS];

    zr_give_sites(ctx, item);
    zr_give_calls(ctx, item);
    zr_give_records(ctx, item);
    zr_caches_trim(ctx);
    gt_block_release(&item->block);
    item_bufs(item, bufs);
    for (int i = 0; i < ITEM_BUFS; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        free(item->site[i].chunk);
    free(item->calls.chunk);
    for (size_t i = 0; i < ((struct zarr_reader *)ctx)->n_fields && item->fields; i++)
        free(item->fields[i].chunk);
    free(item->fields);
}

/* --- read: the stored chunks of a task ------------------------------------------- */

/* A stream whose number of variants is not known yet: row `row` of chunks is
 * there, or the stream has ended and its final metadata was read. */
static int has_row(struct zarr_reader *r, int64_t row, bool *there, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {row};
    struct gt_str key = {0};
    int status;

    status = gt_array_key(r->geno, index, &key, err);
    if (!status)
        status = gt_store_has(r->store, key.s, err);
    gt_str_release(&key);
    *there = status == GT_OK;
    return status == GT_NOENT ? zr_finish_stream(r, err) : status;
}

static int hold_all(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = zr_acquire_sites(r, item, r->fields, err);

    if (!status)
        status = zr_acquire_calls(r, item, err);
    if (!status)
        status = zr_acquire_records(r, item, err);
    if (!status)
        status = zr_fetch(r, item, err);
    return status ? status : zr_fetch_records(r, item, err);
}

/* n of a task of a stream whose number of variants is not known yet.  A row group is
 * handed on only when the next one has appeared, or the end of the stream says how long it is. */
static int provisional_extent(struct zarr_reader *r, int64_t task, struct zr_item *item, struct gt_err *err)
{
    bool there = true;
    int status = has_row(r, task, &there, err);

    if (status || !there || r->n_variants >= 0)
        return status;
    status = hold_all(r, item, err);
    if (!status)
        status = has_row(r, task + 1, &there, err);
    if (!status && r->n_variants >= 0 && item->first >= r->n_variants)
        status = gt_fail(err, GT_INPUT, "'%s' has chunks beyond its %lld variants", r->base.info.name, (long long)r->n_variants);
    return status;
}

/* first and n of the task. */
static int task_extent(struct zarr_reader *r, int64_t task, struct zr_item *item, struct gt_err *err)
{
    int status = GT_OK;

    item->first = r->from + task * r->rows;
    item->n = r->rows;
    item->unseen = 0;
    if (r->by_place) {
        bool any = task < (int64_t)(r->tasks.len / sizeof(struct zr_task));
        struct zr_task t = any ? ((const struct zr_task *)r->tasks.data)[task] : (struct zr_task){r->n_variants, 0};
        item->unseen = task == 0 ? r->unseen : 0;
        item->first = t.first;
        item->n = t.n;
    }
    if (r->n_variants < 0)
        status = provisional_extent(r, task, item, err);
    if (!status && r->n_variants >= 0 && item->n > r->n_variants - item->first)
        item->n = r->n_variants - item->first;
    if (!status && item->n > r->to - item->first)
        item->n = r->to - item->first;
    return status;
}

/* Sites first, and then the rest of what is kept.  (In a stream everything passes anyway.) */
static int read_chosen(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = GT_OK;

    if (r->first_fields) {
        status = zr_acquire_sites(r, item, r->first_fields, err);
        if (!status)
            status = zr_fetch(r, item, err);
        if (!status)
            status = zr_decode_sites(r, item, err);
    }
    if (!status)
        status = (r->carries ? zr_choose_some_rows : zr_choose_rows)(r, item, err);
    return status || item->n_rows == 0 ? status : hold_all(r, item, err);
}

/* From reader->place on.  In a stream more was held than is wanted. */
static void go_on(struct zarr_reader *r, struct zr_item *item)
{
    const struct zr_place *place = &r->place;

    zr_give_sites(r, item);
    zr_give_calls(r, item);
    zr_give_records(r, item);
    item->first += place->record;
    item->n -= place->record;
    item->unseen = place->record || place->alt ? 0 : item->unseen;
    item->block.first = item->first;
    item->block.begun = place->alt;
}

static int on_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct zarr_reader *r = ctx;
    struct zr_item *item = data;
    int status;

    item_init(r, item);
    zr_give_sites(r, item);
    zr_give_calls(r, item);
    zr_give_records(r, item);
    item->chosen = false;
    gt_block_clear(&item->block);
    item->counted = false;
    if (r->carries && r->place.task >= r->n_tasks)
        return GT_END;
    status = task_extent(r, r->carries ? r->place.task : task, item, err);
    item->block.first = item->first;
    if (!status && item->n <= 0 && !item->unseen) {
        status = is_stream(r) ? zr_finish_stream(r, err) : GT_OK;
        return status ? status : GT_END;
    }
    if (!status && r->carries)
        go_on(r, item);
    if (!status && (!is_stream(r) || r->carries))
        status = item->n > 0 ? read_chosen(r, item, err) : GT_OK;
    else if (!status && item->calls.n == 0)
        status = hold_all(r, item, err);
    return status;
}

/* --- work ---------------------------------------------------------------------------- */

static int make_block(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = zr_decode_sites(r, item, err);

    if (!status && !item->chosen)
        status = zr_choose_rows(r, item, err);
    if (!status && item->n_rows > 0)
        status = zr_complete_sites(r, item, err);
    if (!(r->fields & (GT_SITE_HAPLOTYPES | GT_SITE_PHASES))) /* which look up what is phased */
        zr_give_sites(r, item);
    if (!status && item->n_rows > 0)
        status = zr_genotypes(r, item, err);
    zr_give_sites(r, item);
    zr_give_calls(r, item);
    return status;
}

static int on_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct zarr_reader *r = ctx;
    struct zr_item *item = data;
    int status = item->n > 0 ? make_block(r, item, err) : GT_OK;

    if (item->unseen)
        gt_filter_add_skipped(r->base.filter, &item->block, item->unseen);
    zr_records_mark(r, item);
    if (!status)
        status = gt_filter_block(r->base.filter, &item->block, err);
    return status ? status : zr_gather_records(r, item, task, err);
}

const struct gt_flow_ops zr_flow_ops = {.name = "zarr",
                                        .read_name = "read",
                                        .work_name = "decode",
                                        .item_size = sizeof(struct zr_item),
                                        .read = on_read,
                                        .work = on_work,
                                        .release = item_release};
