/* Lists of carriers: which sites are listed, and where the others go. */
#include <math.h>
#include <string.h>

#include "calc/pairs/acc_geno.h"

/* --- predictions --------------------------------------------------------------- */

/* Nanoseconds of an update, of a row of updates (the end of its loop is mispredicted), and of listing a site. */
#define UPDATE_NS 3.5
#define ROW_NS 15.0
#define SITE_NS 60.0
/* Of a sum to which pending sparse sites are added, which is read and written once for all of them. */
#define SUM_NS 0.8
/* With more samples than this, updates wait for memory, and listing more sites saves nothing. */
enum { SUMS_IN_CACHE = 8192 };

/* With fewer sites that are listed or sparse, one in so many, less is saved than it costs to move the others: but those of short blocks
 * are always gathered, so that sums are not gone through for few sites. */
enum { FEWEST = 16 };
/* Rows that are encoded together, at the most: sums are read and written once for all of them. */
enum { GATHERED = 4096 };

static bool has_products(const struct gt_plane *plane)
{
    return plane->terms && plane->reach == GT_SITE_WEIGHTS_PRODUCTS;
}

/* Where an update of each pair of carriers takes as long as a site of the dense kernels, or as its bit rows. */
int64_t gt_cpu_most_carriers(const struct gt_cpu_acc *acc)
{
    const double cells = (double)acc->tiles * GT_CPU_CELLS, n = (double)acc->n;
    double dense = 0, updates = 0;
    if (acc->base.setup.rare == GT_RARE_DENSE || acc->base.setup.rare == GT_RARE_SPARSE)
        return 0;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        if (has_products(&acc->base.setup.planes[k])) {
            dense += cells * gt_cpu_weight_digits(&acc->base.setup) / gt_kernels()->weigh_speed;
            updates++;
        }
    for (int d = 0; d < GT_CPU_DENSE; d++)
        if (acc->dense[d]) {
            dense += cells / acc->pair->speed[d];
            updates++;
        }
    if (acc->base.setup.rare == GT_RARE_LISTS)
        return acc->n;
    if (!updates || dense <= SITE_NS)
        return 0;
    /* dense = SITE_NS + updates (ROW_NS c + UPDATE_NS in_box c^2 / 2) */
    const double in_box = fmin(1, 2 * cells / (n * n)), a = updates * UPDATE_NS * in_box / 2, b = updates * ROW_NS;
    const double most = fmin(n, (sqrt(b * b + 4 * a * (dense - SITE_NS)) - b) / (2 * a));
    if (!acc->most_sparse)
        return (int64_t)most;
    /* A sparse site takes dense / most_sparse nanoseconds for a carrier, more with homozygotes, and its share of the sums:
     * share + entry c = b c + a c^2 */
    const double entry = dense / (double)acc->most_sparse - b;
    const double share = acc->n > SUMS_IN_CACHE ? 0 : updates * SUM_NS * cells / (double)gt_cpu_most_sparse_pending(acc);
    return (int64_t)fmin(most, fmax(4, (entry + sqrt(entry * entry + 4 * a * share)) / (2 * a)));
}

/* --- memory ---------------------------------------------------------------------- */

static size_t row_bytes(const struct gt_cpu_acc *acc)
{
    return ((size_t)acc->base.setup.n_samples + 3) / 4;
}

/* Carriers of a block, at the most; that many are rarely met, so that it need not be all of every site. */
static int64_t room_for_carriers(const struct gt_cpu_acc *acc)
{
    const int64_t each = acc->base.setup.rare == GT_RARE_LISTS ? acc->most_carriers : gt_max_i64(8, acc->most_carriers / 2);
    return acc->most_carriers ? each * acc->base.setup.block_rows : 0;
}

/* Are sites listed or sparse? */
static bool has_lists(const struct gt_cpu_acc *acc)
{
    return acc->most_carriers || acc->most_sparse;
}

int64_t gt_cpu_most_pending(const struct gt_cpu_acc *acc)
{
    int64_t most = gt_min_i64(GATHERED, 2 * acc->base.setup.block_rows);
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        if (acc->base.setup.planes[k].terms)
            most = gt_max_i64(1, gt_min_i64(GATHERED, acc->base.setup.block_rows / 2));
    return has_lists(acc) ? most : 0;
}

int64_t gt_cpu_carriers_sums_bytes(const struct gt_cpu_acc *acc)
{
    if (!has_lists(acc))
        return 0;
    return 2 * GT_PAIR_PRODUCTS * acc->n * (int64_t)sizeof(int64_t) + (acc->panels.row1 - acc->panels.row0) * (int64_t)sizeof(int32_t) +
           2 * 64;
}

/* Every block counts pending rows, though there is one set of them: so that what a box of sums takes does not depend on blocks. */
int64_t gt_cpu_carriers_block_bytes(const struct gt_cpu_acc *acc)
{
    const int64_t rows = acc->base.setup.block_rows, panels = acc->panels.row1 - acc->panels.row0;
    int64_t weighed = 0;
    if (!has_lists(acc))
        return 0;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        weighed += acc->base.setup.planes[k].terms != NULL;
    return (room_for_carriers(acc) + acc->n) * (int64_t)(sizeof(uint32_t) + sizeof(struct gt_cpu_carrier_rows)) +
           rows * (int64_t)(sizeof(struct gt_cpu_listed) + 2 * sizeof(uint32_t)) + (panels + 1) * (int64_t)sizeof(uint32_t) +
           (rows + 2 * (gt_cpu_most_pending(acc) + gt_cpu_most_sparse_pending(acc))) * (int64_t)row_bytes(acc) + 3 * GT_KERNEL_PAD +
           9 * 64 + weighed * (rows * (int64_t)sizeof(struct gt_cpu_listed_weights) + 64);
}

int gt_cpu_carriers_init(struct gt_cpu_acc *acc, struct gt_err *err)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const int64_t bands = gt_ceil_div(acc->panels.row1 - acc->panels.row0, acc->side);
    if (!has_lists(acc))
        return GT_OK;
    acc->listed.alone.budget = acc->band_done.budget = setup->sums ? setup->sums : setup->budget;
    acc->pending.rows.budget = acc->pending_sparse.rows.budget = setup->budget;
    acc->pending.most = gt_cpu_most_pending(acc);
    acc->pending_sparse.most = gt_cpu_most_sparse_pending(acc);
    acc->listed.of_last = true;
    for (int k = 0; k < setup->n_planes; k++)
        acc->listed.of_last &= acc->weighed[k].sums.len == 0;
    int status = gt_buf_reserve(&acc->pending.rows, (size_t)acc->pending.most * row_bytes(acc) + GT_KERNEL_PAD, err);
    if (!status && acc->most_sparse)
        status = gt_buf_reserve(&acc->pending_sparse.rows, (size_t)acc->pending_sparse.most * row_bytes(acc) + GT_KERNEL_PAD, err);
    if (!status)
        status = gt_buf_zeros(&acc->listed.alone, (size_t)(2 * GT_PAIR_PRODUCTS * acc->n) * sizeof(int64_t), err);
    if (!status)
        status = gt_buf_zeros(&acc->band_done, (size_t)bands * sizeof(_Atomic int32_t), err);
    return status;
}

void gt_cpu_carriers_free(struct gt_cpu_acc *acc)
{
    gt_buf_release(&acc->pending.rows);
    gt_buf_release(&acc->pending_sparse.rows);
    gt_buf_release(&acc->listed.alone);
    gt_buf_release(&acc->band_done);
}

void gt_cpu_carriers_block_init(struct gt_cpu_block *block, struct gt_budget *budget)
{
    struct gt_cpu_carriers *lists = &block->lists;
    lists->sites.budget = lists->carriers.budget = lists->rows.budget = lists->panel_start.budget = lists->dense.budget =
        lists->sparse.budget = lists->gathered.budget = budget;
    for (int k = 0; k < GT_MAX_PLANES; k++)
        lists->weights[k].budget = budget;
}

void gt_cpu_carriers_block_free(struct gt_cpu_block *block)
{
    struct gt_cpu_carriers *lists = &block->lists;
    gt_buf_release(&lists->sites);
    gt_buf_release(&lists->carriers);
    gt_buf_release(&lists->rows);
    gt_buf_release(&lists->panel_start);
    gt_buf_release(&lists->dense);
    gt_buf_release(&lists->sparse);
    gt_buf_release(&lists->gathered);
    for (int k = 0; k < GT_MAX_PLANES; k++)
        gt_buf_release(&lists->weights[k]);
}

/* --- lists ------------------------------------------------------------------------- */

static const uint8_t *row_at(const struct gt_rows *rows, int64_t v)
{
    return (const uint8_t *)rows->data + (size_t)v * rows->stride;
}

static int make_room(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_carriers *lists, struct gt_err *err)
{
    int status = gt_buf_reserve(&lists->sites, (size_t)rows->n * sizeof(struct gt_cpu_listed), err);
    if (!status)
        status = gt_buf_reserve(&lists->dense, (size_t)rows->n * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_reserve(&lists->sparse, (size_t)rows->n * sizeof(uint32_t), err);
    return status ? status : gt_buf_reserve(&lists->carriers, (size_t)(room_for_carriers(acc) + acc->n) * sizeof(uint32_t), err);
}

/* The first carrier of [from, end) in panel `panel` or after it. */
static uint32_t first_from(const uint32_t *carriers, uint32_t from, uint32_t end, int64_t panel)
{
    while (from < end && GT_CARRIER_PANEL(carriers[from]) < panel)
        from++;
    return from;
}

/* Site v, of which the n carriers were put behind the others. */
static void add_site(const struct gt_cpu_acc *acc, int64_t v, bool alt, int64_t n, struct gt_cpu_carriers *lists)
{
    const uint32_t *carriers = (const uint32_t *)(const void *)lists->carriers.data;
    struct gt_cpu_listed *site = (struct gt_cpu_listed *)(void *)lists->sites.data + lists->n++;
    bool missing = false;
    site->first = (uint32_t)lists->n_carriers;
    lists->n_carriers += n;
    site->end = (uint32_t)lists->n_carriers;
    for (uint32_t k = site->first; k < site->end; k++)
        missing |= (carriers[k] & 3) == GT_CARRIER_MISSING;
    site->column = acc->panels.column0 ? first_from(carriers, site->first, site->end, acc->panels.column0) : site->first;
    site->end_column = site->end;
    if (acc->panels.column1 < gt_cpu_panels(acc))
        site->end_column = first_from(carriers, site->column, site->end, acc->panels.column1);
    site->row = (uint32_t)v;
    site->alt = alt;
    site->in_bits = acc->n_chunks && missing;
    lists->any_missing |= missing;
    lists->n_alt += alt;
    lists->plain_alt += alt && !site->in_bits;
    lists->n_in_bits += site->in_bits;
}

static int64_t find_carriers(const struct gt_cpu_acc *acc, const uint8_t *row, bool alt, int64_t most, struct gt_cpu_carriers *lists)
{
    uint32_t *carriers = (uint32_t *)(void *)lists->carriers.data;
    return acc->kernels->list_carriers(row, acc->n, alt ? 2 : 0, most, carriers + lists->n_carriers);
}

/* Lists a site of at most so many carriers without counting its codes, if the first samples have what most have. */
static bool list_at_once(const struct gt_cpu_acc *acc, const uint8_t *row, int64_t v, int64_t most, struct gt_cpu_carriers *lists)
{
    const bool alt = *row == 0xaa;
    const int64_t n = find_carriers(acc, row, alt, most, lists);
    if (n > most || 2 * n >= acc->n)
        return false;
    add_site(acc, v, alt, n, lists);
    return true;
}

static void clear(struct gt_cpu_carriers *lists)
{
    lists->n = lists->n_carriers = lists->n_dense = lists->n_sparse = lists->n_in_bits = lists->n_alt = lists->plain_alt = 0;
    lists->any_missing = false;
}

/* Lists are made with branches that are hard to predict, so that loads do not run ahead by themselves. */
static void fetch_row(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t v)
{
    enum { LINE = 64, MOST_LINES = 32 };
    const uint8_t *row = row_at(rows, v) + acc->first / 4;
    for (int64_t at = 0; v < rows->n && at < acc->n / 4 && at < MOST_LINES * LINE; at += LINE)
        __builtin_prefetch(row + at);
}

static void list_sites(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_carriers *lists)
{
    enum { AHEAD = 3 };
    const bool listed = acc->most_carriers && acc->base.setup.rare != GT_RARE_SPARSE;
    const int64_t room = room_for_carriers(acc);
    uint32_t *dense = (uint32_t *)(void *)lists->dense.data, *sparse = (uint32_t *)(void *)lists->sparse.data;
    for (int64_t v = 0; v < rows->n; v++) {
        const uint8_t *row = row_at(rows, v) + acc->first / 4;
        const int64_t most = gt_min_i64(acc->most_carriers, room - lists->n_carriers);
        int64_t counts[4];
        fetch_row(acc, rows, v + AHEAD);
        if (listed && list_at_once(acc, row, v, most, lists))
            continue;
        acc->kernels->count_codes(row, acc->n, counts);
        lists->any_missing |= counts[3] > 0;
        if (listed && acc->n - gt_max_i64(counts[0], counts[2]) <= most)
            add_site(acc, v, counts[2] > counts[0], find_carriers(acc, row, counts[2] > counts[0], acc->n, lists), lists);
        else if (acc->most_sparse && gt_cpu_sparse_entries(acc, counts) <= acc->most_sparse)
            sparse[lists->n_sparse++] = (uint32_t)v;
        else
            dense[lists->n_dense++] = (uint32_t)v;
    }
}

/* Rows of carriers by panels: counted, then put where those of their panel begin. */
static int sort_rows(const struct gt_cpu_acc *acc, struct gt_cpu_carriers *lists, struct gt_err *err)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)lists->sites.data;
    const uint32_t *carriers = (const uint32_t *)(const void *)lists->carriers.data;
    const int64_t panels = acc->panels.row1 - acc->panels.row0;
    int status = gt_buf_zeros(&lists->panel_start, (size_t)(panels + 2) * sizeof(uint32_t), err);
    uint32_t *start = (uint32_t *)(void *)lists->panel_start.data;
    for (int pass = 0; pass < 2 && !status; pass++) {
        struct gt_cpu_carrier_rows *rows = (struct gt_cpu_carrier_rows *)(void *)lists->rows.data;
        for (int64_t s = 0; s < lists->n; s++) {
            int64_t last = -1;
            for (uint32_t k = sites[s].first; k < sites[s].end; k++) {
                const int64_t panel = GT_CARRIER_PANEL(carriers[k]) - acc->panels.row0;
                if (panel == last || panel < 0 || panel >= panels || (acc->listed.of_last && k + 1 == sites[s].end))
                    continue;
                last = panel;
                if (pass)
                    rows[start[panel + 1]++] = (struct gt_cpu_carrier_rows){(uint32_t)s, k};
                else
                    start[panel + 2]++;
            }
        }
        for (int64_t p = 2; p < panels + 2 && !pass; p++)
            start[p] += start[p - 1];
        if (!pass)
            status = gt_buf_resize(&lists->rows, start[panels + 1] * sizeof *rows, err);
    }
    return status;
}

/* --- the other rows ------------------------------------------------------------------ */

static void copy_row(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t v, struct gt_buf *to, int64_t at)
{
    memcpy(to->data + (size_t)at * row_bytes(acc), row_at(rows, v), row_bytes(acc));
}

/* Rows of a kind that come with this block, after `at` others: none, or its own and pending ones; or, if rows is NULL, all that are
 * pending.  Returns their number. */
static int64_t gather_kind(struct gt_cpu_acc *acc, struct gt_cpu_pending *pending, const struct gt_rows *rows, const uint32_t *own,
                           int64_t n, struct gt_buf *gathered, int64_t at)
{
    pthread_mutex_lock(&acc->lock);
    const bool enough = !rows || (n && pending->n + n >= pending->most);
    const int64_t more = enough ? gt_min_i64(pending->n, gt_max_i64(0, pending->most - n)) : 0;
    pending->n -= more;
    if (more)
        memcpy(gathered->data + (size_t)at * row_bytes(acc), pending->rows.data + (size_t)pending->n * row_bytes(acc),
               (size_t)more * row_bytes(acc));
    for (int64_t k = 0; k < n && !enough; k++)
        copy_row(acc, rows, own[k], &pending->rows, pending->n++);
    pthread_mutex_unlock(&acc->lock);
    for (int64_t k = 0; k < n && enough; k++)
        copy_row(acc, rows, own[k], gathered, at + more + k);
    return enough ? more + n : 0;
}

/* The rows of a block that were not listed, or, if rows is NULL, all that are pending. */
static int gather(struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_rows *gathered, int64_t *n_dense, int64_t *n_sparse,
                  struct gt_cpu_carriers *lists, struct gt_err *err)
{
    const int64_t most = gt_max_i64(lists->n_dense, acc->pending.most) + gt_max_i64(lists->n_sparse, acc->pending_sparse.most);
    const int status = gt_buf_reserve(&lists->gathered, (size_t)most * row_bytes(acc) + GT_KERNEL_PAD, err);
    if (status)
        return status;
    *n_dense =
        gather_kind(acc, &acc->pending, rows, (const uint32_t *)(const void *)lists->dense.data, lists->n_dense, &lists->gathered, 0);
    *n_sparse = gather_kind(acc, &acc->pending_sparse, rows, (const uint32_t *)(const void *)lists->sparse.data, lists->n_sparse,
                            &lists->gathered, *n_dense);
    *gathered = (struct gt_rows){.data = lists->gathered.data, .stride = row_bytes(acc), .n = *n_dense + *n_sparse};
    return GT_OK;
}

int gt_cpu_list(struct gt_cpu_acc *acc, struct gt_rows *rows, int64_t *n_dense, int64_t *n_sparse, struct gt_cpu_block *block,
                struct gt_err *err)
{
    struct gt_cpu_carriers *lists = &block->lists;
    clear(lists);
    *n_dense = rows->n;
    *n_sparse = 0;
    if (!has_lists(acc) || !rows->n || !acc->n)
        return GT_OK;
    int status = make_room(acc, rows, lists, err);
    if (status)
        return status;
    list_sites(acc, rows, lists);
    if (acc->base.setup.rare == GT_RARE_BY_COST && 2 * rows->n >= acc->pending.most && (lists->n + lists->n_sparse) * FEWEST < rows->n) {
        clear(lists);
        return GT_OK;
    }
    status = sort_rows(acc, lists, err);
    if (!status)
        status = gt_cpu_list_weights(acc, rows, lists, err);
    return status ? status : gather(acc, rows, rows, n_dense, n_sparse, lists, err);
}

bool gt_cpu_is_pending(const struct gt_cpu_acc *acc)
{
    return acc->pending.n + acc->pending_sparse.n > 0;
}

int gt_cpu_take_pending(struct gt_cpu_acc *acc, struct gt_rows *rows, int64_t *n_dense, int64_t *n_sparse, struct gt_cpu_block *block,
                        struct gt_err *err)
{
    clear(&block->lists);
    return gather(acc, NULL, rows, n_dense, n_sparse, &block->lists, err);
}
