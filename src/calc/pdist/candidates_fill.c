/* Tiles of results: the pairs that the first sites leave over, counted over all sites. */
#include <math.h>
#include <string.h>

#include "calc/pdist/candidates.h"
#include "core/base/size.h"

enum { TOGETHER = 8 }; /* panels that a call of the kernel compares with one */

/* Rows of a box, and which of their pairs are left over. */
struct band {
    struct gt_candidates *candidates;
    const struct gt_pair_box *box;
    struct gt_buf left; /* uint32_t [rows][panels of columns], a bit a sample */
    int64_t panels;
    struct gt_buf bits; /* of the row's sample and of the column's, three bit rows of all sites each */
    size_t line;        /* bytes of such a bit row */
    const int *wanted;
    int n_wanted;
    double *results;
};

static uint32_t *left_of(const struct band *band, int64_t row)
{
    return gt_buf_u32(&band->left) + (row - band->box->row0) * band->panels;
}

/* --- those left over ------------------------------------------------------------------- */

/* Is a pair left over by the steps after the first sites?  room: what the sum may still grow by. */
static bool is_left(const struct gt_candidates *c, int64_t i, int64_t j, int64_t room)
{
    const int64_t n = c->more_steps;
    const size_t step = 3 * GT_CANDIDATES_LINE;
    const uint8_t *x = c->bits.data + (size_t)(i * n) * step, *y = c->bits.data + (size_t)(j * n) * step;
    const int32_t *own = (const int32_t *)(const void *)c->steps.data;
    for (int64_t k = 0; k < n && room >= 0; k++, x += step, y += step)
        room -= c->sum.sites * GT_CANDIDATES_STEP + own[i * n + k] + own[j * n + k] - 2 * gt_candidates_together(c, x, y);
    return room >= 0;
}

/* The samples of panel b that are left over with a sample i, given the products of their first sites. */
static uint32_t left_of_panel(const struct gt_candidates *c, int64_t i, int64_t b, const uint32_t *sums)
{
    const int32_t *own = (const int32_t *)(const void *)c->own.data, *most = (const int32_t *)(const void *)c->most.data;
    const int32_t of_i = own[i] + (int32_t)(c->sum.sites * c->first_sites), room = most[i] - of_i;
    int32_t of_row[GT_PANEL], of_column[GT_PANEL], all = -1;
    own += b * GT_PANEL, most += b * GT_PANEL;
    for (int j = 0; j < GT_PANEL; j++) {
        const int32_t x = 2 * (int32_t)sums[j] - own[j];
        of_row[j] = x + room;
        of_column[j] = x + most[j] - of_i;
        all &= of_row[j] | of_column[j];
    }
    uint32_t bits = 0;
    for (int64_t j = 0; j < GT_PANEL && all >= 0; j++)
        if ((of_row[j] | of_column[j]) >= 0 && b * GT_PANEL + j < i)
            bits |= (uint32_t)is_left(c, i, b * GT_PANEL + j, gt_min_i64(of_row[j], of_column[j])) << j;
    return bits;
}

/* Panels [b, b + n) of columns for panel a of rows. */
static void sift(const struct band *band, int64_t a, int64_t b, int64_t n)
{
    const struct gt_candidates *c = band->candidates;
    const int64_t bytes = c->pair->bytes(c->first_sites);
    uint32_t sums[TOGETHER][GT_PANEL][GT_PANEL];
    memset(sums, 0, (size_t)n * sizeof *sums);
    c->pair->tile(c->product, c->first_sites, c->panels.data + a * bytes, c->panels.data + b * bytes, n, &sums[0][0][0]);
    for (int64_t i = gt_max_i64(a * GT_PANEL, band->box->row0); i < gt_min_i64((a + 1) * GT_PANEL, band->box->row1); i++)
        for (int64_t p = 0; p < n; p++)
            left_of(band, i)[b + p] = left_of_panel(c, i, b + p, sums[p][i % GT_PANEL]);
}

static void sift_all(const struct band *band)
{
    const struct gt_pair_box *box = band->box;
    for (int64_t b = 0; b < band->panels; b += TOGETHER)
        for (int64_t a = gt_max_i64(b, box->row0 / GT_PANEL); a * GT_PANEL < box->row1; a++)
            sift(band, a, b, gt_min_i64(TOGETHER, a + 1 - b));
}

/* --- counting ----------------------------------------------------------------------------- */

static void split(const struct band *band, int64_t sample, uint8_t *bits)
{
    const struct gt_sample_rows *rows = &band->candidates->rows;
    gt_kernels()->bits_split(gt_sample_row(rows, sample), rows->stride, 1, rows->sites, band->line, bits, bits + band->line,
                             bits + 2 * band->line);
}

/* A plane of a pair, see calc/pairs/acc_geno.h. */
static double plane_of(const struct gt_cpu_plane *form, int64_t sites, const int64_t x[4], const int64_t y[4],
                       const int64_t counts[GT_BITS_PAIR])
{
    const int64_t x_own[] = {x[0] + x[2], x[2], x[3]}, y_own[] = {y[0] + y[2], y[2], y[3]};
    const int64_t agree = counts[GT_BITS_HOM] - counts[GT_BITS_UNLIKE], both = x[3] + y[3] - counts[GT_BITS_GAPS];
    int64_t sum = form->sites * sites + form->dense[GT_PAIR_AGREE] * agree + form->dense[GT_PAIR_DOT] * (agree - counts[GT_BITS_UNLIKE]) +
                  form->both * both;
    for (int b = 0; b < GT_CPU_BITS; b++)
        sum += form->row[b] * x_own[b] + form->column[b] * y_own[b];
    sum += form->gap[0][GT_CPU_HOM] * counts[GT_BITS_Y_HOM] + form->gap[0][GT_CPU_ALT] * counts[GT_BITS_Y_ALT];
    sum += form->gap[1][GT_CPU_HOM] * counts[GT_BITS_X_HOM] + form->gap[1][GT_CPU_ALT] * counts[GT_BITS_X_ALT];
    return (double)sum;
}

/* Pairs of a row that were counted. */
struct counted {
    int n;
    int64_t column[GT_METRIC_LANES];
    double plane[GT_MAX_PLANES][GT_METRIC_LANES];
};

static void count_pair(const struct band *band, int64_t row, int64_t column, struct counted *counted)
{
    const struct gt_candidates *c = band->candidates;
    const int64_t *x = gt_sample_counts(&c->rows, row), *y = gt_sample_counts(&c->rows, column);
    uint8_t *of_row = band->bits.data, *of_column = of_row + 3 * band->line;
    int64_t counts[GT_BITS_PAIR];
    split(band, column, of_column);
    gt_kernels()->bits_pair(of_row, of_column, band->line, x[3] || y[3], counts);
    for (int k = 0; k < c->plan->n_planes; k++)
        counted->plane[k][counted->n] = plane_of(&c->form[k], c->rows.sites, x, y, counts);
    counted->column[counted->n++] = column;
}

static void tally(struct gt_candidates *c, const struct counted *counted, const double *joint)
{
    int64_t low = 0, none = 0, no_value = 0;
    for (int k = 0; k < counted->n; k++) {
        low += gt_pdist_is_low(joint[k], (double)c->rows.sites);
        none += joint[k] == 0;
        no_value += joint[k] > 0 && !isfinite(counted->plane[GT_PDIST_DISTANCE][k]);
    }
    atomic_fetch_add_explicit(&c->low_overlap, low, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->no_overlap, none, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->no_value, no_value, memory_order_relaxed);
}

/* Writes their results, and empties the list. */
static void put(const struct band *band, int64_t row, struct counted *counted)
{
    struct gt_candidates *c = band->candidates;
    const struct gt_pair_box *box = band->box;
    const int64_t rows = box->row1 - box->row0, width = box->col1 - box->col0;
    const double *planes[GT_MAX_PLANES];
    for (int k = 0; k < c->plan->n_planes; k++)
        planes[k] = counted->plane[k];
    gt_metric_values(&c->use, planes, (double)c->rows.sites, counted->n, counted->plane[GT_PDIST_DISTANCE]);
    tally(c, counted, planes[GT_PDIST_NUMBER]);
    for (int w = 0; w < band->n_wanted; w++)
        for (int k = 0; k < counted->n; k++)
            band->results[(w * rows + row - box->row0) * width + counted->column[k] - box->col0] = planes[band->wanted[w]][k];
    counted->n = 0;
}

/* The first sample left over to the row from `column` on; `row` if there is none. */
static int64_t next_left(const struct band *band, int64_t row, int64_t column)
{
    for (int64_t b = column / GT_PANEL; b * GT_PANEL < row; b++) {
        const uint32_t left = left_of(band, row)[b] & (b == column / GT_PANEL ? UINT32_MAX << column % GT_PANEL : UINT32_MAX);
        if (left)
            return gt_min_i64(b * GT_PANEL + __builtin_ctz(left), row);
    }
    return row;
}

/* Rows of samples that are far apart come from memory meanwhile. */
static void fetch(const struct gt_sample_rows *rows, int64_t sample)
{
    for (size_t at = 0; at < rows->stride; at += 64)
        __builtin_prefetch(gt_sample_row(rows, sample) + at);
}

static void count_row(const struct band *band, int64_t row)
{
    struct counted counted;
    int64_t column = next_left(band, row, 0);
    counted.n = 0;
    if (column < row)
        split(band, row, band->bits.data);
    while (column < row) {
        const int64_t next = next_left(band, row, column + 1);
        if (next < row)
            fetch(&band->candidates->rows, next);
        count_pair(band, row, column, &counted);
        if (counted.n == GT_METRIC_LANES || next >= row)
            put(band, row, &counted);
        column = next;
    }
}

int gt_candidates_fill(void *ctx, const struct gt_pair_box *box, const int *wanted, int n_wanted, double *results, struct gt_err *err)
{
    struct gt_candidates *c = ctx;
    const int64_t rows = box->row1 - box->row0, cells = rows * (box->col1 - box->col0);
    struct band band = {.candidates = c,
                        .box = box,
                        .panels = gt_ceil_div(box->row1, GT_PANEL),
                        .line = (size_t)gt_ceil_div(c->rows.sites, GT_BIT_ROW) * (GT_BIT_ROW / 8),
                        .wanted = wanted,
                        .n_wanted = n_wanted,
                        .results = results};
    band.left.budget = band.bits.budget = &c->engine->budget;
    int status = gt_buf_resize(&band.left, (size_t)(rows * band.panels) * sizeof(uint32_t), err);
    status = status ? status : gt_buf_resize(&band.bits, 6 * band.line, err);
    if (!status)
        sift_all(&band);
    for (int w = 0; w < n_wanted && !status; w++)
        if (wanted[w] == GT_PDIST_DISTANCE)
            for (int64_t k = 0; k < cells; k++)
                results[w * cells + k] = NAN;
    for (int64_t row = box->row0; row < box->row1 && !status; row++)
        count_row(&band, row);
    gt_buf_release(&band.left);
    gt_buf_release(&band.bits);
    return status;
}
