#include "calc/svd/matmul_pass.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/svd/matmul_pass_device.h"
#include "calc/svd/matmul_pass_int.h"
#include "core/base/size.h"
#include "core/engine/flow.h"

/* A tile of doubles stays in the second cache, with what it is multiplied with.  Its rows are not a power of 2
 * apart, so that they do not fall on one place of the first.  Each task takes one: below 256 KiB it is memory that
 * the task before it left (engine.c). */
enum { TILE_ROWS = 64, TILE_COLUMNS = 496, LEAD = TILE_COLUMNS + 8, TILE_BYTES = TILE_ROWS * LEAD * (int)sizeof(double) };
/* Values of a block, about. */
enum { BLOCK_VALUES = 1 << 22 };

struct item {
    const struct gt_matrix_block *block;
    struct gt_buf left; /* of the block, where P need not stay */
};

struct run {
    struct gt_array_pass *pass;
    const struct gt_array_products *products;
    int64_t columns, row_group;
};

int64_t gt_array_pass_rows(const struct gt_matrix_info *info)
{
    const int64_t rows = BLOCK_VALUES / (info->columns > 0 ? info->columns : 1);
    return rows > TILE_ROWS ? rows / TILE_ROWS * TILE_ROWS : rows > 8 ? rows / 8 * 8 : 8;
}

int64_t gt_array_pass_bytes(const struct gt_array_pass *pass, int64_t width)
{
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    const int64_t rows = gt_bytes_mul(gt_bytes_mul(gt_min_i64(gt_array_pass_rows(info), info->rows), width), (int64_t)sizeof(double));
    const int64_t tiles = pass->device ? gt_matmul_device_block_bytes(info) : gt_bytes_add(2 * TILE_BYTES, rows);
    return pass->whole ? gt_max_i64(tiles, gt_matmul_int_bytes(info->columns, width)) : tiles;
}

void gt_array_pass_release(struct gt_array_pass *pass)
{
    gt_buf_release(&pass->means);
    gt_pinned_chunks_release(&pass->kept);
    gt_array_pass_leave_codes(pass);
    gt_matmul_device_free(pass->on);
    pass->on = NULL;
}

void gt_array_pass_leave_codes(struct gt_array_pass *pass)
{
    gt_array_codes_release(&pass->codes);
    gt_svd_device_free(pass->codes_on);
    pass->codes_on = NULL;
    pass->whole = false;
}

/* --- values ------------------------------------------------------------------------------ */

static int bad_value(const struct gt_array_pass *pass, double value, int64_t row, int64_t column, struct gt_err *err)
{
    const long long i = pass->turned ? column : row, j = pass->turned ? row : column;
    gt_fail(err, GT_INPUT, "'%s': %s in row %lld, column %lld", gt_matrix_info(pass->matrix)->name,
            isnan(value) ? "a value is missing (NaN)" : "a value is infinite", i, j);
    if (isnan(value))
        gt_hint(err, "use --missing mean to replace it by the mean of its column");
    return GT_INPUT;
}

/* Bits of the largest magnitude; those of numbers that are not finite are above all others. */
static uint64_t largest_bits(const double *values, int64_t n)
{
    uint64_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= UINT64_MAX >> 1;
        most = bits > most ? bits : most;
    }
    return most;
}

static bool all_finite(const double *values, int64_t n)
{
    return largest_bits(values, n) < UINT64_C(0x7ff) << 52;
}

/* A row of a tile whose numbers are not all finite; with `center`, missing ones stay NaN. */
static int mend_row(const struct gt_array_pass *pass, int64_t row, int64_t column, int64_t n, double *values, struct gt_err *err)
{
    for (int64_t j = 0; j < n; j++) {
        if (isfinite(values[j]))
            continue;
        if (isinf(values[j]) || !pass->mean)
            return bad_value(pass, values[j], row, column + j, err);
        if (!pass->center)
            values[j] = gt_buf_f64(&pass->means)[pass->turned ? row : column + j];
    }
    return GT_OK;
}

/* Exponents of the largest value from which on all are scaled: fourth powers of singular values are numbers below it. */
enum { FAR = 200, FARTHEST = 1000 };

/* A missing value is the mean: 0. */
static void center(const struct gt_array_pass *pass, int64_t row, int64_t column, int64_t n, double *values)
{
    const double *means = gt_buf_f64(&pass->means) + (pass->turned ? row : column);
    const double *rest = means + pass->means.len / sizeof *means / 2;
    for (int64_t j = 0; j < n; j++) {
        const double value = values[j] - means[pass->turned ? 0 : j] - rest[pass->turned ? 0 : j];
        values[j] = isnan(value) ? 0 : value;
    }
}

static void find_largest(struct gt_array_pass *pass, const double *values, int64_t n)
{
    const uint64_t bits = largest_bits(values, n);
    double largest;
    int exponent, before = atomic_load_explicit(&pass->largest, memory_order_relaxed);
    memcpy(&largest, &bits, sizeof largest);
    frexp(largest, &exponent);
    while (largest > 0 && isfinite(largest) && exponent > before && !atomic_compare_exchange_weak(&pass->largest, &before, exponent))
        ;
}

static void scale(double *values, int64_t n, double factor)
{
    for (int64_t j = 0; j < n; j++)
        values[j] *= factor;
}

int gt_array_pass_looked(struct gt_array_pass *pass, struct gt_err *err)
{
    const int largest = atomic_load(&pass->largest);
    const bool first = !pass->looked && gt_matrix_info(pass->matrix)->type == GT_F64;
    pass->looked = true;
    if (!first || largest == INT_MIN || abs(largest) <= FAR)
        return GT_OK;
    pass->exponent = largest < -FARTHEST ? -FARTHEST : largest > FARTHEST ? FARTHEST : largest;
    gt_matmul_device_forget(pass->on);
    if (pass->on)
        gt_pinned_chunks_release(&pass->kept); /* without what stayed on the device */
    pass->rescaled = true;
    return gt_fail(err, GT_INPUT, "values of '%s' are about 2^%d", gt_matrix_info(pass->matrix)->name, largest);
}

int gt_array_tile(struct gt_array_pass *pass, const struct gt_matrix_block *block, const struct gt_array_box *box, double *out,
                  int64_t lead, struct gt_err *err)
{
    const int64_t column = box->column, width = box->width;
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    const int64_t size = (int64_t)gt_dtype_of(info->type).size;
    const bool real = info->type >= GT_F16, look = real && (!pass->looked || pass->missing);
    const double factor = ldexp(1, -pass->exponent);
    int status = GT_OK;
    for (int64_t i = 0; i < box->n && !status; i++) {
        const uint8_t *from = block->values.data + ((box->row + i) * info->columns + column) * size;
        double *to = out + i * lead;
        gt_kernels()->cast((enum gt_number)info->type, from, GT_NUMBER_F64, to, width);
        if (look && !all_finite(to, width))
            status = mend_row(pass, block->first + box->row + i, column, width, to, err);
        if (pass->center)
            center(pass, block->first + box->row + i, column, width, to);
        if (!pass->looked && info->type == GT_F64)
            find_largest(pass, to, width);
        if (pass->exponent)
            scale(to, width, factor);
    }
    return status;
}

/* --- a block -------------------------------------------------------------------------------- */

static int read_block(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    (void)task;
    return gt_pinned_chunks_next(&((struct run *)ctx)->pass->kept, &((struct item *)it)->block, err);
}

static void give_back(const struct run *run, struct item *item)
{
    if (item->block)
        gt_pinned_chunks_done(&run->pass->kept, item->block);
    item->block = NULL;
}

static void release(void *ctx, void *it)
{
    give_back(ctx, it);
    gt_buf_release(&((struct item *)it)->left);
}

/* Rows of P that belong to the block. */
static double *left_of(const struct run *run, const struct item *item)
{
    return run->products->left ? run->products->left + item->block->first * run->products->width : gt_buf_f64(&item->left);
}

/* Threads have little stack. */
static int take_tile(const struct run *run, struct gt_buf *tile, struct gt_err *err)
{
    tile->budget = &run->pass->engine->budget;
    return gt_buf_resize(tile, TILE_BYTES, err);
}

/* P = M right. */
static int multiply(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const struct gt_array_products *of = run->products;
    const int64_t rows = item->block->n, width = of->width;
    struct gt_buf tile = {0};
    (void)task;
    item->left.budget = &run->pass->engine->budget;
    int status = of->left ? GT_OK : gt_buf_resize(&item->left, (size_t)(rows * width) * sizeof(double), err);
    if (!status)
        status = take_tile(run, &tile, err);
    if (status)
        return status;
    double *left = left_of(run, item);
    memset(left, 0, (size_t)(rows * width) * sizeof *left);
    for (int64_t r = 0; r < rows; r += TILE_ROWS)
        for (int64_t c = 0; c < run->columns && !status; c += TILE_COLUMNS) {
            const int64_t n = gt_min_i64(rows - r, TILE_ROWS), m = gt_min_i64(run->columns - c, TILE_COLUMNS);
            const struct gt_array_box box = {r, n, c, m};
            status = gt_array_tile(run->pass, item->block, &box, gt_buf_f64(&tile), LEAD, err);
            if (!status)
                gt_kernels()->narrow(gt_buf_f64(&tile), LEAD, 1, n, m, of->right + c * width, width, left + r * width);
        }
    gt_buf_release(&tile);
    return status;
}

/* A row group of columns of M'P. */
static int add_up(void *ctx, int64_t task, int64_t part, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    const struct item *item = it;
    const struct gt_array_products *of = run->products;
    const int64_t from = part * run->row_group, to = gt_min_i64(run->columns, from + run->row_group), rows = item->block->n;
    const double *left = left_of(run, item);
    struct gt_buf tile = {0};
    int status = take_tile(run, &tile, err);
    (void)task;
    for (int64_t c = from; c < to && !status; c += TILE_COLUMNS)
        for (int64_t r = 0; r < rows && !status; r += TILE_ROWS) {
            const int64_t n = gt_min_i64(rows - r, TILE_ROWS), m = gt_min_i64(to - c, TILE_COLUMNS);
            const struct gt_array_box box = {r, n, c, m};
            status = gt_array_tile(run->pass, item->block, &box, gt_buf_f64(&tile), LEAD, err);
            if (!status)
                gt_kernels()->narrow(gt_buf_f64(&tile), 1, LEAD, m, n, left + r * of->width, of->width, of->sum + c * of->width);
        }
    gt_buf_release(&tile);
    return status;
}

static int hand_over(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    const struct run *run = ctx;
    struct item *item = it;
    const struct gt_array_products *of = run->products;
    (void)task;
    int status = of->rows ? of->rows(of->ctx, item->block->first, item->block->n, left_of(run, item), err) : GT_OK;
    give_back(run, item);
    return status;
}

/* --- a pass ------------------------------------------------------------------------------------ */

int64_t gt_array_row_group(const struct gt_array_pass *pass, int64_t tile)
{
    return gt_ceil_div(gt_ceil_div(gt_matrix_info(pass->matrix)->columns, 4 * pass->engine->limits.threads), tile) * tile;
}

int gt_array_flow(const struct gt_array_pass *pass, const struct gt_array_stages *stages, int64_t row_group, int64_t task_bytes, void *ctx,
                  struct gt_err *err)
{
    const struct gt_flow_ops ops = {.name = "multiply",
                                    .read_name = "collect",
                                    .work_name = "multiply",
                                    .part_name = "multiply transposed",
                                    .item_size = stages->item_size,
                                    .read = stages->read,
                                    .work = stages->work,
                                    .part = row_group ? stages->part : NULL,
                                    .release = stages->release};
    const struct gt_flow_opts opts = {.tasks = -1,
                                      .parts = row_group ? gt_ceil_div(gt_matrix_info(pass->matrix)->columns, row_group) : 0,
                                      .readers = 1,
                                      .task_bytes = (size_t)task_bytes,
                                      .memory = pass->memory};
    return gt_flow_run(pass->engine, &ops, &opts, ctx, stages->commit, err);
}

int gt_array_pass_run(struct gt_array_pass *pass, const struct gt_array_products *products, struct gt_err *err)
{
    const struct gt_array_stages stages = {.item_size = sizeof(struct item),
                                           .read = read_block,
                                           .work = products->right ? multiply : NULL,
                                           .part = add_up,
                                           .release = release,
                                           .commit = hand_over};
    const struct gt_matrix_info *info = gt_matrix_info(pass->matrix);
    struct run run = {.pass = pass, .products = products, .columns = info->columns, .row_group = gt_array_row_group(pass, TILE_ROWS)};
    struct gt_err ignored;
    if (pass->whole)
        return gt_matmul_int_run(pass, products, err);
    pass->kept.matrix = pass->matrix;
    int status = pass->passes++ ? gt_matrix_rewind(pass->matrix, err) : GT_OK;
    if (!status && pass->device)
        status = gt_matmul_device_begin(pass, products, err);
    if (!status)
        status = gt_pinned_chunks_begin(&pass->kept, pass->engine,
                                        pass->device ? gt_matmul_device_read_rows(info) : gt_array_pass_rows(info), err);
    if (!status)
        status = pass->device ? gt_matmul_device_run(pass, products, err)
                              : gt_array_flow(pass, &stages, products->sum ? run.row_group : 0, gt_array_pass_bytes(pass, products->width),
                                              &run, err);
    const int ended = gt_pinned_chunks_end(&pass->kept, status ? &ignored : err);
    status = status ? status : ended;
    return status ? status : gt_array_pass_looked(pass, err);
}
