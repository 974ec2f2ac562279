#include "calc/paircount.h"

#include <string.h>

#include "base/size.h"
#include "base/str.h"

/* Rows of a part that are summed at once on the stack. */
enum { TILE_ROWS = 64 };
/* Groups that a tile streams at once: 512 x GT_PANEL bytes stay in L2. */
enum { TILE_GROUPS = 512 };
/* Listing costs about the square of the missing calls at a site, a table run the
 * square of the samples; the factor is their measured ratio per pair. */
enum { DENSE_RATIO = 512 };

static int64_t cells_triangle(int64_t n)
{
    int64_t panels = gt_ceil_div(n, GT_PANEL);
    return panels * (panels + 1) / 2 * GT_PANEL * GT_PANEL;
}

static const int64_t cell_bytes = sizeof(int64_t) + sizeof(uint32_t);

int64_t gt_pair_triangle_bytes(int64_t n)
{
    return cells_triangle(n) * cell_bytes;
}

int64_t gt_pair_band_bytes(int64_t n, int64_t rows)
{
    return gt_ceil_div(n, GT_PANEL) * GT_PANEL * gt_ceil_div(rows, GT_PANEL) * GT_PANEL * cell_bytes;
}

int64_t gt_pair_block_bytes(const struct gt_kernels *kernels, int64_t n, int64_t sites)
{
    int64_t groups = gt_ceil_div(sites, kernels->sites_per_code);
    int64_t codes = gt_ceil_div(n, GT_PANEL) * GT_PANEL * groups;
    int64_t holes = n * sites / 22; /* below the dense threshold */
    return codes + holes + (gt_ceil_div(n, GT_PANEL) * sites + n) * (int64_t)sizeof(uint32_t);
}

/* Number of the first part of a strip: strips before it, each from its own panel
 * (triangle) or from panel 0 on. */
static int64_t first_part(const struct gt_pair_counts *c, int64_t strip)
{
    if (!c->triangle)
        return strip * c->panels;
    int64_t per_panel = GT_PANEL / c->height, panel = strip / per_panel, within = strip % per_panel;
    return per_panel * (panel * c->panels - panel * (panel - 1) / 2) + within * (c->panels - panel);
}

static int64_t strip_panel(const struct gt_pair_counts *c, int64_t strip)
{
    return (c->row0 + strip * c->height) / GT_PANEL;
}

static int64_t first_column_panel(const struct gt_pair_counts *c, int64_t strip)
{
    return c->triangle ? strip_panel(c, strip) : 0;
}

static int64_t part_number(const struct gt_pair_counts *c, int64_t strip, int64_t panel)
{
    return first_part(c, strip) + panel - first_column_panel(c, strip);
}

static int64_t part_strip(const struct gt_pair_counts *c, int64_t part)
{
    int64_t low = 0, high = c->strips - 1;
    while (low < high) {
        int64_t mid = (low + high + 1) / 2;
        if (first_part(c, mid) <= part)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static void shape_parts(struct gt_pair_counts *c, int64_t parts_wanted)
{
    c->height = GT_PANEL;
    for (;;) {
        c->strips = gt_ceil_div(c->row1 - c->row0, c->height);
        c->n_parts = first_part(c, c->strips);
        if (c->n_parts >= parts_wanted || c->height <= TILE_ROWS)
            return;
        c->height /= 2;
    }
}

static int make_sums(struct gt_pair_counts *c, struct gt_err *err)
{
    size_t cells, bytes;
    if (!gt_mul_size((size_t)c->n_parts, (size_t)c->height * GT_PANEL, &cells) || !gt_mul_size(cells, sizeof(int64_t), &bytes))
        return gt_fail(err, GT_NOFIT, "sums of %lld samples do not fit an address space", (long long)c->n);
    int status = gt_buf_resize(&c->sums, bytes, err);
    if (!status)
        status = gt_buf_resize(&c->missing, (size_t)c->n * sizeof(int64_t), err);
    if (status)
        return status;
    if (c->n) {
        memset(c->sums.data, 0, c->sums.len);
        memset(c->missing.data, 0, c->missing.len);
    }
    return GT_OK;
}

int gt_pair_counts_init(struct gt_pair_counts *c, struct gt_engine *engine, int64_t n, const uint8_t metric[4][4], bool triangle,
                        int64_t row0, int64_t row1, int64_t parts_wanted, struct gt_err *err)
{
    static const uint8_t observed[4][4] = {{1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 0, 0}};
    memset(c, 0, sizeof *c);
    c->kernels = gt_kernels();
    c->budget = c->sums.budget = c->both.budget = c->missing.budget = &engine->budget;
    c->n = n;
    c->panels = gt_ceil_div(n, GT_PANEL);
    c->row0 = row0;
    c->row1 = row1;
    c->triangle = triangle;
    pthread_mutex_init(&c->lock, NULL);
    c->kernels->pair_table(&c->table, metric);
    c->kernels->pair_table(&c->observed, observed);
    shape_parts(c, parts_wanted);
    return make_sums(c, err);
}

void gt_pair_counts_release(struct gt_pair_counts *c)
{
    if (!c->kernels)
        return;
    gt_buf_release(&c->sums);
    gt_buf_release(&c->both);
    gt_buf_release(&c->missing);
    pthread_mutex_destroy(&c->lock);
    c->kernels = NULL;
}

/* --- preparing a block ----------------------------------------------------- */

/* Bits at even places where a sample of this word (32 samples) is missing. */
static uint64_t missing_bits(const uint8_t *row, int64_t word, int64_t n)
{
    uint64_t bits;
    int64_t left = n - word * 32;
    memcpy(&bits, row + word * 8, sizeof bits);
    bits &= bits >> 1 & 0x5555555555555555u;
    return left >= 32 ? bits : bits & ((UINT64_C(1) << (2 * left)) - 1);
}

/* Count missing calls per sample, per panel and site (one place up in start), and
 * decide how to count pairs of them. */
static void count_missing(const uint8_t *rows, size_t stride, int64_t sites, int64_t n, struct gt_pair_block *block)
{
    uint32_t *missing = (uint32_t *)block->missing.data, *start = (uint32_t *)block->hole_start.data;
    double squares = 0;
    block->n_missing = 0;
    for (int64_t s = 0; s < sites; s++) {
        const uint8_t *row = rows + (size_t)s * stride;
        int64_t here = 0;
        for (int64_t w = 0; w * 32 < n; w++)
            for (uint64_t bits = missing_bits(row, w, n); bits; bits &= bits - 1, here++) {
                int64_t sample = w * 32 + __builtin_ctzll(bits) / 2;
                missing[sample]++;
                start[sample / GT_PANEL * sites + s + 1]++;
            }
        squares += (double)here * (double)here;
        block->n_missing += here;
    }
    block->dense = squares * DENSE_RATIO > (double)n * (double)n * (double)sites;
}

/* The places of missing calls by panel and, within one, by site.  start[k + 1]
 * holds the count of list k and ends as its end. */
static int list_holes(const uint8_t *rows, size_t stride, int64_t sites, int64_t n, struct gt_pair_block *block, struct gt_err *err)
{
    int status = gt_buf_resize(&block->holes, (size_t)block->n_missing, err);
    if (status)
        return status;
    uint32_t *start = (uint32_t *)block->hole_start.data, at = 0;
    for (int64_t k = 0; k < gt_ceil_div(n, GT_PANEL) * sites; k++) {
        uint32_t count = start[k + 1];
        start[k + 1] = at;
        at += count;
    }
    for (int64_t s = 0; s < sites; s++)
        for (int64_t w = 0; w * 32 < n; w++)
            for (uint64_t bits = missing_bits(rows + (size_t)s * stride, w, n); bits; bits &= bits - 1) {
                int64_t sample = w * 32 + __builtin_ctzll(bits) / 2;
                block->holes.data[start[sample / GT_PANEL * sites + s + 1]++] = (uint8_t)(sample % GT_PANEL);
            }
    return GT_OK;
}

static int make_both(struct gt_pair_counts *c, struct gt_err *err)
{
    int status = GT_OK;
    pthread_mutex_lock(&c->lock);
    if (!c->both.len) {
        status = gt_buf_resize(&c->both, c->sums.len / sizeof(int64_t) * sizeof(uint32_t), err);
        if (!status)
            memset(c->both.data, 0, c->both.len);
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}

int gt_pair_prepare(struct gt_pair_counts *c, const uint8_t *rows, size_t stride, int64_t sites, struct gt_pair_block *block,
                    struct gt_err *err)
{
    block->codes.budget = block->missing.budget = block->holes.budget = block->hole_start.budget = c->budget;
    block->sites = sites;
    block->groups = gt_ceil_div(sites, c->kernels->sites_per_code);
    size_t panel_bytes = (size_t)block->groups * GT_PANEL;
    int status = gt_buf_resize(&block->codes, panel_bytes * (size_t)c->panels, err);
    if (!status)
        status = gt_buf_resize(&block->missing, (size_t)c->n * sizeof(uint32_t), err);
    if (!status)
        status = gt_buf_resize(&block->hole_start, (size_t)(c->panels * sites + 1) * sizeof(uint32_t), err);
    if (status || !sites || !c->n)
        return status;
    for (int64_t p = 0; p < c->panels; p++)
        c->kernels->pair_encode(rows, stride, sites, c->n, p, block->codes.data + (size_t)p * panel_bytes);
    memset(block->missing.data, 0, block->missing.len);
    memset(block->hole_start.data, 0, block->hole_start.len);
    count_missing(rows, stride, sites, c->n, block);
    if (block->n_missing)
        status = make_both(c, err);
    if (!status && block->n_missing && !block->dense)
        status = list_holes(rows, stride, sites, c->n, block, err);
    return status;
}

void gt_pair_block_release(struct gt_pair_block *block)
{
    gt_buf_release(&block->codes);
    gt_buf_release(&block->missing);
    gt_buf_release(&block->holes);
    gt_buf_release(&block->hole_start);
}

/* --- adding ------------------------------------------------------------------ */

/* Where a tile lies: rows [i0, i0 + ni) of row panel `a`, all columns of panel b. */
struct tile {
    int64_t a, b;
    int i0, ni;
};

static void run_tile(const struct gt_pair_counts *c, const struct gt_pair_table *table, const struct gt_pair_block *block, struct tile t,
                     uint32_t *sums)
{
    size_t panel_bytes = (size_t)block->groups * GT_PANEL;
    const uint8_t *a = block->codes.data + (size_t)t.a * panel_bytes, *b = block->codes.data + (size_t)t.b * panel_bytes;
    memset(sums, 0, sizeof *sums * (size_t)t.ni * GT_PANEL);
    for (int64_t g = 0; g < block->groups; g += TILE_GROUPS) {
        int64_t groups = block->groups - g < TILE_GROUPS ? block->groups - g : TILE_GROUPS;
        c->kernels->pair_tile(table, a + g * GT_PANEL, t.i0, t.ni, b + g * GT_PANEL, groups, sums);
    }
}

/* both += sites where a row's and a column's call are missing, from the lists. */
static void add_listed(const struct gt_pair_block *block, struct tile t, uint32_t *both)
{
    const uint32_t *a = (const uint32_t *)block->hole_start.data + t.a * block->sites;
    const uint32_t *b = (const uint32_t *)block->hole_start.data + t.b * block->sites;
    const uint8_t *holes = block->holes.data;
    for (int64_t s = 0; s < block->sites; s++)
        for (uint32_t i = a[s]; i < a[s + 1]; i++) {
            int row = holes[i] - t.i0;
            if (row < 0 || row >= t.ni)
                continue;
            for (uint32_t j = b[s]; j < b[s + 1]; j++)
                both[row * GT_PANEL + holes[j]]++;
        }
}

/* The same from a table run: sites - missing_i - missing_j + both = observed. */
static void add_observed(const struct gt_pair_counts *c, const struct gt_pair_block *block, struct tile t, const uint32_t *observed,
                         uint32_t *both)
{
    const uint32_t *missing = (const uint32_t *)block->missing.data;
    for (int i = 0; i < t.ni; i++)
        for (int j = 0; j < GT_PANEL && t.b * GT_PANEL + j < c->n; j++) {
            uint32_t either = missing[t.a * GT_PANEL + t.i0 + i] + missing[t.b * GT_PANEL + j];
            both[i * GT_PANEL + j] += observed[i * GT_PANEL + j] + either - (uint32_t)block->sites;
        }
}

void gt_pair_add(struct gt_pair_counts *c, const struct gt_pair_block *block, int64_t part)
{
    uint32_t tile[TILE_ROWS * GT_PANEL];
    int64_t strip = part_strip(c, part), row = c->row0 + strip * c->height;
    int64_t rows = c->row1 - row < c->height ? c->row1 - row : c->height;
    struct tile t = {.a = row / GT_PANEL, .b = first_column_panel(c, strip) + part - first_part(c, strip), .i0 = (int)(row % GT_PANEL)};
    size_t cell = (size_t)part * (size_t)c->height * GT_PANEL;
    int64_t *sums = (int64_t *)c->sums.data + cell;
    uint32_t *both = block->n_missing ? (uint32_t *)c->both.data + cell : NULL;
    if (both && !block->dense) {
        t.ni = (int)rows;
        add_listed(block, t, both);
    }
    for (; rows > 0; rows -= TILE_ROWS, t.i0 += TILE_ROWS, sums += sizeof tile / sizeof *tile) {
        t.ni = rows < TILE_ROWS ? (int)rows : TILE_ROWS;
        run_tile(c, &c->table, block, t, tile);
        for (int k = 0; k < t.ni * GT_PANEL; k++)
            sums[k] += tile[k];
        if (!both || !block->dense)
            continue;
        run_tile(c, &c->observed, block, t, tile);
        add_observed(c, block, t, tile, both);
        both += sizeof tile / sizeof *tile;
    }
}

void gt_pair_count_block(struct gt_pair_counts *c, const struct gt_pair_block *block)
{
    if (!block->sites)
        return;
    int64_t *total = (int64_t *)c->missing.data;
    const uint32_t *missing = (const uint32_t *)block->missing.data;
    c->sites += block->sites;
    for (int64_t i = 0; i < c->n; i++)
        total[i] += missing[i];
}

/* --- reading ------------------------------------------------------------------ */

/* Where a part's sums stand. */
struct cells {
    const int64_t *sums;
    const uint32_t *both;
};

static struct cells part_cells(const struct gt_pair_counts *c, int64_t strip, int64_t panel)
{
    size_t cell = (size_t)part_number(c, strip, panel) * (size_t)c->height * GT_PANEL;
    return (struct cells){(const int64_t *)c->sums.data + cell, c->both.len ? (const uint32_t *)c->both.data + cell : NULL};
}

static void copy_cell(const struct cells *from, size_t cell, int64_t *sum, int64_t *joint)
{
    *sum = from->sums[cell];
    *joint = from->both ? from->both[cell] : 0;
}

/* Columns [panel start, panel end) of rows [i0, i0 + ni) that the parts hold as they stand. */
static void band_direct(const struct gt_pair_counts *c, int64_t panel, int64_t i0, int64_t ni, int64_t *sums, int64_t *joint)
{
    int64_t j0 = panel * GT_PANEL, nj = c->n - j0 < GT_PANEL ? c->n - j0 : GT_PANEL;
    for (int64_t i = i0; i < i0 + ni; i++) {
        int64_t strip = (i - c->row0) / c->height;
        struct cells from = part_cells(c, strip, panel);
        size_t cell = (size_t)((i - c->row0) % c->height) * GT_PANEL;
        for (int64_t j = 0; j < nj; j++)
            copy_cell(&from, cell + (size_t)j, &sums[(i - i0) * c->n + j0 + j], &joint[(i - i0) * c->n + j0 + j]);
    }
}

/* The same columns from the parts on the other side of the diagonal; the rows are of one panel. */
static void band_turned(const struct gt_pair_counts *c, int64_t panel, int64_t i0, int64_t ni, int64_t *sums, int64_t *joint)
{
    for (int64_t j = panel * GT_PANEL; j < (panel + 1) * GT_PANEL; j++) {
        struct cells from = part_cells(c, j / c->height, i0 / GT_PANEL);
        size_t cell = (size_t)(j % c->height) * GT_PANEL + (size_t)(i0 % GT_PANEL);
        for (int64_t i = 0; i < ni; i++)
            copy_cell(&from, cell + (size_t)i, &sums[i * c->n + j], &joint[i * c->n + j]);
    }
}

void gt_pair_band(const struct gt_pair_counts *c, int64_t i0, int64_t ni, int64_t *sums, int64_t *joint)
{
    const int64_t *missing = (const int64_t *)c->missing.data;
    for (int64_t i = i0; i < i0 + ni;) {
        int64_t own = i / GT_PANEL, stop = (own + 1) * GT_PANEL;
        int64_t here = (stop < i0 + ni ? stop : i0 + ni) - i;
        int64_t *s = sums + (i - i0) * c->n, *n = joint + (i - i0) * c->n;
        for (int64_t panel = 0; panel < c->panels; panel++) {
            if (c->triangle && panel < own)
                band_turned(c, panel, i, here, s, n);
            else
                band_direct(c, panel, i, here, s, n);
        }
        i += here;
    }
    for (int64_t i = i0; i < i0 + ni; i++)
        for (int64_t j = 0; j < c->n; j++)
            joint[(i - i0) * c->n + j] += c->sites - missing[i] - missing[j];
}
