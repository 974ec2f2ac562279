#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/acc_cpu.h"

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
    gt_buf_release(&block->counts);
    free(block);
}

static struct gt_cpu_block *new_block(struct gt_budget *budget, struct gt_err *err)
{
    struct gt_cpu_block *block = gt_alloc(1, sizeof *block, err);
    if (!block)
        return NULL;
    block->codes.budget = block->missing.budget = block->counts.budget = budget;
    for (int b = 0; b < GT_CPU_BITS; b++)
        block->bits[b].budget = budget;
    return block;
}

static bool wants_alt(const struct gt_cpu_acc *acc)
{
    bool wanted = acc->gap[GT_CPU_ALT];
    for (int k = 0; k < acc->base.setup.n_planes; k++)
        wanted |= acc->form[k].row[GT_CPU_ALT] || acc->form[k].column[GT_CPU_ALT];
    return wanted;
}

static size_t bit_stride(const struct gt_cpu_acc *acc)
{
    return (size_t)acc->vectors * (GT_BIT_ROW / 8);
}

/* The three bits of all codes, by site. */
static int split(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, int64_t *n_missing,
                 struct gt_err *err)
{
    int status = GT_OK;
    for (int b = 0; b < GT_CPU_BITS && !status; b++)
        if (b != GT_CPU_ALT || wants_alt(acc))
            status = gt_buf_resize(&block->bits[b], (size_t)rows->n * bit_stride(acc), err);
    if (status)
        return status;
    *n_missing = acc->kernels->bits_split((const uint8_t *)rows->data + acc->first / 4, rows->stride, rows->n, acc->n, bit_stride(acc),
                                          block->bits[GT_CPU_HOM].data, block->bits[GT_CPU_ALT].data, block->bits[GT_CPU_MISSING].data);
    return GT_OK;
}

/* Sites that are summed at once; their numbers, from the first of them, stand in a list. */
enum { STRETCH = 8192 };

static void number_sites(uint32_t list[STRETCH])
{
    for (uint32_t k = 0; k < STRETCH; k++)
        list[k] = k;
}

/* How often a sample has each bit. */
static int count_samples(const struct gt_cpu_acc *acc, struct gt_cpu_block *block, struct gt_err *err)
{
    uint32_t all[STRETCH];
    size_t n = (size_t)acc->vectors * GT_BIT_ROW;
    int status = gt_buf_resize(&block->counts, n * GT_CPU_BITS * sizeof(uint32_t), err);
    if (status)
        return status;
    uint32_t *counts = (uint32_t *)(void *)block->counts.data;
    memset(counts, 0, block->counts.len);
    number_sites(all);
    for (int b = 0; b < GT_CPU_BITS; b++, counts += n) {
        if (!block->bits[b].len || (b == GT_CPU_MISSING && !block->base.any_missing))
            continue;
        for (int64_t k = 0; k < block->base.sites; k += STRETCH) {
            int64_t sites = block->base.sites - k < STRETCH ? block->base.sites - k : STRETCH;
            acc->kernels->bits_sum(block->bits[b].data + (size_t)k * bit_stride(acc), bit_stride(acc), all, sites, 0, acc->vectors,
                                   (uint8_t *)counts);
        }
        acc->kernels->bits_numbers((uint8_t *)counts, acc->vectors);
    }
    return GT_OK;
}

/* Which sites each sample misses. */
static int turn_missing(const struct gt_cpu_acc *acc, struct gt_cpu_block *block, struct gt_err *err)
{
    const size_t stride = gt_cpu_column_stride(acc);
    int status = gt_buf_resize(&block->missing, (size_t)gt_ceil_div(block->base.sites, 64) * stride * sizeof(uint64_t), err);
    for (int64_t v = 0; v < acc->vectors && !status; v++)
        acc->kernels->bits_turn(block->bits[GT_CPU_MISSING].data + v * (GT_BIT_ROW / 8), bit_stride(acc), block->base.sites,
                                (uint64_t *)(void *)block->missing.data + v * GT_BIT_ROW, stride);
    return status;
}

static int fill_block(struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_err *err)
{
    int64_t n_missing;
    block->base.sites = rows->n;
    if (!rows->n || !acc->n)
        return GT_OK;
    int status = gt_buf_resize(&block->codes, (size_t)(gt_ceil_div(acc->n, GT_PANEL) * acc->kernels->pair_bytes(rows->n)), err);
    if (!status)
        status = split(acc, rows, block, &n_missing, err);
    if (status)
        return status;
    acc->kernels->pair_encode((const uint8_t *)rows->data + acc->first / 4, rows->stride, rows->n, acc->n, block->codes.data);
    block->base.any_missing = n_missing > 0;
    status = count_samples(acc, block, err);
    if (!status && block->base.any_missing)
        status = turn_missing(acc, block, err);
    return !status && block->base.any_missing ? gt_cpu_make_gaps(acc, err) : status;
}

int gt_cpu_prepare(struct gt_acc *base, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err)
{
    if (!*block) {
        struct gt_cpu_block *made = new_block(base->setup.budget, err);
        if (!made)
            return GT_FAIL;
        *block = &made->base;
    }
    (*block)->any_missing = false;
    return fill_block((struct gt_cpu_acc *)base, rows, (struct gt_cpu_block *)*block, err);
}

/* --- pairs of homozygotes -------------------------------------------------------- */

static const uint8_t *panel_of(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t panel)
{
    return block->codes.data + (size_t)(panel * acc->kernels->pair_bytes(block->base.sites));
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
                    acc->kernels->pair_tile((enum gt_pair_form)d, block->base.sites, panel_of(acc, block, a), panel_of(acc, block, b),
                                            b1 - b, sums + gt_cpu_tile(acc, a, b) * GT_CPU_CELLS);
            }
    }
}

/* --- missing calls, sample by sample ------------------------------------------------- */

/* Sites of words [from, to) that a sample misses; how many. */
static int64_t list_missing(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t sample, int64_t from, int64_t to,
                            uint32_t *list)
{
    const size_t stride = gt_cpu_column_stride(acc);
    const uint64_t *word = (const uint64_t *)(const void *)block->missing.data + (size_t)from * stride + (size_t)sample;
    int64_t n = 0;
    for (int64_t w = from; w < to; w++, word += stride)
        for (uint64_t bits = *word; bits; bits &= bits - 1)
            list[n++] = (uint32_t)(w * 64 + __builtin_ctzll(bits));
    return n;
}

/* The bit rows of the sites listed, onto a sample's span of numbers. */
static void add_span(const struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int bit, const uint32_t *list, int64_t n,
                     struct gt_cpu_span span, struct gt_buf *numbers)
{
    acc->kernels->bits_sum(block->bits[bit].data, bit_stride(acc), list, n, span.from, span.to,
                           numbers->data + span.at * (int64_t)sizeof(uint32_t));
}

static void add_gaps(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t sample)
{
    uint32_t list[STRETCH];
    int64_t words = gt_ceil_div(block->base.sites, 64);
    for (int64_t w = 0; w < words; w += STRETCH / 64) {
        int64_t n = list_missing(acc, block, sample, w, words - w < STRETCH / 64 ? words : w + STRETCH / 64, list);
        for (int g = 0; g < GT_CPU_GAPS; g++)
            if (acc->gap[g] && n)
                add_span(acc, block, g, list, n, gt_cpu_span_of(&acc->gap_span, sample), &acc->gaps[g]);
        if (acc->both && n)
            add_span(acc, block, GT_CPU_MISSING, list, n, gt_cpu_span_of(&acc->both_span, sample), &acc->both_missing);
    }
}

/* ---------------------------------------------------------------------------------------- */

static void add_chunk(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, int64_t chunk)
{
    enum { SAMPLES = 64 };
    for (int64_t s = chunk * SAMPLES; block->base.any_missing && s < (chunk + 1) * SAMPLES && s < acc->n; s++)
        add_gaps(acc, block, s);
}

static int add_counts(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, struct gt_err *err)
{
    int64_t *to = (int64_t *)(void *)acc->counts.data;
    const uint32_t *from = (const uint32_t *)(const void *)block->counts.data;
    for (int b = 0; b < GT_CPU_BITS; b++, to += acc->n, from += acc->vectors * GT_BIT_ROW)
        for (int64_t s = 0; s < acc->n; s++)
            to[s] += from[s];
    acc->base.sites += block->base.sites;
    return gt_cpu_check_sites(&acc->base, err);
}

int gt_cpu_add(struct gt_acc *base, const struct gt_acc_block *base_block, int64_t part, struct gt_err *err)
{
    struct gt_cpu_acc *acc = (struct gt_cpu_acc *)base;
    const struct gt_cpu_block *block = (const struct gt_cpu_block *)base_block;
    if (!block->base.sites || !acc->n)
        return GT_OK;
    if (part < acc->n_rects)
        add_rect(acc, block, (const struct gt_cpu_rect *)(const void *)acc->rects.data + part);
    else if (part < acc->n_rects + acc->n_chunks)
        add_chunk(acc, block, part - acc->n_rects);
    else
        return add_counts(acc, block, err);
    return GT_OK;
}
