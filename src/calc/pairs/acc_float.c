#include "calc/pairs/acc_float.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

bool gt_float_single(const struct gt_plane *plane, enum gt_single *single, bool *of_column)
{
    *of_column = plane->term == GT_FLOAT_Y || plane->term == GT_FLOAT_YY;
    switch (plane->term) {
    case GT_FLOAT_N:
        *single = plane->unweighted ? GT_SINGLE_N : GT_SINGLE_WEIGHT;
        return true;
    case GT_FLOAT_X:
    case GT_FLOAT_Y:
        *single = GT_SINGLE_X;
        return true;
    case GT_FLOAT_XX:
    case GT_FLOAT_YY:
        *single = GT_SINGLE_XX;
        return true;
    default:
        return false;
    }
}

static bool is_single(const struct gt_plane *plane)
{
    enum gt_single single;
    bool of_column;
    return gt_float_single(plane, &single, &of_column);
}

/* The plane of the same pair with its samples exchanged. */
static int twin(const struct gt_acc_setup *setup, int plane)
{
    static const enum gt_float_term twins[GT_FLOAT_TERMS] = {
        [GT_FLOAT_X] = GT_FLOAT_Y,   [GT_FLOAT_Y] = GT_FLOAT_X,           [GT_FLOAT_XX] = GT_FLOAT_YY,
        [GT_FLOAT_YY] = GT_FLOAT_XX, [GT_FLOAT_ONLY_X] = GT_FLOAT_ONLY_Y, [GT_FLOAT_ONLY_Y] = GT_FLOAT_ONLY_X};
    enum gt_float_term other = twins[setup->planes[plane].term];
    for (int k = 0; k < setup->n_planes && other; k++)
        if (setup->planes[k].term == other)
            return k;
    return other ? -1 : plane;
}

static bool takes(const struct gt_acc_setup *setup)
{
    for (int k = 0; k < setup->n_planes; k++)
        if (twin(setup, k) < 0)
            return false;
    return setup->rows == GT_ROWS_F64;
}

/* --- memory ---------------------------------------------------------------------- */

static int64_t n_panels(const struct gt_acc_setup *setup, int64_t *first)
{
    const struct gt_pair_box *box = &setup->box;
    *first = (box->row0 < box->col0 ? box->row0 : box->col0) / GT_PANEL;
    return gt_ceil_div(box->row1 > box->col1 ? box->row1 : box->col1, GT_PANEL) - *first;
}

static int64_t singles_bytes(const struct gt_tiling *tiling)
{
    return tiling->rects * GT_SINGLES * 2 * tiling->side * GT_PANEL * (int64_t)sizeof(double);
}

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    struct gt_tiling tiling;
    gt_tiling_measure(&tiling, &setup->box, setup->parts_wanted);
    int64_t tile = GT_FLOAT_CELLS * setup->n_planes * (int64_t)sizeof(double) + (int64_t)sizeof(uint32_t);
    tile += setup->device ? GT_FLOAT_DEVICE_TILE : 0;
    return gt_bytes_mul(tiling.tiles, tile) + singles_bytes(&tiling) + gt_tiling_bytes(&tiling) + 320;
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    int64_t first, panels = n_panels(setup, &first);
    bool weights = setup->numbers.weights || setup->numbers.by_variance;
    int64_t whole = gt_float_small_ints(setup) ? panels * gt_float_small_int_panel(setup->block_rows) * (int64_t)sizeof(int16_t) : 0;
    return setup->block_rows * (panels * GT_PANEL + weights) * (int64_t)sizeof(double) + panels + whole + 256;
}

static void float_free(struct gt_acc *base)
{
    struct gt_float_acc *acc = (struct gt_float_acc *)base;
    if (!acc)
        return;
    gt_float_device_free(acc->on);
    gt_buf_release(&acc->sums);
    gt_buf_release(&acc->singles);
    gt_buf_release(&acc->apart);
    gt_tiling_release(&acc->tiling);
    free(acc);
}

/* Sums of pairs that may never be needed are not touched yet, unless ranks add them up. */
static int make_sums(struct gt_float_acc *acc, struct gt_err *err)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const size_t plane = (size_t)acc->tiling.tiles * GT_FLOAT_CELLS * sizeof(double);
    int status = gt_buf_resize(&acc->sums, plane * (size_t)setup->n_planes, err);
    for (int k = 0; k < setup->n_planes && !status && plane; k++)
        if (setup->ranks > 1 || setup->device || !is_single(&setup->planes[k]))
            memset(gt_float_sums(acc, k, 0), 0, plane);
    if (!status)
        status = gt_buf_zeros(&acc->singles, (size_t)singles_bytes(&acc->tiling), err);
    return status ? status : gt_buf_zeros(&acc->apart, (size_t)acc->tiling.tiles * sizeof(uint32_t), err);
}

static int init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct gt_float_acc *acc = gt_alloc(1, sizeof *acc, err);
    struct gt_budget *budget = setup->sums ? setup->sums : setup->budget;
    if (!acc)
        return GT_FAIL;
    acc->base = (struct gt_acc){.ops = &gt_acc_float, .setup = *setup};
    acc->kernels = gt_kernels();
    acc->panels = n_panels(setup, &acc->first);
    acc->sums.budget = acc->singles.budget = acc->apart.budget = budget;
    int status = gt_tiling_init(&acc->tiling, &setup->box, setup->parts_wanted, budget, err);
    if (!status && sums_bytes(setup) == INT64_MAX)
        status = gt_fail(err, GT_NOFIT, "the sums for this many samples do not fit in memory");
    if (!status)
        status = make_sums(acc, err);
    acc->base.parts = acc->tiling.rects + 1;
    if (!status && setup->device)
        status = gt_float_device_new(acc, err);
    if (status)
        float_free(&acc->base);
    else
        *out = &acc->base;
    return status;
}

static void block_free(struct gt_acc_block *base)
{
    struct gt_float_block *block = (struct gt_float_block *)base;
    if (!block)
        return;
    gt_buf_release(&block->values);
    gt_buf_release(&block->weights);
    gt_buf_release(&block->missing);
    gt_buf_release(&block->whole);
    free(block);
}

/* --- the sums of a pair ------------------------------------------------------------ */

/* Where that of samples i <= j stands, and the steps from there to the next i and j of the tile. */
static const double *sum_at(const struct gt_float_acc *acc, int plane, int64_t i, int64_t j, int64_t *by_i, int64_t *by_j)
{
    const struct gt_tiling *tiling = &acc->tiling;
    int64_t a = i / GT_PANEL, b = j / GT_PANEL, tile = gt_tiling_tile(tiling, a, b);
    enum gt_single single;
    bool of_column;
    if (!gt_float_single(&acc->base.setup.planes[plane], &single, &of_column) || gt_float_apart(acc)[tile]) {
        *by_i = GT_PANEL;
        *by_j = 1;
        return gt_float_sums(acc, plane, tile) + i % GT_PANEL * GT_PANEL + j % GT_PANEL;
    }
    int64_t number = gt_tiling_rect(tiling, a, b);
    struct gt_rect rect = gt_tiling_rect_at(tiling, number);
    *by_i = !of_column;
    *by_j = of_column;
    return gt_float_singles(acc, number, single, of_column ? tiling->side + b - rect.column0 : a - rect.row0) +
           (of_column ? j : i) % GT_PANEL;
}

/* Sums of i with j .. up to `end`, or the diagonal, or the end of the tile: where the next begin. */
static int64_t copy_run(const struct gt_float_acc *acc, int plane, int other, int64_t i, int64_t j, int64_t end, double *out)
{
    int64_t by_i, by_j, next = (j / GT_PANEL + 1) * GT_PANEL;
    const double *at = i <= j ? sum_at(acc, plane, i, j, &by_i, &by_j) : sum_at(acc, other, j, i, &by_j, &by_i);
    next = next < end ? next : end;
    next = j < i && next > i ? i : next;
    for (; j < next; j++, at += by_j)
        *out++ = *at;
    return next;
}

static void tile(const struct gt_acc *base, const struct gt_pair_box *box, double *const planes[])
{
    for (int k = 0; k < base->setup.n_planes; k++) {
        const int other = twin(&base->setup, k);
        double *out = planes[k];
        for (int64_t i = box->row0; i < box->row1; i++, out += box->col1 - box->col0)
            for (int64_t j = box->col0; j < box->col1;)
                j = copy_run((const struct gt_float_acc *)base, k, other, i, j, box->col1, out + j - box->col0);
    }
}

/* --- adding up accumulators --------------------------------------------------------- */

static void add_numbers(struct gt_buf *to, const struct gt_buf *from)
{
    double *x = (double *)(void *)to->data;
    const double *y = (const double *)(const void *)from->data;
    for (size_t k = 0; k < to->len / sizeof *x; k++)
        x[k] += y[k];
}

static void merge_tile(struct gt_float_acc *acc, const struct gt_float_acc *from, int64_t a, int64_t b)
{
    const struct gt_plane *planes = acc->base.setup.planes;
    int64_t tile = gt_tiling_tile(&acc->tiling, a, b);
    if (gt_float_apart(from)[tile])
        gt_float_set_apart(acc, a, b);
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        double *to = gt_float_sums(acc, k, tile);
        int64_t by_i, by_j;
        const double *more_at = sum_at(from, k, a * GT_PANEL, b * GT_PANEL, &by_i, &by_j);
        for (int c = 0; c < GT_FLOAT_CELLS && (gt_float_apart(acc)[tile] || !is_single(&planes[k])); c++) {
            double more = more_at[c / GT_PANEL * by_i + c % GT_PANEL * by_j];
            to[c] = planes[k].term != GT_FLOAT_MAX ? to[c] + more : more > to[c] ? more : to[c];
        }
    }
}

static int merge(struct gt_acc *base, const struct gt_acc *from, struct gt_err *err)
{
    struct gt_float_acc *acc = (struct gt_float_acc *)base;
    const struct gt_rect *panels = &acc->tiling.panels;
    (void)err;
    for (int64_t a = panels->row0; a < panels->row1; a++)
        for (int64_t b = a > panels->column0 ? a : panels->column0; b < panels->column1; b++)
            merge_tile(acc, (const struct gt_float_acc *)from, a, b);
    add_numbers(&acc->singles, &((const struct gt_float_acc *)from)->singles);
    base->sites += from->sites;
    return GT_OK;
}

/* What a rank has not counted is 0 there. */
static int finish(struct gt_acc *base, struct gt_comm *comm, struct gt_err *err)
{
    struct gt_float_acc *acc = (struct gt_float_acc *)base;
    struct gt_buf *numbers[] = {&acc->sums, &acc->singles};
    int status = acc->on ? gt_float_device_finish(acc, err) : GT_OK;
    if (status)
        return status;
    status = comm->size == 1 ? GT_OK : gt_comm_reduce_u32(comm, gt_float_apart(acc), acc->apart.len / sizeof(uint32_t), 0, err);
    for (int k = 0; k < 2 && comm->size > 1 && !status; k++) {
        double *sums = (double *)(void *)numbers[k]->data;
        status = gt_comm_reduce_f64(comm, sums, 1, numbers[k]->len / sizeof *sums, sums, 0, err);
    }
    return status;
}

const struct gt_acc_ops gt_acc_float = {
    .name = "float",
    .takes = takes,
    .sums_bytes = sums_bytes,
    .block_bytes = block_bytes,
    .init = init,
    .prepare = gt_float_prepare,
    .add = gt_float_add,
    .merge = merge,
    .finish = finish,
    .tile = tile,
    .block_free = block_free,
    .free = float_free,
};
