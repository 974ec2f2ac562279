#include <stdlib.h>
#include <string.h>

#include "calc/pairs/acc_geno.h"
#include "core/base/mem.h"
#include "core/base/size.h"

/* --- a block made ready ------------------------------------------------------- */

void gt_cpu_block_free(struct gt_acc_block *base)
{
    struct gt_cpu_block *block = (struct gt_cpu_block *)base;
    if (!block)
        return;
    gt_buf_release(&block->codes);
    for (int b = 0; b < GT_CPU_BITS; b++)
        gt_buf_release(&block->bits[b]);
    gt_buf_release(&block->missing);
    gt_buf_release(&block->sums);
    gt_buf_release(&block->counts);
    gt_cpu_weigh_block_free(block);
    gt_cpu_carriers_block_free(block);
    gt_cpu_sparse_block_free(block);
    free(block);
}

static struct gt_cpu_block *new_block(struct gt_budget *budget, struct gt_err *err)
{
    struct gt_cpu_block *block = gt_alloc(1, sizeof *block, err);
    if (!block)
        return NULL;
    block->codes.budget = block->missing.budget = block->sums.budget = block->counts.budget = budget;
    for (int b = 0; b < GT_CPU_BITS; b++)
        block->bits[b].budget = budget;
    gt_cpu_weigh_block_init(block, budget);
    gt_cpu_carriers_block_init(block, budget);
    gt_cpu_sparse_block_init(block, budget);
    return block;
}

static bool wants_alt(const struct gt_cpu_acc *acc, bool sparse)
{
    bool wanted = acc->gap[GT_CPU_ALT] || sparse;
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        wanted |= acc->form[k].row[GT_CPU_ALT] || acc->form[k].column[GT_CPU_ALT];
    return wanted;
}

static size_t bit_stride(const struct gt_cpu_acc *acc)
{
    return (size_t)acc->vectors * (GT_BIT_ROW / 8);
}

/* Into bit rows from `at` on. */
static void split_rows(const struct gt_cpu_acc *acc, const uint8_t *rows, size_t stride, int64_t n, int64_t at, bool alt,
                       struct gt_cpu_block *block)
{
    const size_t to = (size_t)at * bit_stride(acc);
    block->n_missing +=
        acc->kernels->bits_split(rows + acc->first / 4, stride, n, acc->n, bit_stride(acc), block->bits[GT_CPU_HOM].data + to,
                                 alt ? block->bits[GT_CPU_ALT].data + to : NULL, block->bits[GT_CPU_MISSING].data + to);
}

/* Of the listed sites that have missing calls, those that follow each other at once; all: the rows of the block as they came. */
static void split_listed(const struct gt_cpu_acc *acc, const struct gt_rows *all, int64_t at, bool alt, struct gt_cpu_block *block)
{
    const struct gt_cpu_listed *sites = (const struct gt_cpu_listed *)(const void *)block->lists.sites.data;
    for (int64_t s = 0, n; s < block->lists.n; s += n) {
        for (n = 0; s + n < block->lists.n && sites[s + n].in_bits && sites[s + n].row == sites[s].row + n; n++)
            ;
        if (n)
            split_rows(acc, (const uint8_t *)all->data + sites[s].row * all->stride, all->stride, n, at, alt, block);
        at += n;
        n += n == 0;
    }
}

/* The three bits of all codes, by site. */
static int split(const struct gt_cpu_acc *acc, const struct gt_rows *rows, const struct gt_rows *all, bool sparse,
                 struct gt_cpu_block *block, struct gt_err *err)
{
    int status = GT_OK;
    const bool alt = wants_alt(acc, sparse);
    for (int b = 0; b < GT_CPU_BITS && !status; b++)
        if (b != GT_CPU_ALT || alt)
            status = gt_buf_resize(&block->bits[b], (size_t)block->n_bits * bit_stride(acc), err);
    if (status)
        return status;
    split_rows(acc, rows->data, rows->stride, rows->n, 0, alt, block);
    if (block->lists.n_in_bits)
        split_listed(acc, all, rows->n, alt, block);
    return GT_OK;
}

/* Sites that are summed at once, at most: a list has an entry for each. */
enum { STRETCH = 8192 };

static size_t counts_size(const struct gt_cpu_acc *acc)
{
    return (size_t)acc->vectors * GT_BIT_ROW * sizeof(uint32_t);
}

static const uint32_t *sample_counts(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int bit)
{
    return (const uint32_t *)(const void *)(block->counts.data + (size_t)bit * counts_size(acc));
}

static struct gt_bit_counts counts_of(uint8_t *at)
{
    return (struct gt_bit_counts){.at = at, .vector = GT_BIT_ROW * sizeof(uint32_t), .apart = GT_BIT_ROW};
}

/* How often a sample has each bit. */
static int count_samples(const struct gt_cpu_acc *acc, struct gt_cpu_block *block, struct gt_err *err)
{
    uint32_t all[STRETCH];
    int status = gt_buf_resize(&block->sums, GT_CPU_BITS * counts_size(acc), err);
    if (!status)
        status = gt_buf_resize(&block->counts, GT_CPU_BITS * counts_size(acc), err);
    if (status)
        return status;
    for (uint32_t k = 0; k < STRETCH; k++)
        all[k] = k * (uint32_t)bit_stride(acc);
    memset(block->sums.data, 0, block->sums.len);
    for (int b = 0; b < GT_CPU_BITS; b++)
        for (int64_t k = 0; k < block->n_bits && (b != GT_CPU_ALT || wants_alt(acc, false)); k += STRETCH)
            acc->kernels->bits_sum(block->bits[b].data + (size_t)k * bit_stride(acc), all,
                                   block->n_bits - k < STRETCH ? block->n_bits - k : STRETCH, 0, acc->vectors, false,
                                   counts_of(block->sums.data + (size_t)b * counts_size(acc)));
    memcpy(block->counts.data, block->sums.data, block->sums.len);
    acc->kernels->bits_numbers(block->counts.data, GT_CPU_BITS * acc->vectors);
    return GT_OK;
}

/* Which sites each sample misses. */
static int turn_missing(const struct gt_cpu_acc *acc, struct gt_cpu_block *block, struct gt_err *err)
{
    const size_t stride = gt_cpu_column_stride(acc);
    int status = gt_buf_resize(&block->missing, (size_t)gt_ceil_div(block->n_bits, 64) * stride * sizeof(uint64_t), err);
    for (int64_t v = 0; v < acc->vectors && !status; v++)
        acc->kernels->bits_turn(block->bits[GT_CPU_MISSING].data + v * (GT_BIT_ROW / 8), bit_stride(acc), block->n_bits,
                                (uint64_t *)(void *)block->missing.data + v * GT_BIT_ROW, stride);
    return status;
}

/* Rows for codes and bits, of which the first n_dense have codes, and the next n_sparse are sparse; all: those that are listed. */
static int fill_block(struct gt_cpu_acc *acc, const struct gt_rows *rows, const struct gt_rows *all, int64_t n_dense, int64_t n_sparse,
                      struct gt_cpu_block *block, struct gt_err *err)
{
    block->n_bits = rows->n + block->lists.n_in_bits;
    block->n_dense = n_dense;
    block->n_missing = 0;
    block->sparse.n = 0;
    if (!block->n_bits || !acc->n)
        return GT_OK;
    int status = gt_buf_resize(&block->codes, (size_t)(gt_ceil_div(acc->n, GT_PANEL) * acc->pair->bytes(n_dense)), err);
    if (!status)
        status = split(acc, rows, all, n_sparse > 0, block, err);
    if (status)
        return status;
    if (n_dense)
        acc->pair->encode((const uint8_t *)rows->data + acc->first / 4, rows->stride, n_dense, acc->n, block->codes.data);
    status = count_samples(acc, block, err);
    if (!status)
        status = gt_cpu_sparse_prepare(acc, rows, n_dense, n_sparse, block, err);
    if (!status && block->n_missing)
        status = turn_missing(acc, block, err);
    if (!status)
        status = gt_cpu_weigh_prepare(acc, &(struct gt_rows){.data = rows->data, .stride = rows->stride, .n = n_dense}, block, err);
    return !status && block->n_missing ? gt_cpu_make_gaps(acc, err) : status;
}

/* The block to reuse, or a new one. */
static struct gt_cpu_block *block_of(const struct gt_acc *acc, struct gt_acc_block **block, struct gt_err *err)
{
    struct gt_cpu_block *made = *block ? NULL : new_block(acc->setup.budget, err);
    if (made)
        *block = &made->base;
    return (struct gt_cpu_block *)*block;
}

int gt_cpu_prepare(struct gt_acc *base, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    struct gt_cpu_block *to = block_of(base, block, err);
    struct gt_rows left = *rows;
    int64_t n_dense, n_sparse;
    if (!to)
        return GT_FAIL;
    int status = gt_cpu_list(acc, &left, &n_dense, &n_sparse, to, err);
    if (!status)
        status = fill_block(acc, &left, rows, n_dense, n_sparse, to, err);
    to->base = (struct gt_acc_block){
        .sites = rows->n, .any_missing = to->lists.any_missing || to->n_missing, .light = !to->n_dense && !to->sparse.n && !to->n_missing};
    return status;
}

int gt_cpu_rest(struct gt_acc *base, struct gt_acc_block **block, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    struct gt_rows rows;
    int64_t n_dense, n_sparse;
    if (!gt_cpu_is_pending(acc))
        return GT_END;
    struct gt_cpu_block *to = block_of(base, block, err);
    if (!to)
        return GT_FAIL;
    to->base = (struct gt_acc_block){0};
    int status = gt_cpu_take_pending(acc, &rows, &n_dense, &n_sparse, to, err);
    return status ? status : fill_block(acc, &rows, &rows, n_dense, n_sparse, to, err);
}

/* --- pairs of homozygotes -------------------------------------------------------- */

static const uint8_t *panel_of(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t panel)
{
    return block->codes.data + (size_t)(panel * acc->pair->bytes(block->n_dense));
}

static void add_rect(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, const struct gt_cpu_rect *rect)
{
    enum { AT_ONCE = 8 }; /* panels that stay in the second cache while rows pass over them */
    for (int d = 0; d < GT_CPU_DENSE; d++) {
        uint32_t *sums = (uint32_t *)(void *)acc->sums[d].data;
        for (int64_t b0 = rect->column0; acc->dense[d] && b0 < rect->column1; b0 += AT_ONCE)
            for (int64_t a = rect->row0; a < rect->row1; a++) {
                int64_t b = a > b0 ? a : b0, b1 = rect->column1 - b0 < AT_ONCE ? rect->column1 : b0 + AT_ONCE;
                if (b < b1)
                    acc->pair->tile((enum gt_pair_product)d, block->n_dense, panel_of(acc, block, a), panel_of(acc, block, b), b1 - b,
                                    sums + gt_cpu_tile(acc, a, b) * GT_CPU_CELLS);
            }
    }
}

/* --- missing calls, sample by sample ------------------------------------------------- */

/* Sites of a stretch are taken together: as many as make lists of some length, or whose bit
 * rows stay in the second cache for all samples of a chunk; of equal length, whole words. */
static int64_t stretch_of(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block)
{
    enum { LISTED = 128, CACHED = 512 << 10 };
    int64_t listed = LISTED * block->n_bits * acc->n / block->n_missing, cached = CACHED / 2 / (int64_t)bit_stride(acc);
    int64_t sites = listed > cached ? listed : cached, all = block->n_bits;
    int64_t stretches = gt_ceil_div(all, sites > STRETCH ? STRETCH : sites < 64 ? 64 : sites);
    return gt_ceil_div(gt_ceil_div(all, stretches), 64) * 64;
}

/* Bit rows of the sites from `from` on where a sample is missing, or of the others. */
struct sites {
    int64_t from, n;
    bool others;
    uint32_t offsets[STRETCH];
};

/* Finds those of [list->from, to). */
static void list_sites(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t sample, int64_t to, struct sites *list)
{
    const int64_t from = list->from;
    const size_t words = gt_cpu_column_stride(acc);
    const uint64_t *word = (const uint64_t *)(const void *)block->missing.data + (size_t)(from / 64) * words + (size_t)sample;
    int64_t n = 0;
    for (int64_t k = 0; k < to - from; k += 64, word += words) {
        uint64_t there = to - from - k < 64 ? (UINT64_C(1) << (to - from - k)) - 1 : ~UINT64_C(0);
        for (uint64_t bits = list->others ? ~*word & there : *word; bits; bits &= bits - 1)
            list->offsets[n++] = (uint32_t)((k + __builtin_ctzll(bits)) * (int64_t)bit_stride(acc));
    }
    list->n = n;
}

/* The counts of a sample over its missing sites, computed either directly or as the total minus the other sites, whichever has
 * fewer rows. */
static void add_span(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int bit, const struct sites *list,
                     struct gt_cpu_span span, struct gt_buf *counts)
{
    const size_t vector = GT_BIT_ROW * sizeof(uint32_t);
    const struct gt_bit_counts to = gt_cpu_gap_counts(counts, span.at);
    if (list->others && list->from == 0)
        acc->kernels->bits_add(block->sums.data + (size_t)bit * counts_size(acc) + (size_t)span.from * vector, span.to - span.from, to);
    acc->kernels->bits_sum(block->bits[bit].data + (size_t)list->from * bit_stride(acc), list->offsets, list->n, span.from, span.to,
                           list->others, to);
}

static void add_gaps(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t sample, int64_t from, int64_t to)
{
    struct sites list; /* not cleared: it is long */
    int64_t missing = sample_counts(acc, block, GT_CPU_MISSING)[sample];
    if (!missing)
        return;
    list.from = from;
    list.others = missing > block->n_bits / 2;
    list_sites(acc, block, sample, to, &list);
    for (int g = 0; g < GT_CPU_GAPS; g++)
        if (acc->gap[g])
            add_span(acc, block, g, &list, gt_cpu_span_of(&acc->gap_span, sample), &acc->gaps[g]);
    if (acc->both)
        add_span(acc, block, GT_CPU_MISSING, &list, gt_cpu_span_of(&acc->both_span, sample), &acc->both_missing);
}

static void add_chunk(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t chunk)
{
    enum { SAMPLES = 64 };
    if (!block->n_missing)
        return;
    int64_t stretch = stretch_of(acc, block), sites = block->n_bits;
    for (int64_t k = 0; k < sites; k += stretch)
        for (int64_t s = chunk * SAMPLES; s < (chunk + 1) * SAMPLES && s < acc->n; s++)
            add_gaps(acc, block, s, k, sites - k < stretch ? sites : k + stretch);
}

static int add_counts(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, struct gt_err *err)
{
    int64_t *to = (int64_t *)(void *)acc->counts.data;
    const uint32_t *from = (const uint32_t *)(const void *)block->counts.data;
    for (int b = 0; b < GT_CPU_BITS && block->n_bits; b++, to += acc->n, from += acc->vectors * GT_BIT_ROW)
        for (int64_t s = 0; s < acc->n; s++)
            to[s] += from[s];
    gt_cpu_add_carrier_counts(acc, block);
    gt_cpu_sparse_add_counts(acc, &block->sparse);
    acc->base.sites += block->base.sites;
    int status = gt_cpu_weigh_samples(acc, block, err);
    return status ? status : gt_cpu_check_sites(&acc->base, err);
}

int gt_cpu_add(struct gt_acc *base, const struct gt_acc_block *base_block, int64_t part, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    const struct gt_cpu_block *block = (const struct gt_cpu_block *)base_block;
    if (!acc->n)
        return GT_OK;
    const struct gt_cpu_rect *rects = (const struct gt_cpu_rect *)(const void *)acc->rects.data;
    if (part < acc->n_rects) {
        if (block->n_dense) {
            add_rect(acc, block, rects + part);
            gt_cpu_weigh_rect(acc, block, rects + part);
        }
        gt_cpu_add_carriers(acc, block, part);
    } else if (part < acc->n_rects + acc->n_chunks)
        add_chunk(acc, block, part - acc->n_rects);
    else
        return add_counts(acc, block, err);
    return GT_OK;
}
