#include "calc/svd/matmul_pass_device.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/size.h"

struct gt_matmul_on_device {
    struct gt_device *device;
    const struct gt_device_ops *ops;
    struct gt_stream *stream;
    int64_t rows, columns, block_rows;             /* of the matrix; of a block but the last one */
    struct gt_device_buf block, left, right, sums; /* block: one that does not stay */
    struct gt_device_buf *kept;                    /* for the first n_kept blocks */
    int64_t n_kept, known;                         /* known: of them, hold their rows */
    struct gt_buf product;                         /* double [block_rows][width] */
};

/* A block of the matrix on its way to the device. */
struct item {
    const struct gt_matrix_block *block;
    int64_t first, n; /* rows that are needed */
    struct gt_buf values;
};

struct run {
    struct gt_array_pass *pass;
    const struct gt_array_products *products;
    struct gt_matmul_on_device *on;
    int64_t from;          /* rows before this one are on the device already */
    int64_t first, filled; /* of the block that is gathered: its first row, and rows that it has */
};

static int64_t doubles(int64_t rows, int64_t columns)
{
    return gt_bytes_mul(gt_bytes_mul(rows, columns), (int64_t)sizeof(double));
}

static int64_t block_rows(const struct gt_matrix_info *info)
{
    return gt_min_i64(gt_array_pass_rows(info), info->rows);
}

int64_t gt_matmul_device_bytes(const struct gt_device *device, const struct gt_matrix_info *info, int64_t width)
{
    const int64_t rows = block_rows(info), narrow = gt_bytes_add(rows, 2 * info->columns);
    return gt_bytes_add(gt_bytes_add(doubles(rows, info->columns), doubles(narrow, width)), device->info.product_memory);
}

int64_t gt_matmul_device_host_bytes(const struct gt_matrix_info *info, int64_t width)
{
    return doubles(block_rows(info), width);
}

/* Blocks of the matrix as doubles are smaller than those of the device, for many to be converted at once. */
int64_t gt_matmul_device_read_rows(const struct gt_matrix_info *info)
{
    return gt_max_i64(gt_array_pass_rows(info) / 8, 8);
}

int64_t gt_matmul_device_block_bytes(const struct gt_matrix_info *info)
{
    return doubles(gt_min_i64(gt_matmul_device_read_rows(info), info->rows), info->columns);
}

/* --- its memory ------------------------------------------------------------------------------ */

/* As many blocks as there is room for. */
static void make_room(struct gt_matmul_on_device *on)
{
    const int64_t most = gt_ceil_div(on->rows, on->block_rows), bytes = doubles(on->block_rows, on->columns);
    const struct gt_budget *memory = &on->device->memory;
    on->kept = calloc((size_t)most, sizeof *on->kept);
    while (on->kept && on->n_kept < most && bytes <= memory->limit - atomic_load(&memory->used) &&
           !gt_device_alloc(&on->kept[on->n_kept], on->device, (size_t)bytes, NULL))
        on->n_kept++;
}

static int make(struct gt_matmul_on_device **out, struct gt_array_pass *pass, int64_t width, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    struct gt_matmul_on_device *on = gt_alloc(1, sizeof *on, err);
    if (!on)
        return GT_FAIL;
    *out = on;
    on->device = pass->device;
    on->ops = pass->device->ops;
    on->rows = info->rows;
    on->columns = info->columns;
    on->block_rows = block_rows(info);
    on->product.budget = &pass->engine->budget;
    int status = gt_device_stream_new(on->device, "products", &on->stream, err);
    if (!status)
        status = gt_device_alloc(&on->block, on->device, (size_t)doubles(on->block_rows, on->columns), err);
    if (!status)
        status = gt_device_alloc(&on->left, on->device, (size_t)doubles(on->block_rows, width), err);
    if (!status)
        status = gt_device_alloc(&on->right, on->device, (size_t)doubles(on->columns, width), err);
    if (!status)
        status = gt_device_alloc(&on->sums, on->device, (size_t)doubles(on->columns, width), err);
    if (!status)
        status = gt_buf_resize(&on->product, (size_t)doubles(on->block_rows, width), err);
    if (!status)
        make_room(on);
    return status;
}

void gt_matmul_device_forget(struct gt_matmul_on_device *on)
{
    if (on)
        on->known = 0;
}

void gt_matmul_device_free(struct gt_matmul_on_device *on)
{
    if (!on)
        return;
    gt_device_stream_free(on->device, on->stream);
    gt_device_release(&on->block);
    gt_device_release(&on->left);
    gt_device_release(&on->right);
    gt_device_release(&on->sums);
    for (int64_t k = 0; k < on->n_kept; k++)
        gt_device_release(&on->kept[k]);
    free(on->kept);
    gt_buf_release(&on->product);
    free(on);
}

/* --- products ---------------------------------------------------------------------------------- */

/* P of rows first, ..., first + n - 1, which are on the device, and what they add to the sums; all is complete. */
static int multiply(const struct run *run, int64_t first, int64_t n, const void *block, struct gt_err *err)
{
    const struct gt_matmul_on_device *on = run->on;
    const struct gt_array_products *of = run->products;
    const int64_t width = of->width, columns = on->columns;
    const size_t bytes = (size_t)(n * width) * sizeof(double);
    double *left = of->left ? of->left + first * width : gt_buf_f64(&on->product);
    int code = of->right ? on->ops->fgemm(on->stream, GT_DEVICE_F64, 0, 0, n, width, columns, 1, block, columns, on->right.data, width, 0,
                                          on->left.data, width)
                         : on->ops->copy_to(on->stream, on->left.data, left, bytes);
    if (!code && of->sum)
        code = on->ops->fgemm(on->stream, GT_DEVICE_F64, 1, 0, columns, width, n, 1, block, columns, on->left.data, width, 1, on->sums.data,
                              width);
    if (!code && of->right && (of->left || of->rows))
        code = on->ops->copy_from(on->stream, left, on->left.data, bytes);
    const int waited = on->ops->stream_wait(on->stream); /* also after a failure: nothing reads memory of the host afterwards */
    const int status = gt_device_status(on->device, code ? code : waited, "multiplying values", err);
    return status || !of->rows ? status : of->rows(of->ctx, first, n, left, err);
}

/* Where the block that is gathered stands. */
static void *place_of(const struct run *run)
{
    const int64_t number = run->first / run->on->block_rows;
    return number < run->on->n_kept ? run->on->kept[number].data : run->on->block.data;
}

/* Rows that follow: a block that is full, or the last one, is multiplied. */
static int gather(struct run *run, const double *values, int64_t n, struct gt_err *err)
{
    struct gt_matmul_on_device *on = run->on;
    int status = GT_OK;
    for (int64_t at = 0, some; at < n && !status; at += some) {
        const int64_t size = gt_min_i64(on->block_rows, on->rows - run->first);
        double *to = (double *)place_of(run) + run->filled * on->columns;
        some = gt_min_i64(n - at, size - run->filled);
        int code = on->ops->copy_to(on->stream, to, values + at * on->columns, (size_t)(some * on->columns) * sizeof *values);
        const int waited = on->ops->stream_wait(on->stream);
        status = gt_device_status(on->device, code ? code : waited, "copying values", err);
        run->filled += some;
        if (status || run->filled < size)
            continue;
        status = multiply(run, run->first, size, place_of(run), err);
        on->known += !status && run->first / on->block_rows < on->n_kept;
        run->first += size;
        run->filled = 0;
    }
    return status;
}

/* --- a pass ---------------------------------------------------------------------------------------- */

static void done(const struct run *run, struct item *item)
{
    if (item->block)
        gt_pinned_chunks_done(&run->pass->kept, item->block);
    item->block = NULL;
}

/* Rows that stay on the device are skipped. */
static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    int status;
    (void)task;
    item->values.budget = &run->pass->engine->budget;
    do {
        done(run, item);
        status = gt_pinned_chunks_next(&run->pass->kept, &item->block, err);
    } while (!status && item->block->first + item->block->n <= run->from);
    if (!status) {
        item->first = gt_max_i64(item->block->first, run->from);
        item->n = item->block->first + item->block->n - item->first;
    }
    return status;
}

static int convert(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const struct gt_matrix_block *block = item->block;
    (void)task;
    int status = gt_buf_resize(&item->values, (size_t)doubles(item->n, run->on->columns), err);
    const struct gt_array_box box = {item->first - block->first, item->n, 0, run->on->columns};
    return status ? status : gt_array_tile(run->pass, block, &box, gt_buf_f64(&item->values), run->on->columns, err);
}

static int commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct run *run = ctx;
    struct item *item = it;
    (void)task;
    int status = gather(run, gt_buf_f64(&item->values), item->n, err);
    done(run, item);
    return status;
}

static void release(void *ctx, void *it)
{
    done(ctx, it);
    gt_buf_release(&((struct item *)it)->values);
}

int gt_matmul_device_begin(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err)
{
    int status = pass->on ? GT_OK : make(&pass->on, pass, products->width, err);
    if (status)
        return status;
    struct gt_matmul_on_device *on = pass->on;
    const size_t bytes = (size_t)doubles(on->columns, products->width);
    int code = products->right ? on->ops->copy_to(on->stream, on->right.data, products->right, bytes) : GT_DEVICE_OK;
    if (!code && products->sum)
        code = on->ops->copy_to(on->stream, on->sums.data, products->sum, bytes);
    const int waited = on->ops->stream_wait(on->stream);
    pass->kept.elsewhere = gt_min_i64(on->n_kept * on->block_rows, on->rows);
    return gt_device_status(on->device, code ? code : waited, "copying vectors", err);
}

/* The blocks that are on the device, then the others. */
static int run_blocks(struct run *run, struct gt_err *err)
{
    const struct gt_array_stages stages = {
        .item_size = sizeof(struct item), .read = read_block, .work = convert, .release = release, .commit = commit};
    struct gt_matmul_on_device *on = run->on;
    int status = GT_OK;
    run->from = gt_min_i64(on->known * on->block_rows, on->rows);
    for (int64_t k = 0; run->first < run->from && !status; k++) {
        const int64_t n = gt_min_i64(on->block_rows, on->rows - run->first);
        status = multiply(run, run->first, n, on->kept[k].data, err);
        run->first += n;
    }
    const int64_t task_bytes = gt_matmul_device_block_bytes(gt_matrix_info(run->pass->matrix));
    return status || run->first == on->rows ? status : gt_array_flow(run->pass, &stages, 0, task_bytes, run, err);
}

int gt_matmul_device_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err)
{
    struct gt_matmul_on_device *on = pass->on;
    struct run run = {.pass = pass, .products = products, .on = on};
    int status = run_blocks(&run, err);
    if (status || !products->sum)
        return status;
    const size_t bytes = (size_t)doubles(on->columns, products->width);
    int code = on->ops->copy_from(on->stream, products->sum, on->sums.data, bytes);
    const int waited = on->ops->stream_wait(on->stream);
    return gt_device_status(on->device, code ? code : waited, "copying sums", err);
}
