/* --head N: the first values of an array along its first axis, a line each, as a
 * flow over bands of rows. */
#include "cmd/info.h"
#include "cmd/info_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "codec/vlen.h"
#include "engine/flow.h"

struct head {
    struct gt_cli *cli;
    struct gt_array *array;
    struct gt_outfile *out;
    int64_t rows, band;    /* to show; of a ticket, all in one row of chunks */
    int64_t per_chunk_row; /* bands */
    int64_t row_items;     /* of all axes but the first */
    int64_t columns;       /* chunks in a row of chunks */
};

struct item {
    bool ready;
    int64_t first, n; /* rows */
    struct gt_buf *stored;
    bool *missing;
    struct gt_buf raw, scratch[2], values;
    struct gt_strs *texts; /* of each chunk */
    struct gt_str text;
};

static void chunk_index(const struct head *h, int64_t first, int64_t column, int64_t index[GT_MAX_DIMS])
{
    const struct gt_array *a = h->array;
    int64_t grid[GT_MAX_DIMS];

    for (int i = 0; i < a->ndim; i++)
        grid[i] = gt_array_grid(a, i);
    gt_nd_index(a->ndim - 1, grid + 1, column, index + 1);
    index[0] = a->ndim ? first / a->chunk[0] : 0;
}

static int item_init(struct head *h, struct item *item, struct gt_err *err)
{
    struct gt_budget *budget = &h->cli->engine.budget;

    if (item->ready)
        return GT_OK;
    item->stored = gt_alloc((size_t)h->columns, sizeof *item->stored, err);
    item->missing = gt_alloc((size_t)h->columns, sizeof *item->missing, err);
    item->texts = gt_alloc((size_t)h->columns, sizeof *item->texts, err);
    if (!item->stored || !item->missing || !item->texts)
        return GT_FAIL;
    item->ready = true;
    for (int64_t i = 0; i < h->columns; i++)
        item->stored[i].budget = budget;
    item->raw.budget = item->values.budget = item->scratch[0].budget = item->scratch[1].budget = budget;
    return GT_OK;
}

static int on_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct head *h = ctx;
    struct item *item = data;
    int64_t chunk = h->array->ndim ? h->array->chunk[0] : 1, left;
    int status = item_init(h, item, err);

    item->first = ticket / h->per_chunk_row * chunk + ticket % h->per_chunk_row * h->band;
    left = chunk - ticket % h->per_chunk_row * h->band;
    item->n = left < h->band ? left : h->band;
    item->n = item->n < h->rows - item->first ? item->n : h->rows - item->first;
    for (int64_t c = 0; c < h->columns && status <= 0 && item->n > 0; c++) {
        int64_t index[GT_MAX_DIMS] = {0};
        chunk_index(h, item->first, c, index);
        status = gt_array_fetch(h->array, index, &item->stored[c], err);
        item->missing[c] = status == GT_NOENT;
    }
    return status > 0 ? status : GT_OK;
}

/* Item k of row `row` (both in the array): chunk column, and place in that chunk. */
static void locate(const struct head *h, int64_t row, int64_t k, int64_t *column, size_t *at)
{
    const struct gt_array *a = h->array;
    int64_t index[GT_MAX_DIMS], grid[GT_MAX_DIMS], chunk[GT_MAX_DIMS];

    gt_nd_index(a->ndim - 1, a->shape + 1, k, index + 1);
    index[0] = a->ndim ? row % a->chunk[0] : 0;
    for (int i = 1; i < a->ndim; i++) {
        grid[i] = gt_array_grid(a, i);
        chunk[i] = index[i] / a->chunk[i];
        index[i] %= a->chunk[i];
    }
    *column = gt_nd_number(a->ndim - 1, grid + 1, chunk + 1);
    *at = (size_t)gt_nd_number(a->ndim, a->chunk, index);
}

static void add_real(struct gt_str *out, double d, int digits)
{
    char text[40];

    for (int n = 6; n <= digits; n++) { /* as short as it can be read back */
        snprintf(text, sizeof text, "%.*g", n, d);
        if (digits == 9 ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
            break;
    }
    gt_str_add(out, text);
}

static double half(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double d = e == 31 ? (m ? __builtin_nan("") : __builtin_inf()) : e ? __builtin_ldexp(1024 + m, e - 25) : __builtin_ldexp(m, -24);
    return h & 0x8000 ? -d : d;
}

static void add_number(struct gt_str *out, enum gt_type type, const uint8_t *p)
{
    int64_t whole = type <= GT_U64 ? gt_dtype_whole(type, gt_dtype_of(type).size, p) : 0;
    uint16_t h;
    float f;
    double d;

    if (type == GT_F16) {
        memcpy(&h, p, 2);
        add_real(out, half(h), 9);
    } else if (type == GT_F32) {
        memcpy(&f, p, 4);
        add_real(out, (double)f, 9);
    } else if (type == GT_F64) {
        memcpy(&d, p, 8);
        add_real(out, d, 17);
    } else if (type == GT_BOOL) {
        gt_str_add(out, whole ? "true" : "false");
    } else if (type == GT_U64) {
        gt_str_addf(out, "%llu", (unsigned long long)whole);
    } else {
        gt_str_addf(out, "%lld", (long long)whole);
    }
}

static bool is_text(const struct gt_array *array)
{
    return array->dtype.type == GT_STRING || array->dtype.type == GT_BYTES || array->dtype.type == GT_UCS4;
}

static int unpack_texts(const struct head *h, struct item *item, int64_t column, struct gt_err *err)
{
    struct gt_strs *texts = &item->texts[column];
    int status = GT_OK;

    gt_strs_clear(texts);
    if (h->array->dtype.type == GT_STRING)
        return gt_vlen_unpack(&item->raw, texts, err);
    for (size_t i = 0; i < h->array->chunk_items && !status; i++)
        status = gt_array_item_text(h->array, item->raw.data + i * h->array->dtype.size, texts, err);
    return status;
}

/* Numbers of the wanted rows out of a decoded chunk into values. */
static void take_numbers(const struct head *h, struct item *item, const int64_t *chunk)
{
    const struct gt_array *a = h->array;
    struct gt_nd part;
    int64_t to = gt_array_chunk_part(a, chunk, &part), from = 0;
    size_t size = a->dtype.size;

    if (a->ndim) {
        from = item->first % a->chunk[0] * part.axis[0].from;
        to -= chunk[0] * a->chunk[0] * part.axis[0].to;
        part.axis[0].n = item->n;
    }
    gt_nd_copy(&part, size, item->values.data + (size_t)to * size, item->raw.data + (size_t)from * size);
}

static void print_rows(const struct head *h, struct item *item)
{
    const struct gt_array *a = h->array;

    gt_str_clear(&item->text);
    for (int64_t r = 0; r < item->n; r++) {
        for (int64_t k = 0; k < h->row_items; k++) {
            bool inner = a->ndim > 2 && k % a->shape[a->ndim - 1] != 0; /* values of the last axis stand together */
            if (k > 0)
                gt_str_add(&item->text, inner ? "," : "\t");
            if (is_text(a)) {
                int64_t column;
                size_t at;
                locate(h, item->first + r, k, &column, &at);
                if (at < item->texts[column].n)
                    info_add_text(&item->text, gt_strs_get(&item->texts[column], at));
            } else {
                add_number(&item->text, a->dtype.type, item->values.data + (size_t)(r * h->row_items + k) * a->dtype.size);
            }
        }
        gt_str_add(&item->text, "\n");
    }
}

static int on_work(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct head *h = ctx;
    struct item *item = data;
    int status = GT_OK;

    (void)ticket;
    if (!is_text(h->array))
        status = gt_buf_resize(&item->values, (size_t)(item->n * h->row_items) * h->array->dtype.size, err);
    for (int64_t c = 0; c < h->columns && !status; c++) {
        int64_t index[GT_MAX_DIMS] = {0};
        chunk_index(h, item->first, c, index);
        status = gt_array_decode(h->array, index, item->missing[c] ? NULL : &item->stored[c], &item->raw, item->scratch, err);
        if (!status && is_text(h->array))
            status = unpack_texts(h, item, c, err);
        else if (!status)
            take_numbers(h, item, index);
    }
    if (!status)
        print_rows(h, item);
    return status;
}

static int on_commit(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    (void)ticket;
    return info_write(((struct head *)ctx)->out, &((struct item *)data)->text, err);
}

static void on_release(void *ctx, void *data)
{
    struct head *h = ctx;
    struct item *item = data;

    for (int64_t i = 0; item->ready && i < h->columns; i++) {
        gt_buf_release(&item->stored[i]);
        gt_strs_release(&item->texts[i]);
    }
    free(item->stored);
    free(item->missing);
    free(item->texts);
    gt_buf_release(&item->raw);
    gt_buf_release(&item->values);
    gt_buf_release(&item->scratch[0]);
    gt_buf_release(&item->scratch[1]);
    gt_str_release(&item->text);
}

/* Bands of about 4 MiB of values. */
static int plan(struct head *h, int64_t n, struct gt_err *err)
{
    const struct gt_array *a = h->array;
    int64_t bytes, chunk = a->ndim ? a->chunk[0] : 1;

    h->rows = a->ndim == 0 ? (n > 0) : n < a->shape[0] ? n : a->shape[0];
    h->row_items = h->columns = 1;
    for (int i = 1; i < a->ndim; i++) {
        h->row_items *= a->shape[i]; /* at most the number of items, which was checked */
        h->columns *= gt_array_grid(a, i);
    }
    if (h->rows == 0 || h->row_items == 0) {
        h->rows = 0;
        return GT_OK;
    }
    if (!gt_mul_i64(h->row_items, a->dtype.size ? (int64_t)a->dtype.size : 16, &bytes) || h->columns > 1 << 20)
        return gt_fail(err, GT_INPUT, "rows of array '%s' are too large to show", a->path);
    h->band = (4 << 20) / bytes + 1;
    h->band = h->band < chunk ? h->band : chunk;
    h->band = h->band < h->rows ? h->band : h->rows;
    h->per_chunk_row = gt_ceil_div(chunk, h->band);
    return GT_OK;
}

int info_head(struct gt_cli *cli, struct gt_array *array, int64_t n, struct gt_outfile *out, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "head", .work_name = "print", .item_size = sizeof(struct item), .read = on_read, .work = on_work, .release = on_release};
    struct head head = {.cli = cli, .array = array, .out = out};
    struct gt_flow_opts opts = {.readers = 1, .memory = cli->engine.budget.limit / 2};
    int64_t chunk = array->ndim ? array->chunk[0] : 1;
    int status = plan(&head, n, err);

    if (status || head.rows == 0)
        return status;
    opts.tickets = (head.rows - 1) / chunk * head.per_chunk_row + (head.rows - 1) % chunk / head.band + 1;
    opts.ticket_bytes = 3 * array->chunk_bytes + (size_t)(head.band * head.row_items) * (array->dtype.size + 24);
    return gt_flow_run(&cli->engine, &ops, &opts, &head, on_commit, err);
}
