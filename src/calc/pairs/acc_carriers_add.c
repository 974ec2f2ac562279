/* What listed sites add. */
#include "calc/pairs/acc_geno.h"

/* --- pairs of carriers ------------------------------------------------------------ */

/* h of a carrier next to another one: `add`, and `more` next to a homozygote. */
struct step {
    uint32_t add, more;
};
static const struct step steps[GT_PAIR_PRODUCTS][2][GT_CARRIER_KINDS] = {
    [GT_PAIR_AGREE] = {{{1, 0}, {1, 1}, {1, 0}}, {{1, 0}, {1, 1}, {1, 0}}},
    [GT_PAIR_DOT] = {{{1, 1}, {2, 2}, {1, 1}}, {{1, 1}, {2, 2}, {1, 1}}},
    [GT_PAIR_ALT] = {{{0, 0}, {0, 1}, {0, 0}}, {{1, 0}, {1, 0}, {1, 0}}},
};

/* carriers: of columns; sums of their tiles begin at `at`. */
static void add_row(uint32_t *sums, int64_t at, const uint32_t *carriers, int64_t n, struct step step)
{
    for (int64_t k = 0; k < n; k++)
        sums[at + (carriers[k] >> 2)] += step.add + (step.more & -(carriers[k] & 1));
}

/* The carriers in panel a as rows, next to all from there on. */
static void add_panel(struct gt_cpu_acc *acc, const struct gt_cpu_carriers *lists, int product, int64_t a)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    const struct gt_cpu_carrier_rows *rows = (const struct gt_cpu_carrier_rows *)(const void *)lists->rows.data;
    const uint32_t *start = (const uint32_t *)(const void *)lists->panel_start.data + (a - acc->panels.row0);
    const uint32_t *carriers = (const uint32_t *)(const void *)lists->carriers.data;
    uint32_t *sums = (uint32_t *)(void *)acc->sums[product].data;
    const int64_t at = gt_cpu_row_of_tiles(acc, a);
    for (uint32_t r = start[0]; r < start[1]; r++) {
        const struct gt_cpu_listed *site = &sites[rows[r].site];
        const struct step *step = steps[product][site->alt];
        const uint32_t first = rows[r].first, from = first > site->column ? first : site->column;
        if (from >= site->end_column)
            continue;
        for (uint32_t k = first; k < site->end && GT_CARRIER_PANEL(carriers[k]) == a; k++) {
            const struct step of = step[carriers[k] & 3];
            if (of.add | of.more)
                add_row(sums, at + GT_CARRIER_LANE(carriers[k]) * GT_PANEL, carriers + from, site->end_column - from, of);
        }
    }
}

static void add_panels(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t from, int64_t to, int64_t by)
{
    for (int64_t a = from; a < to; a += by) {
        for (int d = 0; d < GT_CPU_DENSE; d++)
            if (acc->dense[d])
                add_panel(acc, &block->lists, d, a);
        for (int k = 0; k < acc->base.setup.n_planes; k++)
            if (acc->weighed[k].sums.len)
                gt_cpu_add_listed_weights(acc, &block->lists, k, a);
    }
}

static void add_band(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t a0, int64_t a1)
{
    if (block->lists.n)
        add_panels(acc, block, a0, a1, 1);
    if (block->sparse.n)
        gt_cpu_sparse_add(acc, &block->sparse, a0, a1);
}

/* The last one of the rectangles of a band of panels makes the updates there, when no other thread adds to these sums; without dense
 * sites no part has others. */
void gt_cpu_add_carriers(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t part)
{
    const struct gt_cpu_rect *rect = (const struct gt_cpu_rect *)(const void *)acc->rects.data + part;
    const int64_t side = acc->side, row0 = acc->panels.row0, row1 = acc->panels.row1;
    if (!block->lists.n && !block->sparse.n)
        return;
    if (!block->n_dense && !block->sparse.n) {
        add_panels(acc, block, row0 + part, row1, acc->n_rects);
        return;
    }
    for (int64_t a = row0 + part * side; a < row1 && !block->n_dense; a += acc->n_rects * side)
        add_band(acc, block, a, gt_min_i64(a + side, row1));
    if (!block->n_dense)
        return;
    const int64_t band = (rect->row0 - row0) / side;
    const int32_t rects = (int32_t)gt_ceil_div(acc->panels.column1 - gt_max_i64(rect->row0, acc->panels.column0), side);
    _Atomic int32_t *done = (_Atomic int32_t *)(void *)acc->band_done.data + band;
    if (atomic_fetch_add_explicit(done, 1, memory_order_acq_rel) + 1 < rects)
        return;
    atomic_store_explicit(done, 0, memory_order_relaxed); /* all parts of the next block come after all of this */
    add_band(acc, block, rect->row0, rect->row1);
}

/* --- carriers alone --------------------------------------------------------------- */

/* By bit of gt_cpu_counts and kind: what a carrier has that most have not; next to code 0 or 2 of most. */
static const int8_t changes[2][GT_CPU_BITS][GT_CARRIER_KINDS] = {{{-1, 0, -1}, {0, 1, 0}, {0, 0, 1}},
                                                                 {{-1, 0, -1}, {-1, -1, -1}, {0, 0, 1}}};

/* The last carrier, where it is alone in its panel. */
static void count_last(struct gt_cpu_acc *acc, const struct gt_cpu_listed *site, const uint32_t *carriers)
{
    int64_t *itself = (int64_t *)(void *)acc->listed.alone.data + GT_PAIR_PRODUCTS * acc->n;
    const uint32_t last = carriers[site->end - 1];
    if (site->end - site->first > 1 && GT_CARRIER_PANEL(carriers[site->end - 2]) == GT_CARRIER_PANEL(last))
        return;
    for (int d = 0; d < GT_PAIR_PRODUCTS; d++) {
        const struct step step = steps[d][site->alt][last & 3];
        itself[d * acc->n + GT_CARRIER_SAMPLE(last)] += step.add + (step.more & -(last & 1));
    }
}

static void count_site(struct gt_cpu_acc *acc, const struct gt_cpu_listed *site, const uint32_t *carriers)
{
    int64_t *counts = (int64_t *)(void *)acc->counts.data, *alone = (int64_t *)(void *)acc->listed.alone.data;
    for (uint32_t k = site->first; k < site->end; k++) {
        const int64_t s = GT_CARRIER_SAMPLE(carriers[k]);
        const int kind = carriers[k] & 3;
        for (int b = 0; b < GT_CPU_BITS && !site->in_bits; b++)
            counts[b * acc->n + s] += changes[site->alt][b][kind];
        alone[GT_PAIR_AGREE * acc->n + s] += 1;
        alone[GT_PAIR_DOT * acc->n + s] += kind == GT_CARRIER_HOM ? 2 : 1;
        alone[GT_PAIR_ALT * acc->n + s] += site->alt;
    }
    if (acc->listed.of_last && site->first < site->end)
        count_last(acc, site, carriers);
}

void gt_cpu_add_carrier_counts(struct gt_cpu_acc *acc, const struct gt_cpu_block *block)
{
    const struct gt_cpu_carriers *lists = &block->lists;
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    int64_t *counts = (int64_t *)(void *)acc->counts.data;
    for (int64_t k = 0; k < lists->n; k++)
        count_site(acc, &sites[k], (const uint32_t *)(const void *)lists->carriers.data);
    for (int64_t s = 0; s < acc->n && lists->n; s++) {
        counts[GT_CPU_HOM * acc->n + s] += lists->n - lists->n_in_bits;
        counts[GT_CPU_ALT * acc->n + s] += lists->plain_alt;
    }
    gt_cpu_add_listed_samples(acc, lists);
    acc->listed.sites[GT_PAIR_AGREE] += lists->n;
    acc->listed.sites[GT_PAIR_DOT] += lists->n;
    acc->listed.sites[GT_PAIR_ALT] += lists->n_alt;
}

/* --- all together -------------------------------------------------------------------- */

int gt_cpu_carriers_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    struct gt_cpu_listed_sums *sums = &acc->listed;
    const int status = gt_comm_reduce_i64(comm, (int64_t *)(void *)sums->alone.data, sums->alone.len / sizeof(int64_t), 0, err);
    return status ? status : gt_comm_reduce_i64(comm, sums->sites, GT_PAIR_PRODUCTS, 0, err);
}

void gt_cpu_carriers_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from)
{
    int64_t *to = (int64_t *)(void *)acc->listed.alone.data;
    for (size_t k = 0; k < acc->listed.alone.len / sizeof *to; k++)
        to[k] += ((const int64_t *)(const void *)from->listed.alone.data)[k];
    for (int d = 0; d < GT_PAIR_PRODUCTS; d++)
        acc->listed.sites[d] += from->listed.sites[d];
}

/* Of the samples of a panel; 0 where there is none. */
static void alone_of(const struct gt_cpu_acc *acc, int product, int64_t panel, uint32_t alone[GT_PANEL])
{
    const int64_t *all = (const int64_t *)(const void *)acc->listed.alone.data + product * acc->n;
    for (int64_t k = 0; k < GT_PANEL; k++)
        alone[k] = panel * GT_PANEL + k < acc->n ? (uint32_t)all[panel * GT_PANEL + k] : 0;
}

void gt_cpu_carriers_tile(const struct gt_cpu_acc *acc, int product, int64_t a, int64_t b, int32_t sums[GT_PANEL][GT_PANEL])
{
    uint32_t row[GT_PANEL], column[GT_PANEL];
    if (!acc->listed.alone.len)
        return;
    alone_of(acc, product, a, row);
    alone_of(acc, product, b, column);
    for (int i = 0; i < GT_PANEL; i++)
        for (int j = 0; j < GT_PANEL; j++)
            sums[i][j] = (int32_t)((uint32_t)sums[i][j] + (uint32_t)acc->listed.sites[product] - row[i] - column[j]);
    alone_of(acc, GT_PAIR_PRODUCTS + product, a, row);
    for (int i = 0; i < GT_PANEL && a == b; i++)
        sums[i][i] = (int32_t)((uint32_t)sums[i][i] + row[i]);
}
