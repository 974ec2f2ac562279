/* Chunks from the spool into the store, laid out anew where an array grew since. */
#include "config.h"

#include <string.h>

#include "core/engine/flow.h"
#include "geno/vcz_fields/fields_internal.h"

struct replay {
    struct gt_fields *fields;
    struct gt_fields_stats *stats;
};

struct chunk_item {
    bool ready;
    const struct fields_chunk *chunk;
    struct gt_buf stored, raw, wide, scratch[2], absent;
};

static struct gt_buf *item_bufs(struct chunk_item *item, int i)
{
    struct gt_buf *bufs[] = {&item->stored, &item->raw, &item->wide, &item->scratch[0], &item->scratch[1], &item->absent};
    return i < (int)(sizeof bufs / sizeof *bufs) ? bufs[i] : NULL;
}

static int read_chunk(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    struct gt_buf *buf;
    item->chunk = (const struct fields_chunk *)(const void *)replay->fields->chunks.data + task;
    for (int i = 0; !item->ready && (buf = item_bufs(item, i)); i++)
        buf->budget = &replay->fields->engine->budget;
    item->ready = true;
    int status = gt_buf_resize(&item->stored, item->chunk->n, err);
    gt_flow_bytes((int64_t)item->chunk->n);
    return status || !item->chunk->n
               ? status
               : gt_spoolfile_read(&replay->fields->spool, item->stored.data, item->chunk->n, item->chunk->offset, err);
}

/* A chunk of zeros. */
static int encode_zeros(const struct gt_fields *fields, struct chunk_item *item, struct gt_err *err)
{
    const struct gt_array *array = fields->made[item->chunk->array];
    int status = gt_buf_zeros(&item->raw, array->chunk_bytes, err);
    return status ? status : gt_array_encode(array, &item->raw, &item->stored, item->scratch, err);
}

/* Decoded, laid out anew, encoded. */
static int renew(const struct gt_fields *fields, struct chunk_item *item, struct gt_column_shape to, struct gt_err *err)
{
    const struct fields_chunk *c = item->chunk;
    const struct fields_array *a = &fields->arrays[c->array];
    const int64_t width = a->calls ? fields->opts.chunk_samples : 1, from = c->part * width, all = a->calls ? fields->n_samples : 1;
    const int64_t zero[GT_MAX_DIMS] = {0};
    struct gt_array *old;
    struct gt_column_shape form = c->form;
    int status = fields_array_new(fields, NULL, c->array, form, fields_has_axis(a, form.k), fields->height, &old, err);
    if (status)
        return status;
    status = gt_array_decode(old, zero, &item->stored, &item->raw, item->scratch, err);
    gt_array_free(old);
    if (!status)
        status = gt_buf_resize(&item->absent, (size_t)c->variants, err);
    if (status)
        return status;
    memset(item->absent.data, 0, (size_t)c->variants);
    if (c->absent >= 0)
        status = gt_spoolfile_read(&fields->spool, item->absent.data, (size_t)c->variants, c->absent, err);
    form.size = c->array == FIELD_PHASED ? 1 : form.size;
    to.size = c->array == FIELD_PHASED ? 1 : to.size;
    const struct gt_column_part part = {.kind = a->kind,
                                        .height = fields->height,
                                        .width = width,
                                        .variants = c->variants,
                                        .rows = all - from < width ? all - from : width,
                                        .absent = item->absent.data};
    if (!status)
        status = gt_column_widen(&part, &item->raw, form, to, &item->wide, err);
    if (!status)
        status = fields_check_chunk(a, &item->wide, err);
    return status ? status : gt_array_encode(fields->made[c->array], &item->wide, &item->stored, item->scratch, err);
}

static int put(const struct replay *replay, const struct chunk_item *item, struct gt_err *err)
{
    const int64_t index[GT_MAX_DIMS] = {item->chunk->row_group, item->chunk->part};
    return gt_array_put(replay->fields->made[item->chunk->array], index, &item->stored, err);
}

static bool any_order(const struct replay *replay, const struct chunk_item *item)
{
    return replay->fields->made[item->chunk->array]->store->ops->any_order;
}

static int work_chunk(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    int status = 0;
    bool axis;
    const struct gt_column_shape to =
        fields_shape(replay->fields, &replay->fields->seen, item->chunk->array, (int64_t)replay->fields->info->filters.n, &axis);
    (void)task;
    gt_flow_bytes((int64_t)item->chunk->n);
    if (!item->chunk->n)
        status = encode_zeros(replay->fields, item, err);
    else if (to.size != item->chunk->form.size || to.k != item->chunk->form.k)
        status = renew(replay->fields, item, to, err);
    return status || !any_order(replay, item) ? status : put(replay, item, err);
}

static int put_chunk(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct replay *replay = ctx;
    struct chunk_item *item = data;
    const struct fields_chunk *c = item->chunk;
    (void)task;
    replay->stats->chunks++;
    replay->stats->bytes_all += (int64_t)item->stored.len;
    if (c->array >= FIELD_GENOTYPE && c->array <= FIELD_MASK)
        replay->stats->bytes_genotypes += (int64_t)item->stored.len;
    return any_order(replay, item) ? 0 : put(replay, item, err);
}

static void release_chunk(void *ctx, void *data)
{
    struct gt_buf *buf;
    (void)ctx;
    for (int i = 0; (buf = item_bufs(data, i)); i++)
        gt_buf_release(buf);
}

/* What a chunk takes that is laid out anew, at most. */
static size_t task_bytes(const struct gt_fields *fields)
{
    size_t most = 0;
    for (int i = 0; i < fields->n; i++)
        if (fields->made[i] && fields->made[i]->chunk_bytes > most)
            most = fields->made[i]->chunk_bytes;
    return 3 * most + 65536;
}

int gt_fields_replay(struct gt_fields *fields, int64_t memory, struct gt_fields_stats *stats, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "put",
                                           .read_name = "read back",
                                           .work_name = "lay out",
                                           .item_size = sizeof(struct chunk_item),
                                           .read = read_chunk,
                                           .work = work_chunk,
                                           .release = release_chunk};
    struct replay replay = {fields, stats};
    *stats = (struct gt_fields_stats){.max_alleles = fields->seen.alleles, .undeclared = fields->n_undeclared};
    const struct gt_flow_opts opts = {.tasks = (int64_t)(fields->chunks.len / sizeof(struct fields_chunk)),
                                      .readers = 1,
                                      .task_bytes = task_bytes(fields),
                                      .memory = memory};
    return opts.tasks ? gt_flow_run(fields->engine, &ops, &opts, &replay, put_chunk, err) : 0;
}
