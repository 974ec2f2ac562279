#include "calc/svd/sketch_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "kernels/device/sketch.h"

/* Tables of codes: what they count, and whether they are missing; the digits of the numbers that they are multiplied with. */
enum { COUNTS, GAPS };
static const int digits_of[2] = {2, 4};
static const int8_t tables[2][4] = {{0, 1, 2, 0}, {0, 0, 0, 1}};

struct gt_svd_on_device {
    struct gt_device *device;
    const struct gt_device_ops *ops;
    struct gt_stream *stream;
    pthread_mutex_t lock;                        /* of the stream and all that follows */
    int64_t samples, block_rows, width;          /* width: of the plan */
    int64_t columns, back;                       /* digits of columns: of the operand, and of what goes back */
    struct gt_device_buf tables, packed, planes; /* planes: of codes, either way round */
    struct gt_device_buf raw;                    /* of a narrow matrix, as it comes */
    struct gt_device_buf operand, operand_gaps, narrow;
    struct gt_device_buf products, sums;
    struct gt_device_buf *kept; /* rows of block number k, if they stay */
    size_t n_kept, kept_cap;
    struct gt_buf host; /* int32_t: products, copied */
};

static int64_t up(int64_t x)
{
    return gt_ceil_div(x, 16) * 16;
}

/* Bytes of each buffer; the order is that of list(). */
enum { TABLES, PACKED, PLANES, RAW, OPERAND, OPERAND_GAPS, NARROW, PRODUCTS, SUMS, BUFFERS };

static void measure(int64_t samples, int64_t rows, int64_t width, int64_t bytes[BUFFERS])
{
    const int64_t columns = 2 * width, longest = gt_max_i64(up(samples), up(rows));
    bytes[TABLES] = sizeof tables;
    bytes[PACKED] = gt_bytes_mul(rows, (samples + 3) / 4 + 16);
    bytes[PLANES] = gt_bytes_mul(up(rows), up(samples));
    bytes[RAW] = gt_bytes_mul(columns, 2 * (longest + 64));
    bytes[OPERAND] = gt_bytes_mul(2 * columns, up(samples));
    bytes[OPERAND_GAPS] = gt_bytes_mul(4 * columns, up(samples));
    bytes[NARROW] = gt_bytes_mul(4 * columns, up(rows));
    bytes[PRODUCTS] = gt_bytes_mul(4 * columns, longest * (int64_t)sizeof(int32_t));
    bytes[SUMS] = gt_bytes_mul(columns, up(samples) * (int64_t)sizeof(int64_t));
}

static void list(struct gt_svd_on_device *on, struct gt_device_buf *bufs[BUFFERS])
{
    struct gt_device_buf *const all[BUFFERS] = {&on->tables,       &on->packed, &on->planes,   &on->raw, &on->operand,
                                                &on->operand_gaps, &on->narrow, &on->products, &on->sums};
    memcpy(bufs, all, sizeof all);
}

int64_t gt_svd_device_bytes(const struct gt_device *device, int64_t samples, int64_t block_rows, int64_t width)
{
    int64_t bytes[BUFFERS], all = device->info.product_memory;
    measure(samples, block_rows, width, bytes);
    for (int k = 0; k < BUFFERS; k++)
        all = gt_bytes_add(all, bytes[k]);
    return all;
}

int64_t gt_svd_device_host_bytes(int64_t block_rows, int64_t width)
{
    return gt_bytes_mul(8 * width, up(block_rows) * (int64_t)sizeof(int32_t));
}

int gt_svd_device_new(struct gt_svd_on_device **out, struct gt_device *device, struct gt_budget *budget, int64_t samples,
                      int64_t block_rows, int64_t width, struct gt_err *err)
{
    struct gt_svd_on_device *on = gt_alloc(1, sizeof *on, err);
    struct gt_device_buf *bufs[BUFFERS];
    int64_t bytes[BUFFERS];
    if (!on)
        return GT_FAIL;
    *out = on;
    on->device = device;
    on->ops = device->ops;
    on->samples = samples;
    on->block_rows = block_rows;
    on->width = width;
    on->host.budget = budget;
    pthread_mutex_init(&on->lock, NULL);
    measure(samples, block_rows, width, bytes);
    list(on, bufs);
    int status = gt_device_stream_new(device, "products", &on->stream, err);
    for (int k = 0; k < BUFFERS && !status; k++)
        status = gt_device_alloc(bufs[k], device, (size_t)bytes[k], err);
    if (!status)
        status = gt_device_status(device, on->ops->copy_to(on->stream, on->tables.data, tables, sizeof tables), "copying tables", err);
    return status ? status : gt_buf_resize(&on->host, (size_t)gt_svd_device_host_bytes(block_rows, width), err);
}

void gt_svd_device_free(struct gt_svd_on_device *on)
{
    struct gt_device_buf *bufs[BUFFERS];
    if (!on)
        return;
    gt_device_stream_free(on->device, on->stream);
    list(on, bufs);
    for (int k = 0; k < BUFFERS; k++)
        gt_device_release(bufs[k]);
    for (size_t k = 0; k < on->n_kept; k++)
        gt_device_release(&on->kept[k]);
    free(on->kept);
    gt_buf_release(&on->host);
    pthread_mutex_destroy(&on->lock);
    free(on);
}

/* --- steps: with the lock; each returns a code ------------------------------------------------------- */

static int make_planes(struct gt_svd_on_device *on, const struct gt_svd_fixed *f, bool gaps, int8_t *planes)
{
    const int64_t panel_bytes = GT_SKETCH_BYTES(f->rows), columns = f->digits * f->width, width = up(f->rows);
    const struct gt_buf *from = gaps ? &f->numbers : &f->panels;
    const struct gt_device_panel_planes_args panels = {on->raw.data, panel_bytes, f->rows, width, planes};
    const struct gt_device_number_planes_args numbers = {on->raw.data, columns, f->rows, width, planes};
    int code = on->ops->copy_to(on->stream, on->raw.data, from->data, from->len);
    if (code)
        return code;
    return gaps ? on->ops->launch(on->stream, "number_planes", 4 * columns * width, &numbers, sizeof numbers)
                : on->ops->launch(on->stream, "panel_planes", 2 * columns * width, &panels, sizeof panels);
}

/* products [rows][digits columns] of codes by one table, samples side by side, with the operand. */
static int multiply_rows(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const uint8_t *codes, int table,
                         const int8_t *operand)
{
    const int64_t width = up(on->samples), n = up(rows->n), columns = digits_of[table] * on->columns;
    const struct gt_device_row_plane_args args = {
        codes, (on->samples + 3) / 4, rows->n, on->samples, width, (const uint32_t *)on->tables.data + table, on->planes.data};
    int code = on->ops->launch(on->stream, "row_plane", n * (width / 16), &args, sizeof args);
    if (code)
        return code;
    return on->ops->igemm(on->stream, n, columns, width, on->planes.data, width, operand, width, on->products.data, columns, 0);
}

/* The sums += products [samples][digits columns] of codes by one table, variants side by side, with a narrow matrix. */
static int multiply_samples(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const uint8_t *codes, int table, int shift)
{
    const int64_t width = up(rows->n), n = up(on->samples), columns = digits_of[table] * on->back;
    const struct gt_device_code_plane_args args = {.rows = codes,
                                                   .stride = (on->samples + 3) / 4,
                                                   .sites = rows->n,
                                                   .samples = on->samples,
                                                   .width = width,
                                                   .height = n,
                                                   .table = (const uint32_t *)on->tables.data + table,
                                                   .step = 0,
                                                   .plane = on->planes.data};
    const struct gt_device_add_digits_args add = {on->products.data, on->sums.data, digits_of[table], shift};
    int code = on->ops->launch(on->stream, "code_plane", n / 4 * (width / 16), &args, sizeof args);
    if (!code)
        code = on->ops->igemm(on->stream, n, columns, width, on->planes.data, width, on->narrow.data, width, on->products.data, columns, 0);
    return code ? code : on->ops->launch(on->stream, "add_digits", on->samples * on->back, &add, sizeof add);
}

/* --- the rows of a block ------------------------------------------------------------------------------------ */

/* Where block number k stays, if there is room; else NULL. */
static struct gt_device_buf *place_of(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, size_t bytes, bool *there)
{
    const struct gt_budget *memory = &on->device->memory;
    const size_t k = (size_t)rows->block;
    *there = false;
    if (rows->block == GT_SVD_DEVICE_ONCE)
        return NULL;
    *there = k < on->n_kept && on->kept[k].data;
    if (*there)
        return &on->kept[k];
    if ((int64_t)bytes > memory->limit - atomic_load(&memory->used) || gt_grow(&on->kept, &on->kept_cap, k + 1, sizeof *on->kept, NULL))
        return NULL;
    for (; on->n_kept <= k; on->n_kept++)
        on->kept[on->n_kept] = (struct gt_device_buf){0};
    return gt_device_alloc(&on->kept[k], on->device, bytes, NULL) ? NULL : &on->kept[k];
}

/* *codes: the rows on the device, without what is between them. */
static int upload(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const uint8_t **codes)
{
    const size_t row = ((size_t)on->samples + 3) / 4;
    bool there;
    struct gt_device_buf *to = place_of(on, rows, (size_t)rows->n * row, &there);
    to = to ? to : &on->packed;
    *codes = to->data;
    int code = GT_DEVICE_OK;
    if (rows->stride == row && !there)
        return on->ops->copy_to(on->stream, to->data, rows->data, (size_t)rows->n * row);
    for (int64_t v = 0; v < rows->n && !there && !code; v++)
        code = on->ops->copy_to(on->stream, (uint8_t *)to->data + (size_t)v * row, rows->data + (size_t)v * rows->stride, row);
    return code;
}

/* --- operations ----------------------------------------------------------------------------------------------- */

int gt_svd_device_begin(struct gt_svd_on_device *on, const struct gt_svd_fixed *operand, struct gt_err *err)
{
    on->columns = on->back = operand->digits * operand->width;
    int code = make_planes(on, operand, false, on->operand.data);
    if (!code && operand->numbers.len)
        code = make_planes(on, operand, true, on->operand_gaps.data);
    if (!code)
        code = on->ops->zero(on->stream, on->sums.data, (size_t)(on->samples * on->columns) * sizeof(int64_t));
    const int waited = on->ops->stream_wait(on->stream); /* also after a failure: nothing reads the operand afterwards */
    return gt_device_status(on->device, code ? code : waited, "copying vectors", err);
}

/* Brings the products of a table and adds them up. */
static int take(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const uint8_t *codes, int table, int64_t *to)
{
    const int32_t *products = (const int32_t *)(const void *)on->host.data;
    const int64_t n = rows->n * on->columns, digits = digits_of[table];
    int code = multiply_rows(on, rows, codes, table, table == GAPS ? on->operand_gaps.data : on->operand.data);
    if (!code)
        code = on->ops->copy_from(on->stream, on->host.data, on->products.data, (size_t)(n * digits) * sizeof *products);
    const int waited = on->ops->stream_wait(on->stream);
    for (int64_t k = 0; k < n && !code && !waited; k++, products += digits)
        for (int64_t d = 0; d < digits; d++)
            to[k] += products[d] * (INT64_C(1) << (7 * d));
    return code ? code : waited;
}

int gt_svd_device_begin_back(struct gt_svd_on_device *on, int64_t columns, struct gt_err *err)
{
    pthread_mutex_lock(&on->lock);
    on->back = columns;
    const int code = on->ops->zero(on->stream, on->sums.data, (size_t)(on->samples * columns) * sizeof(int64_t));
    const int status = gt_device_status(on->device, code, "clearing sums", err);
    pthread_mutex_unlock(&on->lock);
    return status;
}

int gt_svd_device_forward(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, int64_t *y, int64_t *gaps, struct gt_err *err)
{
    const uint8_t *codes;
    pthread_mutex_lock(&on->lock);
    int code = upload(on, rows, &codes);
    if (!code)
        code = take(on, rows, codes, COUNTS, y);
    if (!code && gaps)
        code = take(on, rows, codes, GAPS, gaps);
    if (code)
        (void)on->ops->stream_wait(on->stream); /* nothing reads the rows afterwards */
    const int status = gt_device_status(on->device, code, "multiplying genotypes", err);
    pthread_mutex_unlock(&on->lock);
    return status;
}

int gt_svd_device_back(struct gt_svd_on_device *on, const struct gt_svd_device_rows *rows, const struct gt_svd_fixed *f, bool gaps,
                       int shift, struct gt_err *err)
{
    const uint8_t *codes;
    pthread_mutex_lock(&on->lock);
    int code = upload(on, rows, &codes);
    if (!code)
        code = make_planes(on, f, false, on->narrow.data);
    if (!code)
        code = multiply_samples(on, rows, codes, COUNTS, shift);
    if (!code && gaps)
        code = make_planes(on, f, true, on->narrow.data);
    if (!code && gaps)
        code = multiply_samples(on, rows, codes, GAPS, shift);
    const int waited = on->ops->stream_wait(on->stream);
    const int status = gt_device_status(on->device, code ? code : waited, "multiplying genotypes", err);
    pthread_mutex_unlock(&on->lock);
    return status;
}

int gt_svd_device_sums(struct gt_svd_on_device *on, int64_t *sums, struct gt_err *err)
{
    pthread_mutex_lock(&on->lock);
    int code = on->ops->copy_from(on->stream, sums, on->sums.data, (size_t)(on->samples * on->back) * sizeof *sums);
    const int waited = on->ops->stream_wait(on->stream);
    const int status = gt_device_status(on->device, code ? code : waited, "copying sums", err);
    pthread_mutex_unlock(&on->lock);
    return status;
}
