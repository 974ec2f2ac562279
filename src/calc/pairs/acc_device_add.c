/* Blocks of sites on their way to the sums on the device. */
#include <stdlib.h>
#include <string.h>

#include "calc/pairs/acc_device.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "kernels/device/codes.h"

/* --- prepare: into pinned memory ---------------------------------------------------------- */

void gt_dev_block_free(struct gt_acc_block *base)
{
    struct gt_dev_block *block = (struct gt_dev_block *)base;
    if (!block)
        return;
    if (block->copied)
        block->acc->device->ops->event_free(block->copied);
    gt_device_release(&block->data);
    gt_buf_release(&block->made.tables);
    gt_buf_release(&block->made.w);
    free(block);
}

static int new_block(struct gt_dev_acc *acc, struct gt_acc_block **out, struct gt_err *err)
{
    struct gt_device *device = acc->device;
    struct gt_dev_block *block = gt_alloc(1, sizeof *block, err);
    if (!block)
        return GT_FAIL;
    block->acc = acc;
    block->made.tables.budget = block->made.w.budget = acc->base.setup.budget;
    *out = &block->base;
    int status = gt_device_alloc_pinned(&block->data, device, acc->base.setup.budget, acc->layout.bytes, err);
    if (!status) {
        status = gt_device_status(device, device->ops->event_new(device->impl, &block->copied), "cannot make an event", err);
        block->copied = status ? NULL : block->copied;
    }
    return status;
}

/* Digits of w >= 0 times s, and of what a missing call adds for each code, from -64 to 63. */
static void cut_digits(const struct gt_cpu_weights *made, int64_t sites, int64_t block_rows, int8_t *out)
{
    static const int s[4] = {-1, 0, 1, 0};
    for (int64_t site = 0; site < sites; site++) {
        const uint64_t w = 2 * (uint64_t)((const int64_t *)(const void *)made->w.data)[site];
        int8_t *to = out + site * 4;
        for (int d = 0; d < GT_DEV_W_DIGITS; d++, to += block_rows * 4)
            for (int x = 0; x < 4; x++)
                to[x] = (int8_t)((int)(w >> (GT_DIGIT * d) & 127) * s[x]);
        for (int x = 0; x < 4; x++) {
            uint64_t left = (uint64_t)gt_cpu_table(made, sites, GT_CPU_GAP)[site][x];
            for (int d = 0; d < GT_DEV_GAP_DIGITS; d++) {
                const int digit = (int)((left + 64) & 127) - 64;
                to[d * block_rows * 4 + x] = (int8_t)digit;
                left = (uint64_t)((int64_t)(left - (uint64_t)(int64_t)digit) >> GT_DIGIT);
            }
        }
    }
}

/* The tables of the block's sites, for each plane with weights. */
static int make_weights(const struct gt_dev_acc *acc, const struct gt_rows *rows, struct gt_dev_block *block, struct gt_err *err)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    uint8_t *data = block->data.data;
    for (int k = 0; k < setup->n_planes; k++) {
        if (!setup->planes[k].terms)
            continue;
        int status = gt_cpu_weight_tables(setup->n_samples, rows, &setup->planes[k], &block->made, err);
        if (status)
            return status;
        for (int t = 0; t < GT_DEV_WEIGHT_SUMS; t++)
            memcpy(data + acc->layout.weights[k] + (size_t)(t * setup->block_rows) * sizeof(int64_t[4]),
                   gt_cpu_table(&block->made, rows->n, t), (size_t)rows->n * sizeof(int64_t[4]));
        if (gt_dev_has_tiles(&setup->planes[k]))
            cut_digits(&block->made, rows->n, setup->block_rows, (int8_t *)data + acc->layout.digits[k]);
        block->het_pairs[k] = block->made.het_pairs;
    }
    return GT_OK;
}

static bool any_missing(const struct gt_rows *rows, int64_t samples)
{
    int64_t counts[4], missing = 0;
    for (int64_t v = 0; v < rows->n && !missing; v++) {
        gt_kernels()->count_codes((const uint8_t *)rows->data + (size_t)v * rows->stride, samples, counts);
        missing = counts[3];
    }
    return missing > 0;
}

int gt_dev_prepare(struct gt_acc *base, const struct gt_rows *rows, struct gt_acc_block **out, struct gt_err *err)
{
    struct gt_dev_acc *acc = (struct gt_dev_acc *)base;
    int status = *out ? GT_OK : new_block(acc, out, err);
    struct gt_dev_block *block = (struct gt_dev_block *)*out;
    if (!status)
        status = gt_device_status(acc->device, acc->device->ops->event_wait(block->copied), "copying a block", err);
    if (status)
        return status;
    for (int64_t v = 0; v < rows->n; v++)
        memcpy((uint8_t *)block->data.data + (size_t)v * acc->layout.row_bytes,
               (const uint8_t *)rows->data + (size_t)v * rows->stride + acc->first / 4, acc->layout.row_bytes);
    block->rows = rows->n;
    block->base = (struct gt_acc_block){.sites = rows->n, .any_missing = any_missing(rows, base->setup.n_samples)};
    return make_weights(acc, rows, block, err);
}

/* --- add: onto the streams --------------------------------------------------------------------- */

/* The state of one call; code is that of the first operation that failed. */
struct adding {
    struct gt_dev_acc *acc;
    const struct gt_device_ops *ops;
    const struct gt_dev_block *block;
    uint8_t *data; /* the block on the device */
    int64_t width; /* sites, rounded up */
    int code;
};

static void launch(struct adding *to, const char *name, int64_t n, const void *args, size_t bytes)
{
    if (!to->code)
        to->code = to->ops->launch(to->acc->work, name, n, args, bytes);
}

/* A plane of all samples from tables of four numbers: step 1, one for each site; 0, one for all. */
static void make_plane(struct adding *to, const int8_t *table, int64_t step, int8_t *plane)
{
    const struct gt_dev_acc *acc = to->acc;
    const int64_t height = acc->n + acc->side;
    const struct gt_device_code_plane_args args = {.rows = to->data,
                                                   .stride = (int64_t)acc->layout.row_bytes,
                                                   .sites = to->block->rows,
                                                   .samples = acc->n,
                                                   .width = to->width,
                                                   .height = height,
                                                   .table = (const uint32_t *)table,
                                                   .step = step,
                                                   .plane = (struct gt_device_vector *)plane};
    launch(to, "code_plane", gt_ceil_div(height, 4) * (to->width / 16), &args, sizeof args);
}

static void sum_samples(struct adding *to, const int64_t *table, int64_t step, int64_t at)
{
    const struct gt_dev_acc *acc = to->acc;
    const struct gt_device_sum_codes_args args = {.rows = to->data,
                                                  .stride = (int64_t)acc->layout.row_bytes,
                                                  .sites = to->block->rows,
                                                  .table = table,
                                                  .step = step,
                                                  .sums = (int64_t *)acc->samples.data + at * acc->n};
    launch(to, "sum_codes", acc->n, &args, sizeof args);
}

/* For each tile the product of two planes: into it, or through the scratch tile and shifted into an int64 one. */
static void multiply(struct adding *to, const int8_t *rows, const int8_t *columns, void *sums, int shift)
{
    const struct gt_dev_acc *acc = to->acc;
    const struct gt_pair_box *box = &acc->base.setup.box;
    const int64_t side = acc->side, tile_cells = side * side;
    for (int64_t a = 0, tile = 0; a < acc->row_tiles; a++)
        for (int64_t b = 0; b < acc->column_tiles && !to->code; b++) {
            if (gt_dev_tile(acc, a, b) < 0)
                continue;
            const int8_t *x = rows + (box->row0 - acc->first + a * side) * to->width,
                         *y = columns + (box->col0 - acc->first + b * side) * to->width;
            int32_t *c = shift < 0 ? (int32_t *)sums + tile * tile_cells : acc->scratch.data;
            to->code = to->ops->igemm(acc->work, side, side, to->width, x, to->width, y, to->width, c, side, shift < 0);
            const struct gt_device_add_shifted_args args = {c, (int64_t *)sums + tile * tile_cells, shift};
            if (shift >= 0)
                launch(to, "add_shifted", tile_cells, &args, sizeof args);
            tile++;
        }
}

/* missing: calls of the block are. */
static bool is_zero(int plane, bool missing)
{
    return plane == GT_DEV_M && !missing;
}

static void add_products(struct adding *to)
{
    const struct gt_dev_acc *acc = to->acc;
    const bool missing = to->block->base.any_missing;
    const int8_t *tables = (const int8_t *)acc->constants.data + sizeof(int64_t[GT_CPU_BITS][4]);
    for (int p = 0; p < GT_DEV_PLANES; p++)
        if (acc->plane[p] && !is_zero(p, missing))
            make_plane(to, tables + 4 * p, 0, acc->planes[p].data);
    for (int p = 0; p < GT_DEV_PRODUCTS; p++) {
        const struct gt_dev_product *product = &gt_dev_products[p];
        if (acc->product[p] && !is_zero(product->row, missing) && !is_zero(product->column, missing))
            multiply(to, acc->planes[product->row].data, acc->planes[product->column].data, acc->sums[p].data, -1);
    }
    for (int bit = 0; bit < GT_CPU_BITS; bit++)
        sum_samples(to, (const int64_t *)acc->constants.data + 4 * bit, 0, bit);
}

static void add_weights(struct adding *to, int k)
{
    const struct gt_dev_acc *acc = to->acc;
    const struct gt_plane *plane = &acc->base.setup.planes[k];
    const int64_t rows = acc->base.setup.block_rows;
    const int64_t *tables = (const int64_t *)(const void *)(to->data + acc->layout.weights[k]);
    const int8_t *digits = (const int8_t *)to->data + acc->layout.digits[k];
    for (int t = 0; t < GT_DEV_WEIGHT_SUMS; t++)
        sum_samples(to, tables + t * rows * 4, 1, GT_CPU_BITS + k * GT_DEV_WEIGHT_SUMS + t);
    for (int d = 0; d < GT_DEV_W_DIGITS && plane->reach == GT_SITE_WEIGHTS_PRODUCTS; d++) {
        make_plane(to, digits + d * rows * 4, 1, acc->digit.data);
        multiply(to, acc->digit.data, acc->planes[GT_DEV_S].data, acc->weighed[k].data, GT_DIGIT * d);
    }
    digits += GT_DEV_W_DIGITS * rows * 4;
    for (int d = 0; d < GT_DEV_GAP_DIGITS && gt_dev_has_tiles(plane) && to->block->base.any_missing; d++) {
        make_plane(to, digits + d * rows * 4, 1, acc->digit.data);
        multiply(to, acc->planes[GT_DEV_M].data, acc->digit.data, acc->weighed[k].data, GT_DIGIT * d);
        multiply(to, acc->digit.data, acc->planes[GT_DEV_M].data, acc->weighed[k].data, GT_DIGIT * d);
    }
}

/* The block's copy waits until the products of two blocks before are done. */
static void copy_block(struct adding *to)
{
    struct gt_dev_acc *acc = to->acc;
    const int buffer = (int)(acc->added % 2);
    to->data = acc->blocks[buffer].data;
    to->code = to->ops->stream_after(acc->copies, acc->free_again[buffer]);
    if (!to->code)
        to->code = to->ops->copy_to(acc->copies, to->data, to->block->data.data, acc->layout.bytes);
    if (!to->code)
        to->code = to->ops->event_record(to->block->copied, acc->copies);
    if (!to->code)
        to->code = to->ops->stream_after(acc->work, to->block->copied);
}

int gt_dev_add(struct gt_acc *base, const struct gt_acc_block *from, int64_t part, struct gt_err *err)
{
    struct gt_dev_acc *acc = (struct gt_dev_acc *)base;
    const struct gt_dev_block *block = (const struct gt_dev_block *)from;
    struct adding to = {.acc = acc, .ops = acc->device->ops, .block = block, .width = gt_ceil_div(block->rows, 16) * 16};
    (void)part;
    base->sites += block->base.sites;
    if (!block->rows)
        return GT_OK;
    copy_block(&to);
    add_products(&to);
    for (int k = 0; k < base->setup.n_planes; k++)
        if (base->setup.planes[k].terms) {
            add_weights(&to, k);
            acc->het_pairs[k] += block->het_pairs[k];
        }
    if (!to.code)
        to.code = to.ops->event_record(acc->free_again[acc->added++ % 2], acc->work);
    return gt_device_status(acc->device, to.code, "counting pairs", err);
}
