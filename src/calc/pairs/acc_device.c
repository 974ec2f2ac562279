#include "calc/pairs/acc_device.h"

#include <stdlib.h>
#include <string.h>

#include "calc/pairs/acc_float.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

const struct gt_dev_product gt_dev_products[GT_DEV_PRODUCTS] = {
    [GT_DEV_SS] = {GT_DEV_S, GT_DEV_S}, [GT_DEV_HH] = {GT_DEV_H, GT_DEV_H}, [GT_DEV_QQ] = {GT_DEV_Q, GT_DEV_Q},
    [GT_DEV_MH] = {GT_DEV_M, GT_DEV_H}, [GT_DEV_HM] = {GT_DEV_H, GT_DEV_M}, [GT_DEV_MQ] = {GT_DEV_M, GT_DEV_Q},
    [GT_DEV_QM] = {GT_DEV_Q, GT_DEV_M}, [GT_DEV_MM] = {GT_DEV_M, GT_DEV_M},
};

static int64_t up(int64_t x, int64_t step)
{
    return gt_ceil_div(x, step) * step;
}

static bool takes(const struct gt_acc_setup *setup)
{
    return setup->device && gt_acc_cpu.takes(setup);
}

/* --- what is needed ------------------------------------------------------------------ */

static void need(struct gt_dev_acc *acc, int product, bool needed)
{
    if (!needed)
        return;
    acc->product[product] = true;
    acc->plane[gt_dev_products[product].row] = acc->plane[gt_dev_products[product].column] = true;
}

static void choose_products(struct gt_dev_acc *acc)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        const struct gt_plane *plane = &acc->base.setup.planes[k];
        struct gt_cpu_plane *form = &acc->form[k];
        gt_cpu_make_form(form, plane->f);
        need(acc, GT_DEV_SS, form->dense[GT_PAIR_DOT] || form->dense[GT_PAIR_AGREE]);
        need(acc, GT_DEV_HH, form->dense[GT_PAIR_AGREE]);
        need(acc, GT_DEV_QQ, form->dense[GT_PAIR_ALT]);
        for (int g = 0; g < GT_CPU_GAPS; g++) { /* both: pairs are also asked for the other way round */
            const bool gap = form->gap[0][g] || form->gap[1][g];
            need(acc, g == GT_CPU_HOM ? GT_DEV_MH : GT_DEV_MQ, gap);
            need(acc, g == GT_CPU_HOM ? GT_DEV_HM : GT_DEV_QM, gap);
        }
        need(acc, GT_DEV_MM, form->both);
        acc->plane[GT_DEV_S] |= gt_dev_has_tiles(plane) && plane->reach == GT_SITE_WEIGHTS_PRODUCTS;
        acc->plane[GT_DEV_M] |= gt_dev_has_tiles(plane);
    }
}

static void lay_out(struct gt_dev_acc *acc)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    struct gt_dev_layout *layout = &acc->layout;
    const size_t rows = (size_t)setup->block_rows;
    layout->row_bytes = ((size_t)acc->n + 3) / 4;
    layout->rows = rows * layout->row_bytes;
    layout->bytes = (size_t)up((int64_t)layout->rows, 64);
    for (int k = 0; k < setup->n_planes; k++) {
        layout->weights[k] = layout->bytes;
        layout->bytes += setup->planes[k].terms ? rows * sizeof(int64_t[GT_DEV_WEIGHT_SUMS][4]) : 0;
    }
    for (int k = 0; k < setup->n_planes; k++) {
        layout->digits[k] = layout->bytes;
        layout->bytes += gt_dev_has_tiles(&setup->planes[k]) ? rows * GT_DEV_DIGITS * 4 : 0;
    }
}

/* Does a tile have a pair i <= j?  Rows and columns are those of the box, from its first ones on. */
static bool has_pairs(const struct gt_dev_acc *acc, int64_t a, int64_t b)
{
    const struct gt_pair_box *box = &acc->base.setup.box;
    return box->row0 + a * acc->side <= gt_min_i64(box->col1, box->col0 + (b + 1) * acc->side) - 1;
}

/* Row tiles before a have column tiles from some b on: those are counted. */
static int64_t first_column(const struct gt_dev_acc *acc, int64_t a)
{
    const struct gt_pair_box *box = &acc->base.setup.box;
    const int64_t ahead = box->row0 + a * acc->side - box->col0;
    int64_t b = ahead > 0 ? ahead / acc->side : 0;
    while (b < acc->column_tiles && !has_pairs(acc, a, b))
        b++;
    return b;
}

int64_t gt_dev_tile(const struct gt_dev_acc *acc, int64_t a, int64_t b)
{
    int64_t before = 0, from = first_column(acc, a);
    for (int64_t r = 0; r < a; r++)
        before += acc->column_tiles - first_column(acc, r);
    return b < from ? -1 : before + b - from;
}

static void measure(struct gt_dev_acc *acc)
{
    const struct gt_pair_box *box = &acc->base.setup.box;
    const int64_t rows = box->row1 - box->row0, columns = box->col1 - box->col0;
    acc->first = gt_min_i64(box->row0, box->col0);
    acc->n = gt_max_i64(box->row1, box->col1) - acc->first;
    acc->side = acc->base.setup.device_side ? acc->base.setup.device_side : GT_DEV_SIDE;
    acc->side = gt_min_i64(acc->side, gt_max_i64(16, up(gt_min_i64(rows, columns), 16)));
    acc->row_tiles = gt_ceil_div(rows, acc->side);
    acc->column_tiles = gt_ceil_div(columns, acc->side);
    acc->tiles = 0;
    for (int64_t a = 0; a < acc->row_tiles; a++)
        acc->tiles += acc->column_tiles - first_column(acc, a);
    acc->width = gt_max_i64(16, up(acc->base.setup.block_rows, 16));
}

static struct gt_dev_acc look_at(const struct gt_acc_setup *setup)
{
    struct gt_dev_acc acc = {.base.setup = *setup, .device = setup->device};
    choose_products(&acc);
    measure(&acc);
    lay_out(&acc);
    return acc;
}

/* --- memory ------------------------------------------------------------------------------ */

/* Rows of a plane: products of the last tile may read beyond the last sample. */
static int64_t plane_samples(const struct gt_dev_acc *acc)
{
    return acc->n + acc->side;
}

static int64_t cells(const struct gt_dev_acc *acc)
{
    return gt_bytes_mul(acc->tiles, acc->side * acc->side);
}

static int count(const bool *flags, int n)
{
    int set = 0;
    for (int k = 0; k < n; k++)
        set += flags[k];
    return set;
}

static int count_weighed(const struct gt_dev_acc *acc)
{
    int n = 0;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        n += gt_dev_has_tiles(&acc->base.setup.planes[k]);
    return n;
}

static int64_t sums_of_one(const struct gt_dev_acc *acc)
{
    const int64_t numbers = count(acc->product, GT_DEV_PRODUCTS) * (int64_t)sizeof(int32_t) + count_weighed(acc) * (int64_t)sizeof(int64_t);
    return gt_bytes_add(gt_bytes_mul(cells(acc), numbers), acc->n * GT_DEV_SAMPLE_SUMS * (int64_t)sizeof(int64_t));
}

int64_t gt_acc_device_bytes(const struct gt_acc_setup *setup)
{
    if (setup->rows == GT_ROWS_F64)
        return gt_float_device_bytes(setup);
    const struct gt_dev_acc acc = look_at(setup);
    const int64_t planes = count(acc.plane, GT_DEV_PLANES) + (count_weighed(&acc) > 0),
                  scratch = acc.side * acc.side * (int64_t)sizeof(int32_t);
    const int64_t one = gt_bytes_add(gt_bytes_add(sums_of_one(&acc), gt_bytes_mul(planes, gt_bytes_mul(plane_samples(&acc), acc.width))),
                                     gt_bytes_add(2 * (int64_t)acc.layout.bytes, scratch + 65536 + setup->device->info.product_memory));
    return setup->alleles ? gt_bytes_mul(one, 2) : one;
}

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    const struct gt_dev_acc acc = look_at(setup);
    return gt_bytes_add(sums_of_one(&acc), (GT_DEV_PRODUCTS + GT_MAX_PLANES + 1) * 64);
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    const struct gt_dev_acc acc = look_at(setup);
    return (int64_t)acc.layout.bytes + setup->block_rows * (GT_CPU_TABLES * 4 + 1) * (int64_t)sizeof(int64_t) + 256;
}

/* --- making it ----------------------------------------------------------------------------- */

static int alloc(struct gt_dev_acc *acc, struct gt_device_buf *buf, int64_t bytes, bool zero, struct gt_err *err)
{
    int status = gt_device_alloc(buf, acc->device, (size_t)bytes, err);
    if (status || !zero)
        return status;
    return gt_device_status(acc->device, acc->device->ops->zero(acc->work, buf->data, buf->bytes), "clearing sums", err);
}

static int make_streams(struct gt_dev_acc *acc, struct gt_err *err)
{
    const struct gt_device_ops *ops = acc->device->ops;
    int status = gt_device_stream_new(acc->device, "products", &acc->work, err);
    status = status ? status : gt_device_stream_plain(acc->device, "copies", &acc->copies, err);
    if (status)
        return status;
    int code = GT_DEVICE_OK;
    for (int k = 0; k < 2 && !code; k++)
        code = ops->event_new(acc->device->impl, &acc->free_again[k]);
    return gt_device_status(acc->device, code, "cannot make an event", err);
}

/* int64_t [GT_CPU_BITS][4] to count with, then int8_t [GT_DEV_PLANES][4]. */
static const struct constants {
    int64_t counts[GT_CPU_BITS][4];
    int8_t planes[GT_DEV_PLANES][4];
} constants = {
    .counts = {[GT_CPU_HOM] = {1, 0, 1, 0}, [GT_CPU_ALT] = {0, 0, 1, 0}, [GT_CPU_MISSING] = {0, 0, 0, 1}},
    .planes = {[GT_DEV_S] = {-1, 0, 1, 0}, [GT_DEV_H] = {1, 0, 1, 0}, [GT_DEV_Q] = {0, 0, 1, 0}, [GT_DEV_M] = {0, 0, 0, 1}},
};

static int make_memory(struct gt_dev_acc *acc, struct gt_err *err)
{
    const int64_t plane_bytes = gt_bytes_mul(plane_samples(acc), acc->width), n_cells = cells(acc);
    int status = alloc(acc, &acc->samples, acc->n * GT_DEV_SAMPLE_SUMS * (int64_t)sizeof(int64_t), true, err);
    for (int p = 0; p < GT_DEV_PRODUCTS && !status; p++)
        if (acc->product[p])
            status = alloc(acc, &acc->sums[p], gt_bytes_mul(n_cells, sizeof(int32_t)), true, err);
    for (int k = 0; k < acc->base.setup.n_planes && !status; k++)
        if (gt_dev_has_tiles(&acc->base.setup.planes[k]))
            status = alloc(acc, &acc->weighed[k], gt_bytes_mul(n_cells, sizeof(int64_t)), true, err);
    for (int p = 0; p < GT_DEV_PLANES && !status; p++)
        if (acc->plane[p])
            status = alloc(acc, &acc->planes[p], plane_bytes, false, err);
    for (int k = 0; k < 2 && !status; k++)
        status = alloc(acc, &acc->blocks[k], (int64_t)acc->layout.bytes, false, err);
    if (!status && count_weighed(acc))
        status = alloc(acc, &acc->digit, plane_bytes, false, err);
    if (!status && count_weighed(acc))
        status = alloc(acc, &acc->scratch, acc->side * acc->side * (int64_t)sizeof(int32_t), false, err);
    if (!status)
        status = alloc(acc, &acc->constants, sizeof constants, false, err);
    if (status)
        return status;
    const struct gt_device_ops *ops = acc->device->ops;
    return gt_device_status(acc->device, ops->copy_to(acc->work, acc->constants.data, &constants, sizeof constants), "copying tables", err);
}

void gt_dev_leave(struct gt_dev_acc *acc)
{
    const struct gt_device_ops *ops = acc->device->ops;
    if (acc->copies)
        ops->stream_free(acc->copies);
    gt_device_stream_free(acc->device, acc->work);
    acc->copies = acc->work = NULL;
    for (int k = 0; k < 2; k++) {
        if (acc->free_again[k])
            ops->event_free(acc->free_again[k]);
        acc->free_again[k] = NULL;
        gt_device_release(&acc->blocks[k]);
    }
    for (int p = 0; p < GT_DEV_PLANES; p++)
        gt_device_release(&acc->planes[p]);
    for (int p = 0; p < GT_DEV_PRODUCTS; p++)
        gt_device_release(&acc->sums[p]);
    for (int k = 0; k < GT_MAX_PLANES; k++)
        gt_device_release(&acc->weighed[k]);
    gt_device_release(&acc->constants);
    gt_device_release(&acc->digit);
    gt_device_release(&acc->scratch);
    gt_device_release(&acc->samples);
}

static void device_free(struct gt_acc *base)
{
    struct gt_dev_acc *acc = (struct gt_dev_acc *)base;
    if (!acc)
        return;
    gt_dev_leave(acc);
    for (int p = 0; p < GT_DEV_PRODUCTS; p++)
        gt_buf_release(&acc->totals[p]);
    for (int k = 0; k < GT_MAX_PLANES; k++)
        gt_buf_release(&acc->weighed_totals[k]);
    gt_buf_release(&acc->sample_totals);
    free(acc);
}

static int device_init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct gt_budget *budget = setup->sums ? setup->sums : setup->budget;
    struct gt_dev_acc *acc = gt_alloc(1, sizeof *acc, err);
    if (!acc)
        return GT_FAIL;
    *acc = look_at(setup);
    acc->base = (struct gt_acc){.ops = &gt_acc_device, .setup = *setup, .parts = 1};
    acc->sample_totals.budget = budget;
    for (int p = 0; p < GT_DEV_PRODUCTS; p++)
        acc->totals[p].budget = budget;
    for (int k = 0; k < GT_MAX_PLANES; k++)
        acc->weighed_totals[k].budget = budget;
    int status = make_streams(acc, err);
    if (!status)
        status = make_memory(acc, err);
    if (status)
        device_free(&acc->base);
    else
        *out = &acc->base;
    return status;
}

const struct gt_acc_ops gt_acc_device = {
    .name = "device",
    .takes = takes,
    .sums_bytes = sums_bytes,
    .block_bytes = block_bytes,
    .init = device_init,
    .prepare = gt_dev_prepare,
    .add = gt_dev_add,
    .merge = gt_dev_merge,
    .finish = gt_dev_finish,
    .tile = gt_dev_tile_planes,
    .block_free = gt_dev_block_free,
    .free = device_free,
};
