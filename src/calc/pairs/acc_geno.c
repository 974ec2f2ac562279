#include "calc/pairs/acc_geno.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"

/* --- planes as sums of counts ------------------------------------------------- */

/* What x and y add together, over what each adds next to a heterozygote. */
static int product(const int8_t f[4][4], int x, int y)
{
    return f[x][y] - f[x][1] - f[1][y] + f[1][1];
}

void gt_cpu_make_form(struct gt_cpu_plane *form, const int8_t f[4][4])
{
    int row0 = f[0][1] - f[1][1], row2 = f[2][1] - f[1][1], column0 = f[1][0] - f[1][1], column2 = f[1][2] - f[1][1];
    int same0 = product(f, 0, 0), same2 = product(f, 2, 2), opposite = product(f, 0, 2);
    *form = (struct gt_cpu_plane){
        .sites = f[1][1],
        .row = {row0, row2 - row0, f[3][1] - f[1][1]},
        .column = {column0, column2 - column0, f[1][3] - f[1][1]},
        .dense = {[GT_PAIR_AGREE] = same0 + opposite, [GT_PAIR_DOT] = -opposite, [GT_PAIR_ALT] = same2 - same0},
        .gap = {{product(f, 3, 0), product(f, 3, 2) - product(f, 3, 0)}, {product(f, 0, 3), product(f, 2, 3) - product(f, 0, 3)}},
        .both = product(f, 3, 3),
    };
}

static bool takes(const struct gt_acc_setup *setup)
{
    if (setup->rows != GT_ROWS_PACKED || setup->alleles)
        return false;
    for (int k = 0; k < setup->n_planes; k++)
        if (product(setup->planes[k].f, 0, 2) != product(setup->planes[k].f, 2, 0))
            return false;
    return true;
}

static void make_forms(struct gt_cpu_acc *acc)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        struct gt_cpu_plane *form = &acc->form[k];
        gt_cpu_make_form(form, acc->base.setup.planes[k].f);
        for (int d = 0; d < GT_CPU_DENSE; d++)
            acc->dense[d] |= form->dense[d] != 0;
        for (int g = 0; g < GT_CPU_GAPS; g++)
            acc->gap[g] |= form->gap[0][g] || form->gap[1][g];
        acc->both |= form->both != 0;
    }
    bool others = acc->dense[GT_PAIR_DOT] || acc->dense[GT_PAIR_ALT];
    acc->pair = others ? &gt_kernels()->pair : &gt_kernels()->pair_agree;
}

/* --- where sums stand --------------------------------------------------------- */

static bool within(int64_t x, int64_t from, int64_t to)
{
    return x >= from && x < to;
}

/* The box from its own first sample on. */
static struct gt_pair_box local_box(const struct gt_cpu_acc *acc)
{
    struct gt_pair_box box = acc->base.setup.box;
    return (struct gt_pair_box){box.row0 - acc->first, box.row1 - acc->first, box.col0 - acc->first, box.col1 - acc->first};
}

/* Columns of a row sample are those of the box from itself on; of a column sample, the row
 * samples up to itself. */
static struct gt_cpu_span gap_columns(const struct gt_pair_box *box, int64_t s)
{
    bool row = within(s, box->row0, box->row1), column = within(s, box->col0, box->col1);
    int64_t from = column ? box->row0 : gt_max_i64(box->col0, s), to = row ? box->col1 : gt_min_i64(box->row1, s + 1);
    if ((!row && !column) || from >= to)
        return (struct gt_cpu_span){0};
    return (struct gt_cpu_span){.from = (int32_t)(from / GT_BIT_ROW), .to = (int32_t)gt_ceil_div(to, GT_BIT_ROW)};
}

static struct gt_cpu_span both_columns(const struct gt_pair_box *box, int64_t s)
{
    int64_t from = gt_max_i64(box->col0, s);
    if (!within(s, box->row0, box->row1) || from >= box->col1)
        return (struct gt_cpu_span){0};
    return (struct gt_cpu_span){.from = (int32_t)(from / GT_BIT_ROW), .to = (int32_t)gt_ceil_div(box->col1, GT_BIT_ROW)};
}

/* s / GT_BIT_ROW, added up over s < end. */
static int64_t sum_of_rows(int64_t end)
{
    const int64_t whole = end / GT_BIT_ROW, rest = end % GT_BIT_ROW;
    return whole * (whole - 1) / 2 * GT_BIT_ROW + whole * rest;
}

/* Vectors of all gap_columns(): between two ends of the box's sides all samples have the same. */
static int64_t count_gaps(const struct gt_pair_box *box, int64_t n)
{
    int64_t ends[] = {0, box->row0, box->row1, box->col0, box->col1, n}, vectors = 0;
    for (size_t i = 1; i < sizeof ends / sizeof *ends; i++)
        for (size_t k = i; k && ends[k] < ends[k - 1]; k--) {
            const int64_t end = ends[k];
            ends[k] = ends[k - 1];
            ends[k - 1] = end;
        }
    for (size_t i = 1; i < sizeof ends / sizeof *ends; i++) {
        const struct gt_cpu_span span = gap_columns(box, ends[i - 1]);
        vectors += (ends[i] - ends[i - 1]) * (span.to - span.from);
    }
    return vectors;
}

/* Of both_columns(): from the first column, or from the sample itself on. */
static int64_t count_both(const struct gt_pair_box *box)
{
    const int64_t last = gt_ceil_div(box->col1, GT_BIT_ROW), before = gt_min_i64(box->row1, box->col0) - box->row0;
    const int64_t from = gt_max_i64(box->row0, box->col0), to = gt_min_i64(box->row1, box->col1);
    int64_t vectors = before > 0 && box->col0 < box->col1 ? before * (last - box->col0 / GT_BIT_ROW) : 0;
    if (from < to)
        vectors += (to - from) * last - (sum_of_rows(to) - sum_of_rows(from));
    return vectors;
}

/* Without a loop: plans ask for it box by box. */
static void measure(struct gt_cpu_acc *acc)
{
    const struct gt_pair_box *of = &acc->base.setup.box;
    acc->first = gt_min_i64(of->row0, of->col0);
    acc->n = gt_max_i64(of->row1, of->col1) - acc->first;
    struct gt_pair_box box = local_box(acc);
    acc->panels = (struct gt_cpu_rect){(int32_t)(box.row0 / GT_PANEL), (int32_t)gt_ceil_div(box.row1, GT_PANEL),
                                       (int32_t)(box.col0 / GT_PANEL), (int32_t)gt_ceil_div(box.col1, GT_PANEL)};
    acc->vectors = gt_ceil_div(acc->n, GT_BIT_ROW);
    acc->tiles = gt_box_cells(&(struct gt_pair_box){acc->panels.row0, acc->panels.row1, acc->panels.column0, acc->panels.column1});
    acc->gap_size = count_gaps(&box, acc->n) * GT_BIT_ROW;
    acc->both_size = count_both(&box) * GT_BIT_ROW;
    acc->most_sparse = gt_cpu_most_sparse(acc);
    acc->most_carriers = gt_cpu_most_carriers(acc);
}

#define MOST_RECTS INT64_C(64) /* for a part that is wanted */
#define SUM_BUFS (7 + GT_CPU_DENSE + GT_CPU_GAPS)

static int64_t sums_bytes(const struct gt_acc_setup *setup)
{
    struct gt_cpu_acc acc = {.base.setup = *setup};
    int64_t numbers = 0;
    make_forms(&acc);
    measure(&acc);
    for (int d = 0; d < GT_CPU_DENSE; d++)
        numbers += acc.dense[d] ? acc.tiles * GT_CPU_CELLS : 0;
    for (int g = 0; g < GT_CPU_GAPS; g++)
        numbers += acc.gap[g] ? acc.gap_size : 0;
    numbers += acc.both ? acc.both_size : 0;
    int64_t tables = acc.n * (int64_t)(GT_CPU_BITS * sizeof(int64_t) + 2 * sizeof(struct gt_cpu_span) + 1);
    int64_t rects = gt_min_i64(acc.tiles, MOST_RECTS * gt_max_i64(setup->parts_wanted, MOST_RECTS)) * (int64_t)sizeof(struct gt_cpu_rect);
    return numbers * (int64_t)sizeof(uint32_t) + tables + rects + (acc.panels.row1 - acc.panels.row0) * 8 + SUM_BUFS * 64 +
           gt_cpu_weigh_sums_bytes(&acc) + gt_cpu_carriers_sums_bytes(&acc);
}

static int64_t block_bytes(const struct gt_acc_setup *setup)
{
    struct gt_cpu_acc acc = {.base.setup = *setup};
    make_forms(&acc);
    measure(&acc);
    int64_t codes = gt_ceil_div(acc.n, GT_PANEL) * acc.pair->bytes(gt_max_i64(setup->block_rows, gt_cpu_most_pending(&acc)));
    const int64_t rows = setup->block_rows + gt_cpu_most_pending(&acc) + gt_cpu_most_sparse_pending(&acc);
    int64_t bits = acc.vectors * rows * GT_BIT_ROW / 8, words = gt_ceil_div(rows, 64);
    return codes + bits * (acc.gap[GT_CPU_ALT] || acc.most_sparse ? 3 : 2) + words * (int64_t)gt_cpu_column_stride(&acc) * 8 +
           2 * acc.vectors * GT_BIT_ROW * GT_CPU_BITS * (int64_t)sizeof(uint32_t) + gt_cpu_weigh_block_bytes(&acc) +
           gt_cpu_carriers_block_bytes(&acc) + gt_cpu_sparse_block_bytes(&acc);
}

/* --- making it ------------------------------------------------------------------ */

int gt_cpu_zeroed(struct gt_buf *buf, int64_t n, size_t size, struct gt_err *err)
{
    size_t bytes;
    if (n < 0 || !gt_mul_size((size_t)n, size, &bytes))
        return gt_fail(err, GT_NOFIT, "the sums for this many samples do not fit in memory");
    return gt_buf_zeros(buf, bytes, err);
}

static int place_tiles(struct gt_cpu_acc *acc, struct gt_err *err)
{
    int status = gt_cpu_zeroed(&acc->tile_start, acc->panels.row1 - acc->panels.row0, sizeof(int64_t), err);
    int64_t *start = (int64_t *)(void *)acc->tile_start.data, at = 0;
    for (int64_t a = acc->panels.row0; !status && a < acc->panels.row1; a++) {
        *start++ = at;
        at += gt_max_i64(0, acc->panels.column1 - gt_max_i64(a, acc->panels.column0));
    }
    return status;
}

static int place_spans(struct gt_cpu_acc *acc, struct gt_buf *spans, struct gt_cpu_span (*columns)(const struct gt_pair_box *, int64_t),
                       struct gt_err *err)
{
    const struct gt_pair_box box = local_box(acc);
    int status = gt_cpu_zeroed(spans, acc->n, sizeof(struct gt_cpu_span), err);
    struct gt_cpu_span *span = (struct gt_cpu_span *)(void *)spans->data;
    int64_t at = 0;
    for (int64_t s = 0; !status && s < acc->n; s++) {
        span[s] = columns(&box, s);
        span[s].at = at;
        at += (int64_t)(span[s].to - span[s].from) * GT_BIT_ROW;
    }
    return status;
}

/* Rectangles of `side` panels a side that have pairs; into rects unless it is NULL. */
static int64_t cut(const struct gt_cpu_acc *acc, int64_t side, struct gt_cpu_rect *rects)
{
    const struct gt_cpu_rect *p = &acc->panels;
    int64_t n = 0;
    for (int64_t a = p->row0; a < p->row1; a += side) {
        int64_t a1 = gt_min_i64(a + side, p->row1);
        for (int64_t b = gt_max_i64(a, p->column0); b < p->column1; b += side, n++)
            if (rects)
                rects[n] = (struct gt_cpu_rect){(int32_t)a, (int32_t)a1, (int32_t)b, (int32_t)gt_min_i64(b + side, p->column1)};
    }
    return n;
}

/* Large enough that panels are reused from the cache, small enough that all threads have work. */
static int make_parts(struct gt_cpu_acc *acc, struct gt_err *err)
{
    int64_t side = 8, wanted = acc->base.setup.parts_wanted;
    while (side > 1 && cut(acc, side, NULL) < wanted)
        side /= 2;
    while (cut(acc, side, NULL) > MOST_RECTS * gt_max_i64(wanted, MOST_RECTS))
        side *= 2;
    acc->side = side;
    acc->n_rects = cut(acc, side, NULL);
    acc->n_chunks = acc->both || acc->gap[GT_CPU_HOM] || acc->gap[GT_CPU_ALT] ? gt_ceil_div(acc->n, 64) : 0;
    acc->base.parts = acc->n_rects + acc->n_chunks + 1;
    int status = gt_cpu_zeroed(&acc->rects, acc->n_rects, sizeof(struct gt_cpu_rect), err);
    if (!status)
        cut(acc, side, (struct gt_cpu_rect *)(void *)acc->rects.data);
    return status;
}

static int make_sums(struct gt_cpu_acc *acc, struct gt_err *err)
{
    int status = gt_cpu_zeroed(&acc->counts, acc->n * GT_CPU_BITS, sizeof(int64_t), err);
    for (int d = 0; d < GT_CPU_DENSE && !status; d++)
        if (acc->dense[d])
            status = gt_cpu_zeroed(&acc->sums[d], acc->tiles * GT_CPU_CELLS, sizeof(uint32_t), err);
    return status;
}

static void set_budget(struct gt_cpu_acc *acc, struct gt_budget *budget)
{
    acc->tile_start.budget = acc->rects.budget = acc->gap_span.budget = acc->both_span.budget = acc->both_missing.budget =
        acc->gap_bytes.budget = acc->counts.budget = budget;
    for (int d = 0; d < GT_CPU_DENSE; d++)
        acc->sums[d].budget = budget;
    for (int g = 0; g < GT_CPU_GAPS; g++)
        acc->gaps[g].budget = budget;
}

static void cpu_free(struct gt_acc *base)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    if (!acc)
        return;
    gt_buf_release(&acc->tile_start);
    gt_buf_release(&acc->rects);
    gt_buf_release(&acc->gap_span);
    gt_buf_release(&acc->both_span);
    gt_buf_release(&acc->both_missing);
    gt_buf_release(&acc->gap_bytes);
    gt_buf_release(&acc->counts);
    gt_cpu_weigh_free(acc);
    gt_cpu_carriers_free(acc);
    for (int d = 0; d < GT_CPU_DENSE; d++)
        gt_buf_release(&acc->sums[d]);
    for (int g = 0; g < GT_CPU_GAPS; g++)
        gt_buf_release(&acc->gaps[g]);
    pthread_mutex_destroy(&acc->lock);
    free(acc);
}

static int cpu_init(struct gt_acc **out, const struct gt_acc_setup *setup, struct gt_err *err)
{
    struct gt_cpu_acc *acc = gt_alloc(1, sizeof *acc, err);
    if (!acc)
        return GT_FAIL;
    acc->base = (struct gt_acc){.ops = &gt_acc_cpu, .setup = *setup};
    acc->kernels = gt_kernels();
    pthread_mutex_init(&acc->lock, NULL);
    set_budget(acc, setup->sums ? setup->sums : setup->budget);
    make_forms(acc);
    measure(acc);
    int status = place_tiles(acc, err);
    if (!status)
        status = place_spans(acc, &acc->gap_span, gap_columns, err);
    if (!status)
        status = place_spans(acc, &acc->both_span, both_columns, err);
    if (!status)
        status = make_parts(acc, err);
    if (!status)
        status = make_sums(acc, err);
    if (!status)
        status = gt_cpu_weigh_init(acc, err);
    if (!status)
        status = gt_cpu_carriers_init(acc, err);
    if (status)
        cpu_free(&acc->base);
    else
        *out = &acc->base;
    return status;
}

/* --- adding up accumulators -------------------------------------------------------- */

static void add_numbers(struct gt_buf *to, const struct gt_buf *from)
{
    uint32_t *x = (uint32_t *)(void *)to->data;
    const uint32_t *y = (const uint32_t *)(const void *)from->data;
    for (size_t k = 0; k < from->len / sizeof *x; k++)
        x[k] += y[k];
}

int gt_cpu_check_sites(const struct gt_acc *acc, struct gt_err *err)
{
    char most_sites[GT_NUM_LEN];
    if (acc->sites <= INT32_MAX)
        return GT_OK;
    gt_fail(err, GT_FAIL, "more than %s variants cannot be counted in one run", gt_format_count(most_sites, INT32_MAX));
    return GT_FAIL;
}

static int reduce_numbers(struct gt_comm *comm, struct gt_buf *buf, struct gt_err *err)
{
    return gt_comm_reduce_u32(comm, (uint32_t *)(void *)buf->data, buf->len / sizeof(uint32_t), 0, err);
}

static int finish(struct gt_acc *base, struct gt_comm *comm, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    int status = gt_cpu_is_pending(acc) ? gt_fail(err, GT_FAIL, "the rest of the rows was not added") : gt_cpu_gaps_finish(acc, err);
    if (status || comm->size == 1)
        return status;
    for (int d = 0; d < GT_CPU_DENSE && !status; d++)
        status = reduce_numbers(comm, &acc->sums[d], err);
    if (!status)
        status = gt_comm_allreduce_i64(comm, (int64_t *)(void *)acc->counts.data, (size_t)(GT_CPU_BITS * acc->n), err);
    if (!status)
        status = gt_cpu_gaps_reduce(acc, comm, err);
    if (!status)
        status = gt_comm_reduce_i64(comm, &base->sites, 1, 0, err);
    if (!status)
        status = gt_cpu_carriers_reduce(acc, comm, err);
    if (!status)
        status = gt_cpu_weigh_reduce(acc, comm, err);
    return status ? status : gt_cpu_check_sites(base, err);
}

static int merge(struct gt_acc *base, const struct gt_acc *other, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    const struct gt_cpu_acc *from = (const struct gt_cpu_acc *)other;
    bool missing = from->both_missing.len || from->gaps[GT_CPU_HOM].len || from->gaps[GT_CPU_ALT].len;
    int status = missing ? gt_cpu_make_gaps(acc, err) : GT_OK;
    if (status)
        return status;
    for (int d = 0; d < GT_CPU_DENSE; d++)
        add_numbers(&acc->sums[d], &from->sums[d]);
    gt_cpu_gaps_merge(acc, from);
    int64_t *counts = (int64_t *)(void *)acc->counts.data;
    for (int64_t k = 0; k < GT_CPU_BITS * acc->n; k++)
        counts[k] += gt_cpu_counts(from, 0)[k];
    base->sites += other->sites;
    gt_cpu_carriers_merge(acc, from);
    status = gt_cpu_weigh_merge(acc, from, err);
    return status ? status : gt_cpu_check_sites(base, err);
}

const struct gt_acc_ops gt_acc_cpu = {
    .name = "cpu",
    .takes = takes,
    .sums_bytes = sums_bytes,
    .block_bytes = block_bytes,
    .init = cpu_init,
    .prepare = gt_cpu_prepare,
    .add = gt_cpu_add,
    .rest = gt_cpu_rest,
    .merge = merge,
    .finish = finish,
    .tile = gt_cpu_tile_planes,
    .block_free = gt_cpu_block_free,
    .free = cpu_free,
};

const struct gt_acc_ops *gt_acc_choose(const struct gt_acc_setup *setup)
{
    static const struct gt_acc_ops *const all[] = {&gt_acc_alleles, &gt_acc_device, &gt_acc_cpu, &gt_acc_float, &gt_acc_counts};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]->takes(setup))
            return all[k];
    return NULL;
}
