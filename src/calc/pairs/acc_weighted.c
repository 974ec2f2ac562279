#include <string.h>

#include "calc/pairs/acc_geno.h"

static void add_wrapped(int64_t *to, int64_t more)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)more);
}

/* --- memory -------------------------------------------------------------------- */

static int64_t pair_sums(const struct gt_cpu_acc *acc, const struct gt_plane *plane)
{
    return plane->reach == GT_SITE_WEIGHTS_ALONE ? 0 : acc->tiles * GT_CPU_CELLS;
}

/* What a sample adds alone is summed once, or for rows and columns. */
static int sides(const struct gt_plane *plane)
{
    return plane->sided ? 2 : 1;
}

int64_t gt_cpu_weigh_sums_bytes(const struct gt_cpu_acc *acc)
{
    int64_t numbers = 0;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        if (acc->base.setup.planes[k].terms)
            numbers += pair_sums(acc, &acc->base.setup.planes[k]) + (1 + sides(&acc->base.setup.planes[k])) * gt_cpu_panels(acc) * GT_PANEL;
    return numbers * (int64_t)sizeof(int64_t);
}

static int zeroed(struct gt_buf *buf, int64_t n, struct gt_budget *budget, struct gt_err *err)
{
    buf->budget = budget;
    return gt_buf_zeros(buf, (size_t)n * sizeof(int64_t), err);
}

int gt_cpu_weigh_init(struct gt_cpu_acc *acc, struct gt_err *err)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    struct gt_budget *budget = setup->sums ? setup->sums : setup->budget;
    int status = GT_OK;
    for (int k = 0; k < setup->n_planes && !status; k++) {
        struct gt_cpu_weighed *sum = &acc->weighed[k];
        if (!setup->planes[k].terms)
            continue;
        sum->plane = &setup->planes[k];
        status = zeroed(&sum->sums, pair_sums(acc, sum->plane), budget, err);
        for (int side = 0; side < sides(sum->plane) && !status; side++)
            status = zeroed(&sum->alone[side], gt_cpu_panels(acc) * GT_PANEL, budget, err);
        if (!status)
            status = zeroed(&sum->size, gt_cpu_panels(acc) * GT_PANEL, budget, err);
    }
    return status;
}

void gt_cpu_weigh_free(struct gt_cpu_acc *acc)
{
    for (int k = 0; k < GT_MAX_PLANES; k++) {
        gt_buf_release(&acc->weighed[k].sums);
        gt_buf_release(&acc->weighed[k].alone[0]);
        gt_buf_release(&acc->weighed[k].alone[1]);
        gt_buf_release(&acc->weighed[k].size);
    }
}

/* --- adding ------------------------------------------------------------------------ */

static int64_t *tile_of(const struct gt_cpu_acc *acc, const struct gt_cpu_weighed *sum, int64_t a, int64_t b)
{
    return gt_cpu_i64(&sum->sums) + gt_cpu_tile(acc, a, b) * GT_CPU_CELLS;
}

static void add_products(const struct gt_cpu_acc *acc, const struct gt_cpu_weighed *sum, const struct gt_cpu_weights *from,
                         const struct gt_cpu_rect *rect)
{
    for (int d = 0; d < from->n_digits; d++) {
        const struct gt_cpu_digit *digit = &from->digit[d];
        const uint8_t *codes = from->codes.data + digit->codes;
        const int64_t panel = acc->kernels->weigh_bytes(digit->sites);
        for (int64_t a = rect->row0; a < rect->row1; a++) {
            int64_t b = a > rect->column0 ? a : rect->column0;
            if (b < rect->column1)
                acc->kernels->weigh_tile(digit->sites, from->weights.data + digit->weights, digit->shift, codes + a * panel,
                                         codes + b * panel, rect->column1 - b, tile_of(acc, sum, a, b));
        }
    }
}

/* Sites [from, from + n) that a sample misses, less from. */
enum { STRETCH = 8192 };

static int64_t list_missing(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t sample, int64_t from, int64_t n,
                            uint16_t list[STRETCH])
{
    const size_t words = gt_cpu_column_stride(acc);
    const uint64_t *word = (const uint64_t *)(const void *)block->missing.data + (size_t)(from / 64) * words + (size_t)sample;
    int64_t found = 0;
    for (int64_t k = 0; k < n; k += 64, word += words)
        for (uint64_t bits = n - k < 64 ? *word & ((UINT64_C(1) << (n - k)) - 1) : *word; bits; bits &= bits - 1)
            list[found++] = (uint16_t)(k + __builtin_ctzll(bits));
    return found;
}

/* What one sample's missing calls add next to the codes of panels [p0, p1): row p of `to`. */
struct gaps {
    const struct gt_cpu_acc *acc;
    const struct gt_cpu_block *block;
    const struct gt_cpu_weights *weights;
    int64_t from, n; /* the stretch */
    int64_t found;
    uint16_t list[STRETCH];
};

static void look_up(const struct gaps *gaps, int64_t panel, int64_t sums[GT_PANEL])
{
    const int64_t sites = gaps->block->n_dense;
    const uint64_t *codes = (const uint64_t *)(const void *)gaps->block->panel_codes.data + panel * sites + gaps->from;
    gaps->acc->kernels->look_up(codes, (const int64_t(*)[4])gt_cpu_table(gaps->weights, sites, GT_CPU_GAP) + gaps->from, gaps->list,
                                gaps->found, sums);
}

/* The calls that sample i of panel a misses, next to the columns. */
static void add_row_gaps(const struct gaps *gaps, const struct gt_cpu_weighed *sum, const struct gt_cpu_rect *rect, int64_t a, int i)
{
    for (int64_t b = a > rect->column0 ? a : rect->column0; b < rect->column1; b++)
        look_up(gaps, b, tile_of(gaps->acc, sum, a, b) + i * GT_PANEL);
}

/* Those of sample j of panel b, next to the rows. */
static void add_column_gaps(const struct gaps *gaps, const struct gt_cpu_weighed *sum, const struct gt_cpu_rect *rect, int64_t b, int j)
{
    for (int64_t a = rect->row0; a < rect->row1 && a <= b; a++) {
        int64_t column[GT_PANEL] = {0}, *to = tile_of(gaps->acc, sum, a, b) + j;
        look_up(gaps, a, column);
        for (int i = 0; i < GT_PANEL; i++)
            add_wrapped(to + i * GT_PANEL, column[i]);
    }
}

static void add_gaps(struct gaps *gaps, const struct gt_cpu_weighed *sum, const struct gt_cpu_rect *rect, int64_t sample, bool row)
{
    const int64_t sites = gaps->block->n_dense;
    for (gaps->from = 0; gaps->from < sites; gaps->from += STRETCH) {
        gaps->n = sites - gaps->from < STRETCH ? sites - gaps->from : STRETCH;
        gaps->found = list_missing(gaps->acc, gaps->block, sample, gaps->from, gaps->n, gaps->list);
        if (gaps->found && row)
            add_row_gaps(gaps, sum, rect, sample / GT_PANEL, (int)(sample % GT_PANEL));
        else if (gaps->found)
            add_column_gaps(gaps, sum, rect, sample / GT_PANEL, (int)(sample % GT_PANEL));
    }
}

static int64_t last_sample(const struct gt_cpu_acc *acc, int64_t panel)
{
    return panel * GT_PANEL < acc->n ? panel * GT_PANEL : acc->n;
}

void gt_cpu_weigh_rect(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, const struct gt_cpu_rect *rect)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        const struct gt_cpu_weighed *sum = &acc->weighed[k];
        struct gaps gaps = {.acc = acc, .block = block, .weights = &block->weights[k]};
        if (!sum->plane || sum->plane->reach == GT_SITE_WEIGHTS_ALONE)
            continue;
        if (sum->plane->reach == GT_SITE_WEIGHTS_PRODUCTS)
            add_products(acc, sum, &block->weights[k], rect);
        if (!block->n_missing)
            continue;
        for (int64_t s = (int64_t)rect->row0 * GT_PANEL; s < last_sample(acc, rect->row1); s++)
            add_gaps(&gaps, sum, rect, s, true);
        for (int64_t s = (int64_t)rect->column0 * GT_PANEL; s < last_sample(acc, rect->column1); s++)
            add_gaps(&gaps, sum, rect, s, false);
    }
}

static int check_sizes(const struct gt_cpu_acc *acc, struct gt_err *err)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        for (int64_t s = 0; s < acc->n && acc->weighed[k].plane; s++)
            if (gt_cpu_i64(&acc->weighed[k].size)[s] >> (62 - GT_CPU_SIZE_SHIFT))
                return gt_fail(err, GT_FAIL, "the weighted sums over this many variants do not fit 64 bits");
    return GT_OK;
}

int gt_cpu_weigh_samples(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, struct gt_err *err)
{
    const int64_t sites = block->n_dense;
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        struct gt_cpu_weighed *sum = &acc->weighed[k];
        if (!sum->plane)
            continue;
        const uint64_t *codes = (const uint64_t *)(const void *)block->panel_codes.data;
        for (int64_t p = 0; p < gt_cpu_panels(acc); p++, codes += sites) {
            for (int side = 0; side < sides(sum->plane); side++)
                acc->kernels->look_up(codes, (const int64_t(*)[4])gt_cpu_table(&block->weights[k], sites, GT_CPU_ALONE + side), NULL, sites,
                                      gt_cpu_i64(&sum->alone[side]) + p * GT_PANEL);
            acc->kernels->look_up(codes, (const int64_t(*)[4])gt_cpu_table(&block->weights[k], sites, GT_CPU_SIZE), NULL, sites,
                                  gt_cpu_i64(&sum->size) + p * GT_PANEL);
        }
        sum->sites += sites ? block->weights[k].het_pairs : 0;
    }
    return check_sizes(acc, err);
}

/* --- all together -------------------------------------------------------------------- */

static void add_numbers(struct gt_buf *to, const struct gt_buf *from)
{
    for (size_t k = 0; k < from->len / sizeof(int64_t); k++)
        add_wrapped(gt_cpu_i64(to) + k, gt_cpu_i64(from)[k]);
}

int gt_cpu_weigh_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from, struct gt_err *err)
{
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        add_numbers(&acc->weighed[k].sums, &from->weighed[k].sums);
        add_numbers(&acc->weighed[k].alone[0], &from->weighed[k].alone[0]);
        add_numbers(&acc->weighed[k].alone[1], &from->weighed[k].alone[1]);
        add_numbers(&acc->weighed[k].size, &from->weighed[k].size);
        acc->weighed[k].sites += from->weighed[k].sites;
    }
    return check_sizes(acc, err);
}

static int reduce(struct gt_comm *comm, struct gt_buf *buf, struct gt_err *err)
{
    return gt_comm_reduce_i64(comm, gt_cpu_i64(buf), buf->len / sizeof(int64_t), 0, err);
}

int gt_cpu_weigh_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    int status = GT_OK;
    for (int k = 0; k < acc->base.setup.n_planes && !status; k++) {
        struct gt_cpu_weighed *sum = &acc->weighed[k];
        int64_t sites = (int64_t)sum->sites;
        if (!sum->plane)
            continue;
        status = reduce(comm, &sum->sums, err);
        for (int side = 0; side < 2 && !status; side++)
            status = reduce(comm, &sum->alone[side], err);
        if (!status)
            status = reduce(comm, &sum->size, err);
        if (!status)
            status = gt_comm_reduce_i64(comm, &sites, 1, 0, err);
        sum->sites = (uint64_t)sites;
    }
    return status ? status : check_sizes(acc, err);
}

void gt_cpu_weigh_row(const struct gt_cpu_acc *acc, int k, int64_t a, int64_t i, int64_t b, double out[GT_PANEL])
{
    const struct gt_cpu_weighed *sum = &acc->weighed[k];
    if (!sum->plane)
        return;
    static const int64_t none[GT_PANEL] = {0};
    const int64_t *column = gt_cpu_i64(&sum->alone[sides(sum->plane) - 1]) + b * GT_PANEL, *at = none;
    const uint64_t row = sum->sites + (uint64_t)gt_cpu_i64(&sum->alone[0])[a * GT_PANEL + i];
    if (sum->plane->reach != GT_SITE_WEIGHTS_ALONE)
        at = a <= b ? tile_of(acc, sum, a, b) + i * GT_PANEL : tile_of(acc, sum, b, a) + i;
    const int64_t step = a <= b || at == none ? 1 : GT_PANEL;
    for (int64_t j = 0; j < GT_PANEL; j++)
        out[j] += (double)(int64_t)(row + (uint64_t)column[j] + (uint64_t)at[j * step]) * (GT_SITE_UNIT / 2);
}
