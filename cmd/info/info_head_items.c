/* --head N of an array of what a matrix does not take (texts, complex numbers, times), a
 * row of chunks after another. */
#include "cmd/info/info.h"
#include "cmd/info/info_row.h"

#include <stdlib.h>

#include "arrays/zarr/region.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

/* An item in a chunk that is held: a text, or the bytes of what is none. */
struct cell {
    const void *at;
    size_t n;
};

struct head {
    struct gt_cache *cache;
    struct gt_region region; /* the rows of a band, all in one row of chunks */
    int64_t stride[GT_MAX_DIMS];
    int64_t row_items, most; /* items of a row; rows of a band */
    struct gt_buf band, one; /* struct cell: the items of a band, and of a chunk */
    struct cell *cells;
    struct gt_chunk **held;
    size_t n_held, cap_held;
    struct cell *of_chunk;
    struct gt_buf scratch[2];
    struct gt_str text;
};

/* The items of a chunk go to their places in the band. */
static int take_chunk(struct head *h, const struct gt_region_walk *walk, struct gt_err *err)
{
    struct gt_chunk *chunk;
    int status = gt_grow(&h->held, &h->cap_held, h->n_held + 1, sizeof(struct gt_chunk *), err);
    status = status ? status : gt_cache_acquire(h->cache, walk->index, &chunk, err);
    if (status)
        return status;
    h->held[h->n_held++] = chunk;
    status = gt_cache_decode(h->cache, chunk, h->scratch, err);
    const struct gt_array *array = gt_cache_array(h->cache);
    const bool texts = gt_type_is_text(array->dtype.type);
    for (size_t i = 0; i < array->unit_items && !status; i++)
        h->of_chunk[i] = texts ? (struct cell){gt_strs_get(&chunk->texts, i), gt_strs_len(&chunk->texts, i)}
                               : (struct cell){chunk->raw.data + i * array->dtype.size, array->dtype.size};
    if (!status)
        gt_nd_copy(&walk->part, sizeof *h->cells, h->cells + walk->to, h->of_chunk + walk->from);
    return status;
}

static void print_band(struct head *h, const struct gt_array *array)
{
    const int64_t inner = array->ndim > 2 ? array->shape[array->ndim - 1] : 1, n = array->ndim ? h->region.count[0] : 1;
    gt_str_clear(&h->text);
    for (int64_t i = 0; i < n * h->row_items; i++) {
        const int64_t k = i % h->row_items;
        if (k > 0)
            gt_str_add(&h->text, k % inner != 0 ? "," : "\t");
        if (gt_type_is_text(array->dtype.type))
            info_add_text(&h->text, h->cells[i].at, h->cells[i].n);
        else
            info_add_item(&h->text, &array->dtype, h->cells[i].at);
        if (k + 1 == h->row_items)
            gt_str_add(&h->text, "\n");
    }
}

static int show_band(struct head *h, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_array *array = gt_cache_array(h->cache);
    struct gt_region_walk walk;
    int status = GT_OK;
    for (gt_region_walk_begin(&walk, array, &h->region, h->stride); gt_region_walk_chunk(&walk) && !status; gt_region_walk_next(&walk))
        status = take_chunk(h, &walk, err);
    if (!status) {
        print_band(h, array);
        status = gt_text_put(out, &h->text, 0, err);
    }
    while (h->n_held > 0)
        gt_cache_give(h->cache, h->held[--h->n_held]);
    return status;
}

/* What a band is. */
static int measure(struct head *h, const struct gt_array *array, int64_t n, struct gt_err *err)
{
    int64_t cells;
    h->row_items = 1;
    for (int i = 1; i < array->ndim; i++)
        h->row_items *= array->shape[i]; /* at most the number of items, which was checked */
    h->most = array->ndim && array->unit[0] < n ? array->unit[0] : n;
    if (!gt_mul_i64(h->most, h->row_items, &cells) || cells > 1 << 28)
        return gt_fail(err, GT_INPUT, "rows of array '%s' are too large to show", array->path);
    gt_region_all(&h->region, array);
    gt_nd_strides(array->ndim, array->shape, h->stride);
    return GT_OK;
}

/* Room for a band. */
static int prepare(struct head *h, const struct gt_array *array, struct gt_err *err)
{
    int status = gt_buf_resize(&h->band, (size_t)(h->most * h->row_items) * sizeof(struct cell), err);
    status = status ? status : gt_buf_resize(&h->one, array->unit_items * sizeof(struct cell), err);
    h->cells = (struct cell *)(void *)h->band.data;
    h->of_chunk = (struct cell *)(void *)h->one.data;
    return status;
}

static void release(struct head *h)
{
    free(h->held);
    gt_buf_release(&h->band);
    gt_buf_release(&h->one);
    gt_buf_release(&h->scratch[0]);
    gt_buf_release(&h->scratch[1]);
    gt_str_release(&h->text);
    gt_cache_free(h->cache);
}

/* A row of chunks, stored, decoded and as texts, and the items of the band. */
static int settle(const struct gt_cli *cli, const struct head *h, const struct gt_array *array, struct gt_err *err)
{
    enum { TEXT = 48 };
    int64_t chunks = 1, bytes = gt_bytes_add(gt_bytes_mul(3, (int64_t)array->unit_bytes), gt_bytes_mul(TEXT, (int64_t)array->unit_items));
    const int64_t cells = gt_bytes_mul(gt_bytes_add(gt_bytes_mul(h->most, h->row_items), (int64_t)array->unit_items), sizeof(struct cell));
    for (int i = 1; i < array->ndim; i++)
        chunks = gt_bytes_mul(chunks, gt_array_units(array, i));
    struct gt_allotment allotment = {.name = "a row of chunks", .minimum = gt_bytes_add(gt_bytes_mul(chunks, bytes), cells)};
    return gt_memory_plan_fit(&allotment, 1, &cli->engine, err);
}

int info_head_items(struct gt_cli *cli, struct gt_array *array, int64_t n, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_cache_opts opts = {.budget = &cli->engine.budget, .texts = gt_type_is_text(array->dtype.type), .nul = true};
    const int64_t rows = array->ndim == 0 ? n > 0 : n < array->shape[0] ? n : array->shape[0];
    struct head h = {.scratch = {{.budget = &cli->engine.budget}, {.budget = &cli->engine.budget}},
                     .band.budget = &cli->engine.budget,
                     .one.budget = &cli->engine.budget};
    int status = rows ? measure(&h, array, rows, err) : GT_OK;
    if (!status && rows)
        status = settle(cli, &h, array, err);
    if (status || cli->dry_run || !rows)
        return status;
    status = prepare(&h, array, err);
    status = status ? status : gt_cache_new(&h.cache, array, &opts, err);
    for (int64_t at = 0; at < rows && h.row_items && !status; at += h.most) {
        h.region.start[0] = array->ndim ? at : 0;
        h.region.count[0] = rows - at < h.most ? rows - at : h.most;
        status = show_band(&h, out, err);
    }
    release(&h);
    return status;
}
