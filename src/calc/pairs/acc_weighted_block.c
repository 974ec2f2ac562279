/* What a block holds for planes with terms by site: tables, and the sites in order of digits. */
#include <stdlib.h>
#include <string.h>

#include "calc/pairs/acc_geno.h"

/* --- memory -------------------------------------------------------------------- */

int gt_cpu_weight_digits(const struct gt_acc_setup *setup)
{
    int bits = 31;
    while (bits < 63 && (setup->n_samples + 1) >> (bits - 31))
        bits++;
    return (bits + GT_DIGIT - 1) / GT_DIGIT;
}

/* Sites of one digit, at most: those of each value fill up an eight, all together a word. */
static int64_t digit_sites(int64_t sites)
{
    return gt_ceil_div(sites + ((1 << GT_DIGIT) - 1) * (GT_WEIGHT_SITES - 1), 64) * 64;
}

static size_t row_bytes(const struct gt_cpu_acc *acc)
{
    return ((size_t)acc->n + 3) / 4;
}

int64_t gt_cpu_weigh_block_bytes(const struct gt_cpu_acc *acc)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    const int64_t most = digit_sites(setup->block_rows), panels = gt_cpu_panels(acc);
    int64_t bytes = 0, any = 0, digits = gt_cpu_weight_digits(setup);
    for (int k = 0; k < setup->n_planes; k++) {
        const struct gt_plane *plane = &setup->planes[k];
        any |= plane->terms != NULL;
        bytes += plane->terms ? setup->block_rows * (GT_CPU_TABLES * 4 + 1) * (int64_t)sizeof(int64_t) : 0;
        if (plane->reach == GT_SITE_WEIGHTS_PRODUCTS)
            bytes += digits * (panels * gt_kernels()->weigh_bytes(most) + most / GT_WEIGHT_SITES) + most * (int64_t)row_bytes(acc);
    }
    return bytes + any * (setup->block_rows * panels * (int64_t)sizeof(uint64_t) + most * (int64_t)sizeof(int32_t));
}

void gt_cpu_weigh_block_init(struct gt_cpu_block *block, struct gt_budget *budget)
{
    block->panel_codes.budget = block->order.budget = block->gathered.budget = budget;
    for (int k = 0; k < GT_MAX_PLANES; k++) {
        struct gt_cpu_weights *w = &block->weights[k];
        w->tables.budget = w->w.budget = w->weights.budget = w->codes.budget = budget;
    }
}

void gt_cpu_weigh_block_free(struct gt_cpu_block *block)
{
    gt_buf_release(&block->panel_codes);
    gt_buf_release(&block->order);
    gt_buf_release(&block->gathered);
    for (int k = 0; k < GT_MAX_PLANES; k++) {
        gt_buf_release(&block->weights[k].tables);
        gt_buf_release(&block->weights[k].w);
        gt_buf_release(&block->weights[k].weights);
        gt_buf_release(&block->weights[k].codes);
    }
}

/* --- tables of a block's sites --------------------------------------------------- */

enum { HOM_REF, HET, HOM_ALT, MISSING };

static int64_t product(int64_t t[4][4], int x, int y)
{
    return t[x][y] - t[x][HET] - t[HET][y] + t[HET][HET];
}

int64_t gt_cpu_weight_size(int64_t t[4][4], int x)
{
    int64_t most = 0;
    for (int y = 0; y < 4; y++) {
        most = llabs(t[x][y]) > most ? llabs(t[x][y]) : most;
        most = llabs(t[y][x]) > most ? llabs(t[y][x]) : most;
    }
    return (most >> (GT_CPU_SIZE_SHIFT - 1)) + 1;
}

/* All doubled, but for what two missing calls add together: each adds that, and so both double. */
static void make_entries(int64_t t[4][4], struct gt_cpu_weights *to, int64_t sites, int64_t s)
{
    for (int x = 0; x < 4; x++) {
        gt_cpu_table(to, sites, GT_CPU_ALONE)[s][x] = 2 * (t[x][HET] - t[HET][HET]);
        gt_cpu_table(to, sites, GT_CPU_ALONE_COLUMN)[s][x] = 2 * (t[HET][x] - t[HET][HET]);
        gt_cpu_table(to, sites, GT_CPU_SIZE)[s][x] = gt_cpu_weight_size(t, x);
        gt_cpu_table(to, sites, GT_CPU_GAP)[s][x] = x == MISSING ? product(t, MISSING, MISSING) : 2 * product(t, MISSING, x);
    }
}

int gt_cpu_weight_tables(int64_t samples, const struct gt_rows *rows, const struct gt_plane *plane, struct gt_cpu_weights *to,
                         struct gt_err *err)
{
    const size_t sites = (size_t)rows->n;
    int status = gt_buf_resize(&to->tables, sites * sizeof(int64_t[GT_CPU_TABLES][4]), err);
    if (!status)
        status = gt_buf_resize(&to->w, sites * sizeof(int64_t), err);
    if (status)
        return status;
    to->het_pairs = 0;
    for (size_t s = 0; s < sites; s++) {
        int64_t counts[4], t[4][4] = {{0}};
        gt_kernels()->count_codes((const uint8_t *)rows->data + s * rows->stride, samples, counts);
        plane->terms(plane, counts, t);
        make_entries(t, to, rows->n, (int64_t)s);
        gt_cpu_i64(&to->w)[s] = product(t, HOM_REF, HOM_REF);
        to->het_pairs += 2 * (uint64_t)t[HET][HET];
    }
    return GT_OK;
}

/* Codes by panel and site; samples that are not there are heterozygous, and add nothing. */
static int make_panel_codes(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_buf *to, struct gt_err *err)
{
    enum { BYTES = GT_PANEL / 4 };
    const int64_t panels = gt_cpu_panels(acc);
    int status = gt_buf_resize(to, (size_t)(rows->n * panels) * sizeof(uint64_t), err);
    for (int64_t s = 0; s < rows->n && !status; s++) {
        const uint8_t *row = (const uint8_t *)rows->data + (size_t)s * rows->stride + acc->first / 4;
        for (int64_t p = 0; p < panels; p++) {
            const int64_t there = acc->n - p * GT_PANEL;
            const uint64_t absent = there < GT_PANEL ? ~UINT64_C(0) << 2 * there : 0;
            uint64_t codes = 0;
            for (int k = 0; k < BYTES && p * BYTES + k < (int64_t)row_bytes(acc); k++)
                codes |= (uint64_t)row[p * BYTES + k] << 8 * k;
            ((uint64_t *)(void *)to->data)[p * rows->n + s] = (codes & ~absent) | (UINT64_C(0x5555555555555555) & absent);
        }
    }
    return status;
}

/* --- sites in order of digits ------------------------------------------------------ */

static int digit_at(int64_t w, int shift)
{
    return (int)(w >> shift & ((1 << GT_DIGIT) - 1));
}

/* How many sites have each value of the digit; returns those of all but 0, filled up. */
static int64_t count_digit(const int64_t *w, int64_t sites, int shift, int64_t counts[1 << GT_DIGIT])
{
    int64_t n = 0;
    memset(counts, 0, (1 << GT_DIGIT) * sizeof *counts);
    for (int64_t s = 0; s < sites; s++)
        counts[digit_at(w[s], shift)]++;
    for (int d = 1; d < 1 << GT_DIGIT; d++)
        n += gt_ceil_div(counts[d], GT_WEIGHT_SITES) * GT_WEIGHT_SITES;
    return gt_ceil_div(n, 64) * 64;
}

/* Sorts the sites by the digit: their indices, without those of digit 0, padded with -1; and the digit of each group of eight.
 * Returns the number of sites including padding. */
static int64_t order_sites(const int64_t *w, int64_t sites, int shift, int32_t *order, uint8_t *weights)
{
    int64_t start[1 << GT_DIGIT], n = 0, all = count_digit(w, sites, shift, start);
    if (!all) /* room for nothing may be NULL */
        return 0;
    memset(weights, 0, (size_t)(all / GT_WEIGHT_SITES));
    memset(order, -1, (size_t)all * sizeof *order);
    for (int d = 1; d < 1 << GT_DIGIT; d++) {
        int64_t eights = gt_ceil_div(start[d], GT_WEIGHT_SITES);
        memset(weights + n / GT_WEIGHT_SITES, d, (size_t)eights);
        start[d] = n;
        n += eights * GT_WEIGHT_SITES;
    }
    for (int64_t s = 0; s < sites; s++)
        if (digit_at(w[s], shift))
            order[start[digit_at(w[s], shift)]++] = (int32_t)s;
    return all;
}

static void gather(const struct gt_cpu_acc *acc, const struct gt_rows *rows, const int32_t *order, int64_t n, uint8_t *to)
{
    const size_t bytes = row_bytes(acc);
    for (int64_t k = 0; k < n; k++) {
        uint8_t *row = to + (size_t)k * bytes;
        if (order[k] < 0)
            memset(row, 0x55, bytes);
        else
            memcpy(row, (const uint8_t *)rows->data + (size_t)order[k] * rows->stride + acc->first / 4, bytes);
    }
}

/* There is room for all of it. */
static void add_digit(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_cpu_weights *to,
                      int shift)
{
    int32_t *order = (int32_t *)(void *)block->order.data;
    struct gt_cpu_digit digit = {.weights = (int64_t)to->weights.len, .codes = to->codes.len, .shift = shift + 1};
    digit.sites = order_sites(gt_cpu_i64(&to->w), rows->n, shift, order, to->weights.data + digit.weights);
    if (!digit.sites)
        return;
    gather(acc, rows, order, digit.sites, block->gathered.data);
    acc->kernels->weigh_encode(block->gathered.data, row_bytes(acc), digit.sites, acc->n, to->codes.data + digit.codes);
    to->weights.len += (size_t)(digit.sites / GT_WEIGHT_SITES);
    to->codes.len += (size_t)(gt_cpu_panels(acc) * acc->kernels->weigh_bytes(digit.sites));
    to->digit[to->n_digits++] = digit;
}

static int make_room(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_cpu_weights *to,
                     struct gt_err *err)
{
    int64_t counts[1 << GT_DIGIT], most = 0, weights = 0, codes = 0;
    for (int d = 0; d < gt_cpu_weight_digits(&acc->base.setup); d++) {
        int64_t sites = count_digit(gt_cpu_i64(&to->w), rows->n, d * GT_DIGIT, counts);
        weights += sites / GT_WEIGHT_SITES;
        codes += gt_cpu_panels(acc) * acc->kernels->weigh_bytes(sites);
        most = sites > most ? sites : most;
    }
    to->n_digits = 0;
    to->weights.len = to->codes.len = block->order.len = block->gathered.len = 0;
    int status = gt_buf_reserve(&to->weights, (size_t)weights, err);
    if (!status)
        status = gt_buf_reserve(&to->codes, (size_t)codes, err);
    if (!status)
        status = gt_buf_reserve(&block->gathered, (size_t)most * row_bytes(acc) + GT_KERNEL_PAD, err);
    return status ? status : gt_buf_reserve(&block->order, (size_t)most * sizeof(int32_t), err);
}

static int cut_digits(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_cpu_weights *to,
                      struct gt_err *err)
{
    int status = make_room(acc, rows, block, to, err);
    for (int d = 0; d < gt_cpu_weight_digits(&acc->base.setup) && !status; d++)
        add_digit(acc, rows, block, to, d * GT_DIGIT);
    return status;
}

int gt_cpu_weigh_prepare(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_err *err)
{
    int status = GT_OK;
    bool any = false;
    for (int k = 0; k < acc->base.setup.n_planes && !status; k++) {
        const struct gt_plane *plane = acc->weighed[k].plane;
        if (!plane)
            continue;
        any = true;
        status = gt_cpu_weight_tables(acc->base.setup.n_samples, rows, plane, &block->weights[k], err);
        if (!status && plane->reach == GT_SITE_WEIGHTS_PRODUCTS)
            status = cut_digits(acc, rows, block, &block->weights[k], err);
    }
    return !status && any ? make_panel_codes(acc, rows, &block->panel_codes, err) : status;
}
