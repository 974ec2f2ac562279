#include <string.h>

#include "calc/pairs/acc_geno.h"

/* The counts of the pairs of two panels, [row sample][column sample]. */
typedef int32_t cells[GT_PANEL][GT_PANEL];

struct counts {
    cells dense[GT_CPU_DENSE];
    cells gap[2][GT_CPU_GAPS]; /* the row's sample is missing; the column's is */
    cells both;
};

static void copy(const uint32_t *from, cells to)
{
    memcpy(to, from, sizeof(cells));
}

static void copy_turned(const uint32_t *from, cells to)
{
    for (int i = 0; i < GT_PANEL; i++)
        for (int j = 0; j < GT_PANEL; j++)
            to[i][j] = (int32_t)from[j * GT_PANEL + i];
}

static void load_dense(const struct gt_cpu_acc *acc, int d, int64_t a, int64_t b, cells to)
{
    const uint32_t *sums = (const uint32_t *)(const void *)acc->sums[d].data;
    if (a <= b)
        copy(sums + gt_cpu_tile(acc, a, b) * GT_CPU_CELLS, to);
    else
        copy_turned(sums + gt_cpu_tile(acc, b, a) * GT_CPU_CELLS, to);
}

/* Numbers of the samples of panel a at those of panel b. */
static void load_spans(const struct gt_cpu_acc *acc, const struct gt_buf *spans, const struct gt_buf *numbers, int64_t a, int64_t b,
                       cells to)
{
    for (int64_t i = 0; i < GT_PANEL; i++) {
        const int64_t at = gt_cpu_gaps_at(acc, spans, a * GT_PANEL + i, b);
        if (at >= 0)
            gt_cpu_gaps_load(acc, numbers, a * GT_PANEL + i, at, to[i]);
    }
}

/* The same as [b][a]. */
static void load_turned(const struct gt_cpu_acc *acc, const struct gt_buf *spans, const struct gt_buf *numbers, int64_t a, int64_t b,
                        cells to)
{
    int32_t row[GT_PANEL];
    for (int64_t i = 0; i < GT_PANEL; i++) {
        const int64_t at = gt_cpu_gaps_at(acc, spans, a * GT_PANEL + i, b);
        if (at < 0)
            continue;
        gt_cpu_gaps_load(acc, numbers, a * GT_PANEL + i, at, row);
        for (int64_t j = 0; j < GT_PANEL; j++)
            to[j][i] = row[j];
    }
}

/* They lie far apart: those of the panels to come are fetched ahead. */
static void fetch_spans(const struct gt_cpu_acc *acc, const struct gt_buf *spans, const struct gt_buf *numbers, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < GT_PANEL && numbers->len; i++) {
        const int64_t at = gt_cpu_gaps_at(acc, spans, a * GT_PANEL + i, b);
        if (at >= 0)
            __builtin_prefetch(numbers->data + at);
    }
}

static void fetch(const struct gt_cpu_acc *acc, int64_t a, int64_t b)
{
    for (int g = 0; g < GT_CPU_GAPS; g++) {
        fetch_spans(acc, &acc->gap_span, &acc->gaps[g], a, b);
        fetch_spans(acc, &acc->gap_span, &acc->gaps[g], b, a);
    }
    fetch_spans(acc, &acc->both_span, &acc->both_missing, a < b ? a : b, a < b ? b : a);
}

static void load(const struct gt_cpu_acc *acc, int64_t a, int64_t b, struct counts *counts)
{
    for (int d = 0; d < GT_CPU_DENSE; d++)
        if (acc->dense[d]) {
            load_dense(acc, d, a, b, counts->dense[d]);
            gt_cpu_carriers_tile(acc, d, a, b, counts->dense[d]);
        }
    for (int g = 0; g < GT_CPU_GAPS; g++)
        if (acc->gaps[g].len) {
            load_spans(acc, &acc->gap_span, &acc->gaps[g], a, b, counts->gap[0][g]);
            load_turned(acc, &acc->gap_span, &acc->gaps[g], b, a, counts->gap[1][g]);
        }
    if (acc->both_missing.len && a <= b)
        load_spans(acc, &acc->both_span, &acc->both_missing, a, b, counts->both);
    else if (acc->both_missing.len)
        load_turned(acc, &acc->both_span, &acc->both_missing, b, a, counts->both);
}

static void add_scaled(double sum[GT_PANEL], const int32_t counts[GT_PANEL], int factor)
{
    if (factor)
        for (int j = 0; j < GT_PANEL; j++)
            sum[j] += (double)factor * counts[j];
}

static double of_sample(const struct gt_cpu_acc *acc, const int factor[GT_CPU_BITS], int64_t s)
{
    double sum = 0;
    for (int b = 0; b < GT_CPU_BITS; b++)
        sum += (double)factor[b] * (double)gt_cpu_counts(acc, b)[s];
    return sum;
}

/* A plane of sample i of panel a and the samples of panel b, of which `column` tells what
 * they add alone. */
static void make_row(const struct gt_cpu_acc *acc, const struct gt_cpu_plane *form, const struct counts *counts, int64_t a, int i,
                     const double column[GT_PANEL], double out[GT_PANEL])
{
    double alone = (double)form->sites * (double)acc->base.sites + of_sample(acc, form->row, a * GT_PANEL + i);
    for (int j = 0; j < GT_PANEL; j++)
        out[j] = alone + column[j];
    for (int d = 0; d < GT_CPU_DENSE; d++)
        add_scaled(out, counts->dense[d][i], form->dense[d]);
    for (int g = 0; g < GT_CPU_GAPS; g++) {
        if (!acc->gaps[g].len)
            continue;
        add_scaled(out, counts->gap[0][g][i], form->gap[0][g]);
        add_scaled(out, counts->gap[1][g][i], form->gap[1][g]);
    }
    if (acc->both_missing.len)
        add_scaled(out, counts->both[i], form->both);
}

/* The part of a box that lies in panels a, b, into its planes. */
static void put(const struct gt_cpu_acc *acc, const struct gt_pair_box *box, int64_t a, int64_t b, const struct counts *counts,
                double *const planes[])
{
    int64_t width = box->col1 - box->col0, i1 = box->row1 - a * GT_PANEL, j1 = box->col1 - b * GT_PANEL;
    int64_t i0 = box->row0 - a * GT_PANEL, j0 = box->col0 - b * GT_PANEL;
    i0 = i0 > 0 ? i0 : 0, j0 = j0 > 0 ? j0 : 0;
    i1 = i1 < GT_PANEL ? i1 : GT_PANEL, j1 = j1 < GT_PANEL ? j1 : GT_PANEL;
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        double column[GT_PANEL] = {0}, out[GT_PANEL];
        for (int64_t j = j0; j < j1; j++)
            column[j] = of_sample(acc, acc->form[k].column, b * GT_PANEL + j);
        for (int64_t i = i0; i < i1; i++) {
            make_row(acc, &acc->form[k], counts, a, (int)i, column, out);
            gt_cpu_weigh_row(acc, k, a, i, b, out);
            memcpy(planes[k] + (a * GT_PANEL + i - box->row0) * width + b * GT_PANEL + j0 - box->col0, out + j0,
                   (size_t)(j1 - j0) * sizeof *out);
        }
    }
}

void gt_cpu_tile_planes(const struct gt_acc *base, const struct gt_pair_box *of, double *const planes[])
{
    const struct gt_cpu_acc *acc = (const struct gt_cpu_acc *)base;
    const int64_t first = acc->first;
    struct gt_pair_box box = {of->row0 - first, of->row1 - first, of->col0 - first, of->col1 - first};
    struct counts counts;
    for (int64_t b = box.col0 / GT_PANEL; b * GT_PANEL < box.col1; b++)
        for (int64_t a = box.row0 / GT_PANEL; a * GT_PANEL < box.row1; a++) {
            fetch(acc, a, b + 1);
            load(acc, a, b, &counts);
            put(acc, &box, a, b, &counts, planes);
        }
}
