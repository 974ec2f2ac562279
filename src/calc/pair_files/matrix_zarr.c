/* The matrix as an array of a Zarr group, its ids next to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/group.h"
#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "storage/archive/store_create.h"
#include "storage/codec/vlen.h"

/* A chunk has 1 MiB of float64.  Rows are gathered in bands of chunks, of 32 MiB at most, so that
 * the chunks of many columns are low. */
enum { CHUNK_ITEMS = 1 << 17, CHUNK_ROWS = 128, BAND_ITEMS = 1 << 22 };

enum { DISTANCE, IDS, COLUMN_IDS, ARRAYS };

struct zarr_sink {
    struct gt_sink base;
    struct gt_store *store;
    bool stream, rectangle;
    size_t width;
    const char *metric, *history, *item;
    struct gt_array *array[ARRAYS]; /* NULL: COLUMN_IDS of a square */
    int64_t rows, chunks;           /* chunks: of the band */
    struct gt_buf band;             /* [chunks][rows of a chunk][columns of a chunk] */
    struct gt_buf stored, scratch[2];
};

/* --- shape ------------------------------------------------------------------------ */

static int64_t within(int64_t n, int64_t most)
{
    return n < 1 ? 1 : n < most ? n : most;
}

/* By the shape alone: the same chunks for any memory. */
static void choose_chunk(int64_t rows, int64_t columns, int64_t chunk[2])
{
    chunk[0] = CHUNK_ROWS;
    while (chunk[0] > 1 && columns > BAND_ITEMS / chunk[0])
        chunk[0] /= 2;
    chunk[1] = within(columns, CHUNK_ITEMS / chunk[0]);
    chunk[0] = within(rows, chunk[0]);
}

static int64_t bytes_of_ids(const struct gt_strs *ids)
{
    return gt_bytes_add((int64_t)ids->text_len, gt_bytes_mul(8, (int64_t)ids->n));
}

int64_t gt_pairs_zarr_memory(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns)
{
    int64_t chunk[2], ids = bytes_of_ids(rows);
    choose_chunk((int64_t)rows->n, (int64_t)columns->n, chunk);
    const int64_t one = chunk[0] * chunk[1] * wants->width, chunks = gt_ceil_div((int64_t)columns->n, chunk[1]);
    ids = ids > bytes_of_ids(columns) ? ids : bytes_of_ids(columns);
    return gt_bytes_add(gt_bytes_mul(chunks + 4, one), gt_bytes_add(gt_bytes_mul(4, ids), 1 << 20));
}

/* --- arrays ------------------------------------------------------------------------- */

static int new_array(struct zarr_sink *sink, int which, const struct gt_array_spec *spec, struct gt_err *err)
{
    return gt_array_new(&sink->array[which], sink->store, spec, 2, err);
}

struct axis_names {
    char ids[32], axis[32];
};

/* Of samples "sample_id" and "samples", each with the suffix after it. */
static struct axis_names names_of(const char *item, const char *suffix)
{
    struct axis_names names;
    snprintf(names.ids, sizeof names.ids, "%s_id%s", item, suffix);
    snprintf(names.axis, sizeof names.axis, "%ss%s", item, suffix);
    return names;
}

/* Of a square both axes are the samples of sample_id; they have two names, as xarray wants them. */
static int new_arrays(struct zarr_sink *sink, const struct gt_sink_subject *subject, struct gt_err *err)
{
    const int64_t rows = (int64_t)subject->rows->n, columns = (int64_t)subject->columns->n;
    const struct axis_names both = names_of(sink->item, ""), first = names_of(sink->item, "_0"), second = names_of(sink->item, "_1");
    struct gt_array_spec numbers = {.path = "distance",
                                    .type = sink->width == 4 ? GT_F32 : GT_F64,
                                    .ndim = 2,
                                    .shape = {rows, columns},
                                    .dim_names = {first.axis, second.axis},
                                    .codec = "blosc:zstd:1:shuffle"};
    struct gt_array_spec ids = {.path = sink->rectangle ? first.ids : both.ids,
                                .type = GT_STRING,
                                .ndim = 1,
                                .shape = {rows},
                                .chunk = {within(rows, INT64_MAX)},
                                .dim_names = {sink->rectangle ? first.axis : both.axis},
                                .codec = "zstd:3"};
    choose_chunk(rows, columns, numbers.chunk);
    numbers.attrs = json_object_new_object();
    int status = gt_json_set_text(numbers.attrs, "metric", sink->metric) ? GT_OK : gt_no_memory(err);
    status = status ? status : new_array(sink, DISTANCE, &numbers, err);
    json_object_put(numbers.attrs);
    status = status ? status : new_array(sink, IDS, &ids, err);
    if (status || !sink->rectangle)
        return status;
    ids.path = second.ids, ids.dim_names[0] = second.axis;
    ids.shape[0] = columns, ids.chunk[0] = within(columns, INT64_MAX);
    return new_array(sink, COLUMN_IDS, &ids, err);
}

static int put_meta(struct zarr_sink *sink, struct gt_err *err)
{
    struct json_object *attrs = json_object_new_object();
    int status = attrs ? gt_attrs_add_history(attrs, sink->history, err) : gt_no_memory(err);
    if (!status)
        status = gt_group_put_meta(sink->store, 2, attrs, sink->array, sink->rectangle ? ARRAYS : COLUMN_IDS, err);
    json_object_put(attrs);
    return status;
}

static int put_chunk(struct zarr_sink *sink, int which, const int64_t *index, const struct gt_buf *raw, struct gt_err *err)
{
    int status = gt_array_encode(sink->array[which], raw, &sink->stored, sink->scratch, err);
    return status ? status : gt_array_put(sink->array[which], index, &sink->stored, err);
}

static int put_ids(struct zarr_sink *sink, int which, const struct gt_strs *ids, struct gt_err *err)
{
    struct gt_buf raw = {.budget = sink->band.budget};
    int status = ids->n ? gt_vlen_pack(ids, 0, ids->n, ids->n, &raw, err) : GT_OK;
    if (status == GT_INPUT)
        gt_fail_prefix(err, "array '%s'", sink->array[which]->path);
    if (!status && ids->n)
        status = put_chunk(sink, which, (int64_t[]){0}, &raw, err);
    gt_buf_release(&raw);
    gt_buf_release(&sink->stored);
    gt_buf_release(&sink->scratch[0]);
    gt_buf_release(&sink->scratch[1]);
    return status;
}

static int zarr_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct zarr_sink *sink = (struct zarr_sink *)base;
    sink->band.budget = sink->stored.budget = sink->scratch[0].budget = sink->scratch[1].budget = subject->budget;
    sink->rows = (int64_t)subject->rows->n;
    int status = new_arrays(sink, subject, err);
    if (!status && sink->stream)
        status = put_meta(sink, err);
    status = status ? status : put_ids(sink, IDS, subject->rows, err);
    if (!status && sink->rectangle)
        status = put_ids(sink, COLUMN_IDS, subject->columns, err);
    sink->chunks = status ? 0 : gt_array_grid(sink->array[DISTANCE], 1);
    return status ? status : gt_buf_resize(&sink->band, (size_t)sink->chunks * sink->array[DISTANCE]->chunk_bytes, err);
}

/* --- rows ----------------------------------------------------------------------------- */

/* A row of numbers to its places in the chunks of the band. */
static void gather(struct zarr_sink *sink, int64_t row, const double *values)
{
    const struct gt_array *array = sink->array[DISTANCE];
    const int64_t n = array->shape[1], each = array->chunk[1];
    uint8_t *to = sink->band.data + (size_t)(row * each) * sink->width;
    for (int64_t column = 0; column < n; column += each, to += array->chunk_bytes)
        gt_pairs_bytes(values + column, (size_t)(n - column < each ? n - column : each), sink->width, to);
}

static int put_band(struct zarr_sink *sink, int64_t band, struct gt_err *err)
{
    const size_t bytes = sink->array[DISTANCE]->chunk_bytes;
    int status = GT_OK;
    for (int64_t k = 0; k < sink->chunks && !status; k++) {
        const struct gt_buf raw = {.data = sink->band.data + (size_t)k * bytes, .len = bytes, .cap = bytes};
        status = put_chunk(sink, DISTANCE, (int64_t[]){band, k}, &raw, err);
    }
    return status;
}

static int zarr_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct zarr_sink *sink = (struct zarr_sink *)base;
    const int64_t each = sink->array[DISTANCE]->chunk[0];
    int status = GT_OK;
    (void)bytes;
    for (int64_t i = 0; i < tile->rows && !status; i++) {
        int64_t row = tile->row + i;
        if (row % each == 0) /* what lies outside of the array is 0 */
            memset(sink->band.data, 0, sink->band.len);
        gather(sink, row % each, tile->planes[0] + i * tile->columns);
        if (row % each == each - 1 || row == sink->rows - 1)
            status = put_band(sink, row / each, err);
    }
    return status;
}

static int zarr_finish(struct gt_sink *base, struct gt_err *err)
{
    struct zarr_sink *sink = (struct zarr_sink *)base;
    int status = sink->stream ? GT_OK : put_meta(sink, err);
    return status ? status : gt_store_finish(sink->store, err);
}

static void zarr_free(struct gt_sink *base)
{
    struct zarr_sink *sink = (struct zarr_sink *)base;
    for (int k = 0; k < ARRAYS; k++)
        gt_array_free(sink->array[k]);
    gt_store_free(sink->store);
    gt_buf_release(&sink->band);
    gt_buf_release(&sink->stored);
    gt_buf_release(&sink->scratch[0]);
    gt_buf_release(&sink->scratch[1]);
    free(sink);
}

int gt_pairs_zarr_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {zarr_begin, NULL, zarr_write, zarr_finish, zarr_free};
    struct zarr_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .order = GT_TILES_IN_ROWS};
    sink->stream = gt_store_is_stream(path);
    sink->rectangle = opts->rectangle;
    sink->width = (size_t)opts->width;
    sink->metric = opts->value;
    sink->history = opts->store.history;
    sink->item = opts->store.item;
    int status = gt_store_create(&sink->store, path, opts->store.replace, opts->store.plan, err);
    if (status)
        zarr_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
