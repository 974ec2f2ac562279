#include "geno/zarr_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "zarr/open.h"

static bool is_stream(const struct zarr_reader *r)
{
    return r->store->stream;
}

/* --- read: the stored chunks of a ticket ------------------------------------------- */

static void item_init(struct zarr_reader *r, struct zr_item *item)
{
    struct gt_budget *budget = &r->base.engine->budget;

    if (item->ready)
        return;
    item->ready = true;
    gt_block_init(&item->block, budget);
    item->later.budget = item->raw.budget = item->tile.budget = item->codes.budget = item->seen.budget = budget;
    item->alt_calls.budget = item->records.budget = item->rows.budget = budget;
    item->scratch[0].budget = item->scratch[1].budget = budget;
}

static void item_release(void *ctx, void *data)
{
    struct zr_item *item = data;

    zr_sites_done(ctx, item);
    gt_block_release(&item->block);
    gt_buf_release(&item->later);
    gt_buf_release(&item->raw);
    gt_buf_release(&item->tile);
    gt_buf_release(&item->codes);
    gt_buf_release(&item->seen);
    gt_buf_release(&item->alt_calls);
    gt_buf_release(&item->records);
    gt_buf_release(&item->rows);
    gt_buf_release(&item->scratch[0]);
    gt_buf_release(&item->scratch[1]);
    for (size_t i = 0; i < item->cap_stored; i++)
        gt_buf_release(&item->stored[i]);
    free(item->stored);
    free(item->state);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        free(item->chunk[i]);
}

static int room_for(struct zarr_reader *r, struct zr_item *item, size_t n, struct gt_err *err)
{
    if (n > item->cap_stored) {
        if (gt_resize(&item->stored, n, sizeof *item->stored, err) || gt_resize(&item->state, n, sizeof *item->state, err))
            return GT_FAIL;
        memset(item->stored + item->cap_stored, 0, (n - item->cap_stored) * sizeof *item->stored);
        for (size_t i = item->cap_stored; i < n; i++)
            item->stored[i].budget = &r->base.engine->budget;
        item->cap_stored = n;
    }
    item->n_stored = n;
    return GT_OK;
}

int zr_fetch(struct zarr_reader *r, const int64_t *index, struct gt_buf *stored, enum zr_state *state, struct gt_err *err)
{
    int status = gt_array_fetch(r->geno, index, stored, err);

    *state = status == GT_NOENT ? ZR_MISSING : ZR_STORED;
    if (status != GT_NOENT)
        gt_flow_bytes((int64_t)stored->len);
    return status == GT_NOENT ? GT_OK : status;
}

static int fetch_genotypes(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t columns = gt_array_grid(a, 1), layers = a->ndim == 3 ? gt_array_grid(a, 2) : 1;
    int64_t bytes = 0;
    size_t n, at = 0;
    int status = GT_OK;

    item->chunk_row = item->first / a->chunk[0];
    item->chunk_rows = (item->first + item->n - 1) / a->chunk[0] - item->chunk_row + 1;
    if (!gt_mul_size((size_t)(columns * layers), (size_t)item->chunk_rows, &n) || n > (size_t)1 << 24)
        return gt_fail(err, GT_INPUT, "'%s': array '%s' is cut into too many chunks", r->base.info.name, a->path);
    status = room_for(r, item, n, err);
    for (int64_t row = 0; row < item->chunk_rows; row++)
        for (int64_t col = 0; col < columns; col++)
            for (int64_t layer = 0; layer < layers && !status; layer++, at++) {
                int64_t index[3] = {item->chunk_row + row, col, layer};
                item->state[at] = ZR_LATER;
                if (bytes < r->stored_max || is_stream(r))
                    status = zr_fetch(r, index, &item->stored[at], &item->state[at], err);
                bytes += item->state[at] == ZR_STORED ? (int64_t)item->stored[at].len : 0;
            }
    return status;
}

/* A stream whose number of variants is not known yet: row `row` of chunks is
 * there, or the stream has ended and its final metadata was read. */
static int has_row(struct zarr_reader *r, int64_t row, bool *there, struct gt_err *err)
{
    int64_t index[3] = {row, 0, 0};
    struct gt_str key = {0};
    int status;

    status = gt_array_key(r->geno, index, &key, err);
    if (!status)
        status = gt_store_has(r->store, key.s, err);
    gt_str_release(&key);
    *there = status == GT_OK;
    return status == GT_NOENT ? zr_finish_stream(r, err) : status;
}

/* first and n of the ticket.  A provisional stream's stripe is handed on only when
 * the next one has appeared, or the end has told how long it is. */
static int ticket_extent(struct zarr_reader *r, int64_t ticket, struct zr_item *item, struct gt_err *err)
{
    bool there = true;
    int status = GT_OK;

    item->first = r->from + ticket * r->rows;
    item->n = r->rows;
    if (r->n_variants < 0)
        status = has_row(r, ticket, &there, err);
    if (!status && there && r->n_variants < 0) {
        status = fetch_genotypes(r, item, err);
        if (!status)
            status = zr_sites_fetch(r, item, err);
        if (!status)
            status = has_row(r, ticket + 1, &there, err);
        if (!status && r->n_variants >= 0 && item->first >= r->n_variants)
            status = gt_fail(err, GT_INPUT, "'%s' has chunks beyond its %lld variants", r->base.info.name, (long long)r->n_variants);
    }
    if (!status && r->n_variants >= 0 && item->n > r->n_variants - item->first)
        item->n = r->n_variants - item->first;
    if (!status && item->n > r->to - item->first)
        item->n = r->to - item->first;
    return status;
}

static int on_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct zarr_reader *r = ctx;
    struct zr_item *item = data;
    int status;

    item_init(r, item);
    zr_sites_done(r, item);
    item->n_stored = 0;
    status = ticket_extent(r, ticket, item, err);
    if (!status && item->n <= 0) {
        status = is_stream(r) ? zr_finish_stream(r, err) : GT_OK;
        return status ? status : GT_END;
    }
    if (!status && item->n_stored == 0) {
        status = fetch_genotypes(r, item, err);
        if (!status)
            status = zr_sites_fetch(r, item, err);
    }
    return status;
}

/* --- work ---------------------------------------------------------------------------- */

static int on_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct zarr_reader *r = ctx;
    struct zr_item *item = data;
    int status;

    (void)ticket;
    gt_block_clear(&item->block);
    item->block.first = item->first;
    status = zr_sites_make(r, item, err);
    zr_sites_done(r, item);
    if (status)
        return status;
    status = zr_choose_rows(r, item, err);
    if (!status)
        status = zr_genotypes(r, item, err);
    return status ? status : gt_filter_block(r->filter, &item->block, err);
}

/* --- a pass --------------------------------------------------------------------------- */

/* Variants of a ticket, see zarr_reader.h. */
static int64_t choose_rows(const struct zarr_reader *r, int64_t memory)
{
    int64_t chunk = r->geno->chunk[0], stride = (r->base.info.n_samples + 3) / 4 + 1, rows = chunk;

    if (r->n_variants < 0)
        return chunk;
    if (rows > r->n_variants)
        rows = r->n_variants > 0 ? r->n_variants : 1;
    while (rows < 1024 && rows * 2 * stride <= 1 << 20 && rows < r->n_variants)
        rows += chunk;
    if (!is_stream(r) && rows > memory / 4 / stride) {
        int64_t parts = gt_ceil_div(rows, memory / 4 / stride > 0 ? memory / 4 / stride : 1);
        rows = gt_ceil_div(rows, parts);
    }
    return rows;
}

static size_t ticket_bytes(const struct zarr_reader *r)
{
    size_t rows = (size_t)r->rows, packed = rows * ((size_t)(r->base.info.n_samples + 3) / 4);
    return 2 * packed + 2 * r->geno->chunk_bytes + (r->fields ? rows * 160 : 0) + 65536;
}

static int prepare(struct zarr_reader *r, struct gt_err *err)
{
    int status = GT_OK;
    bool stale = r->provisional || (r->n_variants >= 0 && r->geno->shape[0] != r->n_variants);

    /* Alleles and filters that came up late stand at the end of such a stream. */
    if (r->provisional && (r->fields & (GT_SITE_ALLELES | GT_SITE_QUAL)))
        status = zr_finish_stream(r, err);
    if (!status && stale && !r->provisional) {
        status = zr_reopen_sites(r, err);
        if (!status)
            status = zr_read_filters(r, err);
    }
    return status;
}

/* Chunks of a stream that nobody will ask for need not be kept. */
static int want_arrays(struct zarr_reader *r, struct gt_err *err)
{
    const char *paths[ZR_SITE_ARRAYS + 3];
    size_t n = 0;

    if (!is_stream(r) || r->again)
        return GT_OK;
    paths[n++] = r->array_path;
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        if (zr_site_needed(r, i))
            paths[n++] = r->site[i].array->path;
    for (int i = 0; i < 2; i++)
        if (r->late_path[i])
            paths[n++] = r->late_path[i];
    return gt_tar_want(r->store, paths, n, err);
}

/* Whole rows of chunks, those that range and slice leave something of. */
static void choose_window(struct zarr_reader *r)
{
    int64_t chunk = r->geno->chunk[0];

    gt_filter_window(r->filter, r->n_variants, &r->from, &r->to);
    if (r->rows >= chunk) {
        r->from = r->from / chunk * chunk;
        r->to = gt_ceil_div(r->to, chunk) * chunk;
        r->to = r->to < r->n_variants ? r->to : r->n_variants;
    }
    r->base.passed_over = gt_filter_passed_over(r->filter, r->n_variants, r->from, r->to);
}

static int reader_start(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "zarr",
                                           .read_name = "read",
                                           .work_name = "decode",
                                           .item_size = sizeof(struct zr_item),
                                           .read = on_read,
                                           .work = on_work,
                                           .release = item_release};
    struct zarr_reader *r = (struct zarr_reader *)reader;
    struct gt_flow_opts opts = {.tickets = -1, .readers = 1, .memory = memory};
    int status;

    r->filter = filter;
    r->fields = fields | gt_filter_fields(filter);
    r->select = gt_filter_opts(filter);
    r->rule = gt_dosage_rule(r->select, gt_filter_keep(filter));
    status = prepare(r, err);
    if (!status)
        status = want_arrays(r, err);
    if (status)
        return status;
    r->rows = choose_rows(r, memory);
    r->stored_max = memory / 8;
    opts.ticket_bytes = ticket_bytes(r);
    r->from = 0;
    r->to = INT64_MAX;
    if (!is_stream(r)) {
        choose_window(r);
        opts.tickets = gt_ceil_div(r->to - r->from, r->rows);
        opts.readers = reader->engine->limits.io_threads;
    }
    return gt_flow_start(&r->flow, reader->engine, &ops, &opts, r, err);
}

/* Contigs that the table did not have get their numbers here, in block order. */
static int number_contigs(struct zarr_reader *r, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = gt_block_sites(block);

    for (size_t k = 0; k < block->new_contigs.n; k++) {
        const char *name = gt_strs_get(&block->new_contigs, k);
        int64_t number;
        int status = gt_names_number(r->numbers, &r->base.info.contigs, name, strlen(name), &number, err);
        if (status)
            return status;
        for (int64_t i = 0; i < block->n && block->sites.len; i++)
            if (sites[i].contig == -1 - (int32_t)k)
                sites[i].contig = (int32_t)number;
    }
    return GT_OK;
}

static int reader_next(struct gt_reader *reader, struct gt_block **block, struct gt_err *err)
{
    struct zarr_reader *r = (struct zarr_reader *)reader;
    void *item;
    int64_t ticket;
    int status = gt_flow_next(r->flow, &item, &ticket, err);

    if (status)
        return status;
    *block = &((struct zr_item *)item)->block;
    status = number_contigs(r, *block, err);
    if (status)
        gt_flow_done(r->flow, item);
    return status;
}

static void reader_done(struct gt_reader *reader, struct gt_block *block)
{
    gt_flow_done(((struct zarr_reader *)reader)->flow, block); /* the block is the item's first member */
}

static void reader_stop(struct gt_reader *reader)
{
    struct zarr_reader *r = (struct zarr_reader *)reader;

    gt_flow_free(r->flow);
    r->flow = NULL;
    zr_columns_release(r);
}

static void reader_free(struct gt_reader *reader)
{
    struct zarr_reader *r = (struct zarr_reader *)reader;

    reader_stop(reader);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        gt_array_free(r->site[i].array);
        pthread_mutex_destroy(&r->site[i].lock);
    }
    pthread_mutex_destroy(&r->late_lock);
    gt_array_free(r->geno);
    gt_strs_release(&r->late);
    gt_names_free(r->known);
    gt_names_free(r->numbers);
    free(r->filter_map);
    free(r->group_path);
    free(r->array_path);
    free(r->late_path[0]);
    free(r->late_path[1]);
    gt_reader_base_release(reader);
    gt_store_free(r->store);
    free(r);
}

/* --- opening ----------------------------------------------------------------------------- */

static struct zarr_reader *reader_new(struct gt_engine *engine, const struct gt_input *input, int slice, bool again, struct gt_err *err)
{
    static const struct gt_reader_ops ops = {reader_start, reader_next, reader_done, reader_stop, reader_free};
    struct zarr_reader *r = gt_alloc(1, sizeof *r, err);

    if (!r)
        return NULL;
    r->base.ops = &ops;
    r->base.engine = engine;
    r->base.info.name = gt_strdup(input->name, err);
    gt_source_info_count_in(&r->base.info, &engine->budget);
    r->base.can_restart = input->kind != GT_KIND_TAR || again;
    r->slice = slice;
    r->again = again;
    r->known = gt_names_new(&engine->budget, err);
    r->numbers = gt_names_new(&engine->budget, err);
    pthread_mutex_init(&r->late_lock, NULL);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        pthread_mutex_init(&r->site[i].lock, NULL);
        r->site[i].scratch[0].budget = r->site[i].scratch[1].budget = &engine->budget;
    }
    if (r->base.info.name && r->known && r->numbers)
        return r;
    reader_free(&r->base);
    return NULL;
}

int gt_reader_open_zarr(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const char *array, int slice_ploidy,
                        bool again, struct gt_err *err)
{
    struct zarr_reader *r = reader_new(engine, input, slice_ploidy, again, err);
    struct gt_str path = {0};
    int status = r ? gt_zarr_path(&path, input, array, err) : GT_FAIL;

    if (!r)
        return status;
    if (!status)
        status = gt_zarr_open_store(&r->store, engine, input, again, err);
    if (!status)
        status = zr_open_layout(r, path.s, err);
    if (!status)
        status = zr_open_tables(r, err);
    gt_str_release(&path);
    r->base.info.kind = gt_strdup(r->layout == ZR_PACKED     ? "packed store"
                                  : r->site[ZR_CONTIG].array ? "VCF Zarr store"
                                                             : "Zarr store",
                                  err);
    if (!status && !r->base.info.kind)
        status = GT_FAIL;
    if (status) {
        reader_free(&r->base);
        return status;
    }
    /* a chunk as it is decoded, and its rows, which may be cut when they are many */
    int64_t most = engine->budget.limit / 12, rows = most;
    if (!gt_mul_i64(r->geno->chunk[0], (r->base.info.n_samples + 3) / 4, &rows))
        rows = most;
    r->base.info.read_bytes =
        (int64_t)(r->geno->chunk_bytes < INT64_MAX / 4 ? r->geno->chunk_bytes : INT64_MAX / 4) + (rows < most ? rows : most);
    *out = &r->base;
    return GT_OK;
}
