/* Float64 rows in plain C.  Sums grow site by site, so that they are the same for any
 * blocks and parts. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/accumulator.h"

enum { PART_ROWS = 16, LANES = 32 };

struct float_acc {
    struct gt_acc base;
    int64_t rows, columns; /* of the box */
    struct gt_buf sums;    /* double [planes][rows][columns], those on or above the diagonal */
};

struct float_block {
    struct gt_acc_block base;
    struct gt_buf values; /* double [sites][samples] */
};

static bool takes(const struct gt_acc_setup *setup)
{
    return setup->rows == GT_ROWS_F64;
}

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    const struct gt_pair_box *box = &setup->box;
    return setup->n_planes * (box->row1 - box->row0) * (box->col1 - box->col0) * (int64_t)sizeof(double) + 64;
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    return setup->block_rows * setup->n_samples * (int64_t)sizeof(double);
}

static void float_free(struct gt_acc *base)
{
    struct float_acc *acc = (struct float_acc *)base;
    if (!acc)
        return;
    gt_buf_release(&acc->sums);
    free(acc);
}

static int init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct float_acc *acc = gt_alloc(1, sizeof *acc, err);
    size_t cells, bytes = 0;
    if (!acc)
        return GT_FAIL;
    acc->base = (struct gt_acc){.ops = &gt_acc_float, .setup = *setup};
    acc->rows = setup->box.row1 - setup->box.row0;
    acc->columns = setup->box.col1 - setup->box.col0;
    acc->base.parts = gt_ceil_div(acc->rows, PART_ROWS) + 1;
    acc->sums.budget = setup->sums ? setup->sums : setup->budget;
    int status = GT_OK;
    if (!gt_mul_size((size_t)acc->rows, (size_t)acc->columns, &cells) ||
        !gt_mul_size(cells, (size_t)setup->n_planes * sizeof(double), &bytes))
        status = gt_fail(err, GT_NOFIT, "the sums of so many samples do not fit an address space");
    else
        status = gt_buf_resize(&acc->sums, bytes, err);
    if (status) {
        float_free(&acc->base);
        return status;
    }
    if (bytes)
        memset(acc->sums.data, 0, bytes);
    *out = &acc->base;
    return GT_OK;
}

static void block_free(struct gt_acc_block *base)
{
    struct float_block *block = (struct float_block *)base;
    if (!block)
        return;
    gt_buf_release(&block->values);
    free(block);
}

static int prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **out, struct gt_err *err)
{
    size_t n = (size_t)acc->setup.n_samples;
    struct float_block *block = (struct float_block *)*out;
    if (!block) {
        if (!(block = gt_alloc(1, sizeof *block, err)))
            return GT_FAIL;
        block->values.budget = acc->setup.budget;
        *out = &block->base;
    }
    int status = gt_buf_resize(&block->values, (size_t)rows->n * n * sizeof(double), err);
    if (status)
        return status;
    block->base = (struct gt_acc_block){.sites = rows->n};
    for (int64_t k = 0; n && k < rows->n; k++) { /* n 0: there are no buffers */
        double *to = (double *)(void *)block->values.data + (size_t)k * n;
        memcpy(to, (const char *)rows->data + (size_t)k * rows->stride, n * sizeof *to);
        for (size_t s = 0; s < n; s++)
            block->base.any_missing |= to[s] != to[s];
    }
    return GT_OK;
}

static double term_of(enum gt_float_term term, double x, double y)
{
    double d = x - y;
    return term == GT_FLOAT_SQUARE ? d * d : term == GT_FLOAT_ABS ? (d < 0 ? -d : d) : 1;
}

/* One sample against up to LANES others. */
static inline void add_lanes(const enum gt_float_term term, const double *x, const double *y, size_t stride, int64_t sites, int64_t n,
                             double *sums)
{
    double sum[LANES];
    memcpy(sum, sums, (size_t)n * sizeof *sum);
    for (int64_t k = 0; k < sites; k++, x += stride, y += stride)
        for (int64_t j = 0; j < n && *x == *x; j++)
            sum[j] += y[j] == y[j] ? term_of(term, *x, y[j]) : 0;
    memcpy(sums, sum, (size_t)n * sizeof *sum);
}

static void add_row(struct float_acc *acc, const struct float_block *block, int64_t i)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const struct gt_pair_box *box = &setup->box;
    const double *values = (const double *)(const void *)block->values.data;
    for (int k = 0; k < setup->n_planes; k++) {
        double *row = (double *)(void *)acc->sums.data + (k * acc->rows + i - box->row0) * acc->columns;
        for (int64_t j = i > box->col0 ? i : box->col0; j < box->col1; j += LANES)
            add_lanes(setup->planes[k].term, values + i, values + j, (size_t)setup->n_samples, block->base.sites,
                      box->col1 - j < LANES ? box->col1 - j : LANES, row + j - box->col0);
    }
}

static int add(struct gt_acc *base, const struct gt_acc_block *block, int64_t part, struct gt_err *err)
{
    struct float_acc *acc = (struct float_acc *)base;
    int64_t i = base->setup.box.row0 + part * PART_ROWS;
    (void)err;
    if (part == base->parts - 1)
        base->sites += block->sites;
    else
        for (int64_t end = i + PART_ROWS; i < end && i < base->setup.box.row1; i++)
            add_row(acc, (const struct float_block *)block, i);
    return GT_OK;
}

static int merge(struct gt_acc *base, const struct gt_acc *from, struct gt_err *err)
{
    struct float_acc *acc = (struct float_acc *)base;
    double *to = (double *)(void *)acc->sums.data;
    const double *more = (const double *)(const void *)((const struct float_acc *)from)->sums.data;
    (void)err;
    for (size_t k = 0; k < acc->sums.len / sizeof *to; k++)
        to[k] += more[k];
    base->sites += from->sites;
    return GT_OK;
}

static int finish(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    (void)acc;
    return comm->size == 1 ? GT_OK : gt_fail(err, GT_USAGE, "distances of plain arrays are computed by one process only");
}

static void tile(const struct gt_acc *base, const struct gt_pair_box *box, double *const planes[])
{
    const struct float_acc *acc = (const struct float_acc *)base;
    const struct gt_pair_box *all = &base->setup.box;
    for (int k = 0; k < base->setup.n_planes; k++) {
        const double *sums = (const double *)(const void *)acc->sums.data + k * acc->rows * acc->columns;
        double *out = planes[k];
        for (int64_t i = box->row0; i < box->row1; i++)
            for (int64_t j = box->col0; j < box->col1; j++) {
                int64_t low = i < j ? i : j, high = i < j ? j : i;
                *out++ = sums[(low - all->row0) * acc->columns + high - all->col0];
            }
    }
}

const struct gt_acc_ops gt_acc_float = {
    .name = "float",
    .takes = takes,
    .sums_bytes = sums_bytes,
    .block_bytes = block_bytes,
    .init = init,
    .prepare = prepare,
    .add = add,
    .merge = merge,
    .finish = finish,
    .tile = tile,
    .block_free = block_free,
    .free = float_free,
};
