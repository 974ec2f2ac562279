/* Sparse sites as bit rows, and which of these are summed for each sample. */
#include <math.h>
#include <string.h>

#include "calc/pairs/acc_geno.h"

enum { ROW_BYTES = GT_BIT_ROW / 8, ROW_WORDS = GT_BIT_ROW / 64, COLUMNS = GT_BIT_ROW + 8 /* no conflicts in the cache between words */ };

/* Entries are 16 bits, of two rows a site. */
enum { MOST_ROWS = 1 << 15 };
/* Blocks are as short as this where memory is: pending sites would take many times that of the block. */
enum { FEWEST_ROWS = 64 };

/* --- predictions --------------------------------------------------------------- */

/* Nanoseconds of a site and sample, for its bit rows; and of an entry of a sample. */
#define SAMPLE_NS 0.03
#define ENTRY_NS 3.0

/* Where the bit rows of carriers take as long as a site of the dense kernels.  A vector is summed whole where the columns of a sample
 * begin in it. */
int64_t gt_cpu_most_sparse(const struct gt_cpu_acc *acc)
{
    const double cells = (double)acc->tiles * GT_CPU_CELLS, n = (double)acc->n;
    const double bits = cells / n + GT_BIT_ROW / 2. * GT_PANEL * (acc->panels.row1 - acc->panels.row0) / n;
    double dense = 0, entry = 0;
    for (int d = 0; d < GT_CPU_DENSE; d++)
        if (acc->dense[d]) {
            dense += cells / acc->pair->speed[d];
            entry += ENTRY_NS + bits / gt_kernels()->tally_speed;
        }
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        if (acc->base.setup.planes[k].terms)
            entry = 0;
    const bool short_of_memory = acc->base.setup.rare == GT_RARE_BY_COST && acc->base.setup.block_rows <= FEWEST_ROWS;
    if (entry <= 0 || short_of_memory || acc->base.setup.block_rows > MOST_ROWS || acc->base.setup.rare == GT_RARE_DENSE ||
        acc->base.setup.rare == GT_RARE_LISTS)
        return 0;
    return acc->base.setup.rare == GT_RARE_SPARSE ? 4 * acc->n : (int64_t)fmax(0, fmin(n, (dense - SAMPLE_NS * n) / entry));
}

int64_t gt_cpu_sparse_entries(const struct gt_cpu_acc *acc, const int64_t counts[4])
{
    const int64_t homs = gt_min_i64(counts[0], counts[2]);
    return (counts[1] + counts[3] + 2 * homs) << (homs && acc->dense[GT_PAIR_DOT]);
}

/* --- memory ---------------------------------------------------------------------- */

/* Each sum takes a while whatever the number of its rows: they come from many sites, of which a vector stays in the second cache.  All
 * sums of many samples pass through memory for that: those of more sites are worth their memory. */
int64_t gt_cpu_most_sparse_pending(const struct gt_cpu_acc *acc)
{
    enum { MANY = 8192, MOST = 1 << 12, MOST_OF_MANY = 1 << 13 };
    const bool many = acc->n > MANY;
    return acc->most_sparse ? gt_min_i64(many ? MOST_OF_MANY : MOST, (many ? 16 : 4) * acc->base.setup.block_rows) : 0;
}

static int64_t most_sites(const struct gt_cpu_acc *acc)
{
    return gt_max_i64(gt_cpu_most_sparse_pending(acc), acc->base.setup.block_rows);
}

/* For the columns of a vector, of all sites and of those with homozygotes, and two lists; before that, a bit row of all samples. */
static int64_t turned_bytes(const struct gt_cpu_acc *acc, int64_t sites)
{
    const int64_t turned = 2 * gt_ceil_div(sites, 64) * COLUMNS * (int64_t)sizeof(uint64_t) + 2 * sites * (int64_t)sizeof(uint16_t);
    return gt_max_i64(turned, acc->vectors * ROW_BYTES);
}

int64_t gt_cpu_sparse_block_bytes(const struct gt_cpu_acc *acc)
{
    const int64_t rows = most_sites(acc), samples = (2 * acc->n + 1) * (int64_t)sizeof(uint32_t);
    int64_t products = 0;
    if (!acc->most_sparse)
        return 0;
    for (int d = 0; d < GT_CPU_DENSE; d++)
        products += acc->dense[d];
    return rows * (int64_t)(1 + sizeof(uint32_t)) + 2 * rows * acc->vectors * ROW_BYTES + turned_bytes(acc, rows) + 4 * 64 +
           products * (acc->most_sparse * rows * (int64_t)sizeof(uint16_t) + samples + 3 * 64);
}

static void each_buffer(struct gt_cpu_sparse *sparse, void (*act)(struct gt_buf *buf, struct gt_budget *budget), struct gt_budget *budget)
{
    struct gt_buf *const all[] = {&sparse->order, &sparse->kinds, &sparse->bits, &sparse->turned};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        act(all[k], budget);
    for (int d = 0; d < GT_PAIR_PRODUCTS; d++) {
        act(&sparse->entries[d], budget);
        act(&sparse->start[d], budget);
        act(&sparse->alone[d], budget);
    }
}

static void set_budget(struct gt_buf *buf, struct gt_budget *budget)
{
    buf->budget = budget;
}

static void release(struct gt_buf *buf, struct gt_budget *budget)
{
    (void)budget;
    gt_buf_release(buf);
}

void gt_cpu_sparse_block_init(struct gt_cpu_block *block, struct gt_budget *budget)
{
    each_buffer(&block->sparse, set_budget, budget);
}

void gt_cpu_sparse_block_free(struct gt_cpu_block *block)
{
    each_buffer(&block->sparse, release, NULL);
}

static int make_room(const struct gt_cpu_acc *acc, struct gt_cpu_sparse *sparse, struct gt_err *err)
{
    const int64_t rows = sparse->n + sparse->from[GT_CPU_SPARSE_PLAIN];
    int status = gt_buf_resize(&sparse->bits, (size_t)(rows * acc->vectors * ROW_BYTES), err);
    if (!status)
        status = gt_buf_resize(&sparse->turned, (size_t)turned_bytes(acc, sparse->n), err);
    for (int d = 0; d < GT_CPU_DENSE && !status; d++) {
        if (!acc->dense[d])
            continue;
        status = gt_buf_resize(&sparse->start[d], (size_t)(acc->n + 1) * sizeof(uint32_t), err);
        if (!status)
            status = gt_buf_resize(&sparse->alone[d], (size_t)acc->n * sizeof(int32_t), err);
        if (!status)
            status = gt_buf_resize(&sparse->entries[d], (size_t)sparse->n_entries * sizeof(uint16_t), err);
    }
    return status;
}

/* --- sites ------------------------------------------------------------------------- */

static void find_kinds(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t first, struct gt_cpu_sparse *sparse)
{
    memset(sparse->from, 0, sizeof sparse->from);
    sparse->n_entries = 0;
    for (int64_t k = 0; k < sparse->n; k++) {
        int64_t counts[4];
        acc->kernels->count_codes((const uint8_t *)rows->data + (size_t)(first + k) * rows->stride + acc->first / 4, acc->n, counts);
        const bool alt = counts[2] > counts[0];
        const int64_t homs = alt ? counts[0] : counts[2];
        const int kind = homs ? (alt ? GT_CPU_SPARSE_HOM_ALT : GT_CPU_SPARSE_HOM) : alt ? GT_CPU_SPARSE_ALT : GT_CPU_SPARSE_PLAIN;
        sparse->kinds.data[k] = (uint8_t)kind;
        sparse->from[kind + 1]++;
        sparse->n_entries += gt_cpu_sparse_entries(acc, counts);
    }
    for (int k = 1; k <= GT_CPU_SPARSE_KINDS; k++)
        sparse->from[k] += sparse->from[k - 1];
}

static int order_sites(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t first, struct gt_cpu_sparse *sparse,
                       struct gt_err *err)
{
    int64_t at[GT_CPU_SPARSE_KINDS];
    int status = gt_buf_resize(&sparse->kinds, (size_t)sparse->n, err);
    if (!status)
        status = gt_buf_resize(&sparse->order, (size_t)sparse->n * sizeof(uint32_t), err);
    if (status)
        return status;
    find_kinds(acc, rows, first, sparse);
    memcpy(at, sparse->from, sizeof at);
    for (int64_t k = 0; k < sparse->n; k++)
        ((uint32_t *)(void *)sparse->order.data)[at[sparse->kinds.data[k]]++] = (uint32_t)(first + k);
    return GT_OK;
}

static size_t vector_bytes(const struct gt_cpu_sparse *sparse)
{
    return (size_t)(sparse->n + sparse->from[GT_CPU_SPARSE_PLAIN]) * ROW_BYTES;
}

static uint64_t *bits_of(const struct gt_cpu_sparse *sparse, int64_t v, int64_t row)
{
    return (uint64_t *)(void *)(sparse->bits.data + (size_t)v * vector_bytes(sparse) + row * ROW_BYTES);
}

/* Which samples there are. */
static void mark_samples(uint64_t *there, int64_t n, int64_t words)
{
    for (int64_t w = 0; w < words; w++, n -= 64)
        there[w] = n >= 64 ? ~UINT64_C(0) : n > 0 ? (UINT64_C(1) << n) - 1 : 0;
}

/* Carriers and homozygotes among them, of bit rows of all samples: code is 0 or 2; is 2. */
static void put_rows(const struct gt_cpu_sparse *sparse, int64_t k, int64_t vectors, const uint64_t *there, const uint64_t *hom,
                     const uint64_t *two, bool alt)
{
    const bool homs = k < sparse->from[GT_CPU_SPARSE_PLAIN];
    for (int64_t v = 0; v < vectors; v++, there += ROW_WORDS, hom += ROW_WORDS, two += ROW_WORDS) {
        uint64_t *c = bits_of(sparse, v, k), *h = bits_of(sparse, v, sparse->n + k);
        for (int w = 0; w < ROW_WORDS; w++)
            c[w] = there[w] & (alt ? ~two[w] : ~hom[w] | two[w]);
        for (int w = 0; w < ROW_WORDS && homs; w++)
            h[w] = alt ? hom[w] & ~two[w] : two[w];
    }
}

static void make_rows(const struct gt_cpu_acc *acc, struct gt_cpu_block *block)
{
    struct gt_cpu_sparse *sparse = &block->sparse;
    const uint32_t *order = (const uint32_t *)(const void *)sparse->order.data;
    const size_t stride = (size_t)(acc->vectors * ROW_BYTES);
    uint64_t *there = (uint64_t *)(void *)sparse->turned.data;
    mark_samples(there, acc->n, acc->vectors * ROW_WORDS);
    for (int64_t k = 0; k < sparse->n; k++)
        put_rows(sparse, k, acc->vectors, there, (const uint64_t *)(const void *)(block->bits[GT_CPU_HOM].data + order[k] * stride),
                 (const uint64_t *)(const void *)(block->bits[GT_CPU_ALT].data + order[k] * stride),
                 k < sparse->from[GT_CPU_SPARSE_HOM] || k >= sparse->from[GT_CPU_SPARSE_ALT]);
}

/* --- sample by sample -------------------------------------------------------------- */

struct list {
    uint16_t *sites;
    int64_t n;
};

/* The sites of a column of words. */
static void find_sites(const uint64_t *word, int64_t n_words, struct list *list)
{
    int64_t n = 0;
    for (int64_t w = 0; w < n_words; w++, word += COLUMNS)
        for (uint64_t bits = *word; bits; bits &= bits - 1)
            list->sites[n++] = (uint16_t)(w * 64 + __builtin_ctzll(bits));
    list->n = n;
}

/* How many of a list are below `site`. */
static int64_t count_below(const struct list *list, int64_t site)
{
    int64_t from = 0, to = list->n;
    while (from < to) {
        const int64_t at = (from + to) / 2;
        if (list->sites[at] < site)
            from = at + 1;
        else
            to = at;
    }
    return from;
}

/* Rows of sites [from, to) of a list, `at` before those of its sites. */
static uint16_t *put_entries(uint16_t *out, const struct list *list, int64_t from, int64_t to, int64_t at)
{
    for (int64_t k = from; k < to; k++)
        *out++ = (uint16_t)(list->sites[k] + at);
    return out;
}

/* Where parts of the lists of a sample's sites, as carrier and as homozygote, end: before those that are not alt, before those without
 * homozygotes; before those that are alt again. */
struct ends {
    int64_t alt, homs, last, hom_alt;
};

/* h is in row n + k of site k. */
static uint16_t *put_product(uint16_t *out, int product, int64_t n, const struct list *c, const struct list *h, const struct ends *ends)
{
    if (product == GT_PAIR_ALT) {
        out = put_entries(out, c, 0, ends->alt, 0);
        out = put_entries(out, c, ends->last, c->n, 0);
        return put_entries(out, h, ends->hom_alt, h->n, n);
    }
    out = put_entries(out, c, 0, c->n, 0);
    if (product == GT_PAIR_DOT) {
        out = put_entries(out, c, 0, ends->homs, n);
        out = put_entries(out, h, 0, h->n, 0);
    }
    return put_entries(out, h, 0, h->n, n);
}

static int32_t count_alone(int product, const struct list *c, const struct list *h, const struct ends *ends)
{
    if (product == GT_PAIR_ALT)
        return (int32_t)(ends->alt + c->n - ends->last);
    return (int32_t)(product == GT_PAIR_DOT ? c->n + h->n : c->n);
}

static struct ends ends_of(const struct gt_cpu_sparse *sparse, const struct list *c, const struct list *h)
{
    const int64_t *from = sparse->from;
    struct ends ends = {.last = c->n};
    if (from[GT_CPU_SPARSE_HOM]) {
        ends.alt = count_below(c, from[GT_CPU_SPARSE_HOM]);
        ends.hom_alt = count_below(h, from[GT_CPU_SPARSE_HOM]);
    }
    if (from[GT_CPU_SPARSE_PLAIN])
        ends.homs = count_below(c, from[GT_CPU_SPARSE_PLAIN]);
    if (from[GT_CPU_SPARSE_ALT] < sparse->n)
        ends.last = count_below(c, from[GT_CPU_SPARSE_ALT]);
    return ends;
}

/* Samples of a vector; at: entries so far, by product. */
static void list_vector(const struct gt_cpu_acc *acc, struct gt_cpu_sparse *sparse, int64_t v, int64_t at[GT_CPU_DENSE])
{
    const int64_t n = sparse->n, n_homs = sparse->from[GT_CPU_SPARSE_PLAIN], words = gt_ceil_div(n, 64),
                  hom_words = gt_ceil_div(n_homs, 64);
    uint64_t *turned = (uint64_t *)(void *)sparse->turned.data, *turned_homs = turned + words * COLUMNS;
    struct list c = {.sites = (uint16_t *)(turned_homs + words * COLUMNS)}, h = {.sites = c.sites + n};
    acc->kernels->bits_turn((const uint8_t *)bits_of(sparse, v, 0), ROW_BYTES, n, turned, COLUMNS);
    acc->kernels->bits_turn((const uint8_t *)bits_of(sparse, v, n), ROW_BYTES, n_homs, turned_homs, COLUMNS);
    for (int64_t s = v * GT_BIT_ROW; s < acc->n && s < (v + 1) * GT_BIT_ROW; s++) {
        find_sites(turned + s % GT_BIT_ROW, words, &c);
        find_sites(turned_homs + s % GT_BIT_ROW, hom_words, &h);
        const struct ends ends = ends_of(sparse, &c, &h);
        const bool row = s / GT_PANEL >= acc->panels.row0 && s / GT_PANEL < acc->panels.row1;
        for (int d = 0; d < GT_CPU_DENSE; d++) {
            uint16_t *entries = (uint16_t *)(void *)sparse->entries[d].data;
            if (!acc->dense[d])
                continue;
            ((uint32_t *)(void *)sparse->start[d].data)[s] = (uint32_t)at[d];
            ((int32_t *)(void *)sparse->alone[d].data)[s] = count_alone(d, &c, &h, &ends);
            if (row)
                at[d] = put_product(entries + at[d], d, n, &c, &h, &ends) - entries;
        }
    }
}

int gt_cpu_sparse_prepare(const struct gt_cpu_acc *acc, const struct gt_rows *rows, int64_t first, int64_t n, struct gt_cpu_block *block,
                          struct gt_err *err)
{
    struct gt_cpu_sparse *sparse = &block->sparse;
    int64_t at[GT_CPU_DENSE] = {0};
    sparse->n = n;
    if (!n)
        return GT_OK;
    int status = order_sites(acc, rows, first, sparse, err);
    if (!status)
        status = make_room(acc, sparse, err);
    if (status)
        return status;
    make_rows(acc, block);
    for (int64_t v = 0; v < acc->vectors; v++)
        list_vector(acc, sparse, v, at);
    for (int d = 0; d < GT_CPU_DENSE; d++)
        if (acc->dense[d])
            ((uint32_t *)(void *)sparse->start[d].data)[acc->n] = (uint32_t)at[d];
    return GT_OK;
}

/* --- sums ------------------------------------------------------------------------- */

/* Of product d, over the columns of vector v. */
static void add_vector(struct gt_cpu_acc *acc, const struct gt_cpu_sparse *sparse, int d, int64_t a, int64_t v)
{
    const int64_t panels = GT_BIT_ROW / GT_PANEL, before = v * panels, last = gt_min_i64(acc->panels.column1, before + panels);
    const int64_t from = gt_max_i64(gt_max_i64(acc->panels.column0, before), a);
    const uint32_t *start = (const uint32_t *)(const void *)sparse->start[d].data;
    const uint16_t *entries = (const uint16_t *)(const void *)sparse->entries[d].data;
    if (from >= last)
        return;
    uint32_t *sums = (uint32_t *)(void *)acc->sums[d].data + gt_cpu_tile(acc, a, from) * GT_CPU_CELLS;
    for (int64_t s = a * GT_PANEL; s < (a + 1) * GT_PANEL && s < acc->n; s++, sums += GT_PANEL)
        acc->kernels->bits_tally((const uint8_t *)bits_of(sparse, v, 0), entries + start[s], start[s + 1] - start[s], from - before,
                                 last - before, sums);
}

/* Rows of a vector stay in the second cache while samples pass over them. */
void gt_cpu_sparse_add(struct gt_cpu_acc *acc, const struct gt_cpu_sparse *sparse, int64_t a0, int64_t a1)
{
    for (int d = 0; d < GT_CPU_DENSE; d++)
        for (int64_t v = 0; v < acc->vectors && acc->dense[d]; v++)
            for (int64_t a = a0; a < a1; a++)
                add_vector(acc, sparse, d, a, v);
}

void gt_cpu_sparse_add_counts(struct gt_cpu_acc *acc, const struct gt_cpu_sparse *sparse)
{
    const int64_t alts = sparse->from[GT_CPU_SPARSE_HOM] + sparse->n - sparse->from[GT_CPU_SPARSE_ALT];
    for (int d = 0; d < GT_CPU_DENSE && sparse->n; d++) {
        int64_t *to = (int64_t *)(void *)acc->listed.alone.data + d * acc->n;
        const int32_t *alone = (const int32_t *)(const void *)sparse->alone[d].data;
        for (int64_t s = 0; s < acc->n && acc->dense[d]; s++)
            to[s] += alone[s];
        acc->listed.sites[d] += d == GT_PAIR_ALT ? alts : sparse->n;
    }
}
