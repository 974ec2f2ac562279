/* Sums of counts that other runs have made: rows are pieces of files (calc/pairs/counts_file.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pairs/counts_file.h"
#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

struct counts_acc {
    struct gt_acc base;
    struct gt_buf start; /* int64_t, by column of the box less col0: number of its first sum */
    int64_t pairs;
    struct gt_buf sums;        /* int64_t [planes][pairs]: for column j of the box its rows up to j, j as x */
    int mirror[GT_MAX_PLANES]; /* the plane that is this one with x and y exchanged */
};

struct counts_block {
    struct gt_acc_block base;
    struct gt_counts_part piece;
    struct gt_buf data;
};

static int mirror_of(const struct gt_acc_setup *setup, int k)
{
    if (setup->planes[k].terms) /* those that files have are symmetric */
        return k;
    for (int m = 0; m < setup->n_planes; m++) {
        bool turned = !setup->planes[m].terms;
        for (int x = 0; x < 4; x++)
            for (int y = 0; y < 4; y++)
                turned &= setup->planes[k].f[x][y] == setup->planes[m].f[y][x];
        if (turned)
            return m;
    }
    return -1;
}

static bool takes(const struct gt_acc_setup *setup)
{
    bool all = setup->rows == GT_ROWS_COUNTS;
    for (int k = 0; k < setup->n_planes && all; k++)
        all = mirror_of(setup, k) >= 0;
    return all;
}

/* Rows of the box that column j has. */
static int64_t length_of(const struct gt_pair_box *box, int64_t j)
{
    int64_t end = j + 1 < box->row1 ? j + 1 : box->row1;
    return end > box->row0 ? end - box->row0 : 0;
}

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    const int64_t numbers = gt_bytes_add(gt_bytes_mul(gt_box_cells(&setup->box), setup->n_planes), setup->box.col1 - setup->box.col0);
    return gt_bytes_add(gt_bytes_mul(numbers, (int64_t)sizeof(int64_t)), 2 * 64);
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    return setup->block_rows * GT_COUNTS_ROW + 64;
}

static void counts_free(struct gt_acc *base)
{
    struct counts_acc *acc = (struct counts_acc *)base;
    if (!acc)
        return;
    gt_buf_release(&acc->start);
    gt_buf_release(&acc->sums);
    free(acc);
}

static int init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    const struct gt_pair_box *box = &setup->box;
    struct counts_acc *acc = gt_alloc(1, sizeof *acc, err);
    size_t bytes;
    if (!acc)
        return GT_FAIL;
    acc->base = (struct gt_acc){.ops = &gt_acc_counts, .setup = *setup, .parts = 1};
    acc->pairs = gt_box_cells(box);
    acc->start.budget = acc->sums.budget = setup->sums ? setup->sums : setup->budget;
    for (int k = 0; k < setup->n_planes; k++)
        acc->mirror[k] = mirror_of(setup, k);
    int status = gt_mul_size((size_t)acc->pairs, (size_t)setup->n_planes * sizeof(int64_t), &bytes)
                     ? gt_buf_zeros(&acc->sums, bytes, err)
                     : gt_fail(err, GT_NOFIT, "the sums for this many samples do not fit in memory");
    if (!status)
        status = gt_buf_resize(&acc->start, (size_t)(box->col1 - box->col0) * sizeof(int64_t), err);
    if (status) {
        counts_free(&acc->base);
        return status;
    }
    int64_t at = 0, *start = (int64_t *)(void *)acc->start.data;
    for (int64_t j = box->col0; j < box->col1; at += length_of(box, j++))
        *start++ = at;
    *out = &acc->base;
    return GT_OK;
}

static void block_free(struct gt_acc_block *base)
{
    struct counts_block *block = (struct counts_block *)base;
    if (!block)
        return;
    gt_buf_release(&block->data);
    free(block);
}

static int prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **out, struct gt_err *err)
{
    const struct gt_counts_part *piece = rows->data;
    struct counts_block *block = (struct counts_block *)*out;
    if (!block) {
        if (!(block = gt_alloc(1, sizeof *block, err)))
            return GT_FAIL;
        block->data.budget = acc->setup.budget;
        *out = &block->base;
    }
    int status = gt_buf_resize(&block->data, (size_t)(piece->n * piece->head->width), err);
    if (status)
        return status;
    if (piece->n)
        memcpy(block->data.data, piece->data, block->data.len);
    block->base = (struct gt_acc_block){.sites = piece->sites};
    block->piece = *piece;
    block->piece.data = block->data.data;
    return GT_OK;
}

static void add_numbers(int64_t *to, const uint8_t *from, int64_t n, int width)
{
    if (width == 4)
        for (int64_t k = 0; k < n; k++)
            to[k] += (int32_t)gt_le32(from + 4 * k);
    else
        for (int64_t k = 0; k < n; k++)
            to[k] += (int64_t)gt_le64(from + 8 * k);
}

/* Numbers (i, from) to (i, to) of the file's plane p. */
static void add_stretch(struct counts_acc *acc, const struct gt_counts_head *head, int p, int64_t i, int64_t from, int64_t to,
                        const uint8_t *data)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const struct gt_pair_box *box = &setup->box;
    int64_t low = from > box->row0 ? from : box->row0, high = to < box->row1 ? to : box->row1;
    if (i < box->col0 || i >= box->col1 || low >= high)
        return;
    int64_t at = ((const int64_t *)(const void *)acc->start.data)[i - box->col0] + low - box->row0;
    for (int k = 0; k < setup->n_planes; k++)
        if (strcmp(setup->planes[k].name, head->plane[p]) == 0)
            add_numbers((int64_t *)(void *)acc->sums.data + k * acc->pairs + at, data + (low - from) * head->width, high - low,
                        head->width);
}

/* The row that number k of a file belongs to. */
static int64_t row_of(const struct gt_counts_head *head, int64_t k)
{
    int64_t low = head->first, high = head->last - 1;
    while (low < high) {
        int64_t mid = (low + high + 1) / 2;
        if (gt_counts_before(head, mid) <= k)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static int add(struct gt_acc *base, const struct gt_acc_block *from, int64_t part, struct gt_err *err)
{
    struct counts_acc *acc = (struct counts_acc *)base;
    const struct gt_counts_part *piece = &((const struct counts_block *)from)->piece;
    const struct gt_counts_head *head = piece->head;
    int64_t i = piece->n ? row_of(head, piece->from) : 0;
    (void)part, (void)err;
    base->sites += piece->sites;
    for (int64_t k = 0; k < piece->n; i++)
        for (int64_t at = piece->from + k - gt_counts_before(head, i); at < (i + 1) * head->n_planes && k < piece->n;) {
            int64_t column = at % (i + 1), n = i + 1 - column < piece->n - k ? i + 1 - column : piece->n - k;
            add_stretch(acc, head, (int)(at / (i + 1)), i, column, column + n, piece->data + k * head->width);
            at += n;
            k += n;
        }
    return GT_OK;
}

static int merge(struct gt_acc *base, const struct gt_acc *from, struct gt_err *err)
{
    struct counts_acc *acc = (struct counts_acc *)base;
    int64_t *to = (int64_t *)(void *)acc->sums.data;
    const int64_t *more = (const int64_t *)(const void *)((const struct counts_acc *)from)->sums.data;
    (void)err;
    for (size_t k = 0; k < acc->sums.len / sizeof *to; k++)
        to[k] += more[k];
    base->sites += from->sites;
    return GT_OK;
}

static int finish(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    (void)acc;
    return comm->size == 1 ? GT_OK : gt_fail(err, GT_USAGE, "count files can only be merged by one process");
}

static void tile(const struct gt_acc *base, const struct gt_pair_box *box, double *const planes[])
{
    const struct counts_acc *acc = (const struct counts_acc *)base;
    const struct gt_pair_box *all = &base->setup.box;
    const int64_t *start = (const int64_t *)(const void *)acc->start.data, *sums = (const int64_t *)(const void *)acc->sums.data;
    for (int k = 0; k < base->setup.n_planes; k++) {
        double *out = planes[k], unit = ldexp(1, -gt_counts_bits(base->setup.planes[k].name));
        for (int64_t i = box->row0; i < box->row1; i++)
            for (int64_t j = box->col0; j < box->col1; j++) {
                int64_t low = i < j ? i : j, high = i < j ? j : i;
                *out++ = (double)sums[(i < j ? acc->mirror[k] : k) * acc->pairs + start[high - all->col0] + low - all->row0] * unit;
            }
    }
}

const struct gt_acc_ops gt_acc_counts = {
    .name = "counts",
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
    .free = counts_free,
};
