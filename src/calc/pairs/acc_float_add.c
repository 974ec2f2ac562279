/* Float64 rows into panels, and panels into sums. */
#include <math.h>
#include <string.h>

#include "calc/pairs/acc_float.h"
#include "core/base/mem.h"

/* Sites of the panels of a rectangle that the second cache holds. */
enum { SITES_AT_ONCE = 256 };

/* --- blocks ------------------------------------------------------------------------ */

static int resize(struct gt_float_acc *acc, struct gt_float_block *block, int64_t sites, struct gt_err *err)
{
    const struct gt_numbers *numbers = &acc->base.setup.numbers;
    block->values.budget = block->weights.budget = block->missing.budget = block->whole.budget = acc->base.setup.budget;
    int status = gt_buf_resize(&block->values, (size_t)(acc->panels * sites) * GT_PANEL * sizeof(double), err);
    if (!status)
        status = gt_buf_resize(&block->missing, (size_t)acc->panels * sizeof(bool), err);
    if (!status && gt_float_small_ints(&acc->base.setup))
        status = gt_buf_resize(&block->whole, (size_t)(acc->panels * gt_float_small_int_panel(sites)) * sizeof(int16_t), err);
    if (!status && (numbers->weights || numbers->by_variance))
        status = gt_buf_resize(&block->weights, (size_t)sites * sizeof(double), err);
    return status;
}

/* Of the values that are there, times the unit; *there of them. */
static double mean_of(const double *x, int64_t n, double unit, double *there)
{
    double sum = 0;
    *there = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            sum += x[i] * unit, ++*there;
    return sum / *there;
}

/* The power of two that takes the largest value near 1 where its square, or that of the smallest difference, would leave the range of
 * doubles; else 1. */
static double unit_of(const double *x, int64_t n)
{
    enum { EXTREME = 400 };
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    const int exponent = most > 0 && isfinite(most) ? ilogb(most) : 0;
    return exponent > EXTREME || exponent < -EXTREME ? ldexp(1, exponent < -1000 ? 1000 : -exponent) : 1;
}

/* Of the values that are there, or with their mean for others; NaN if there is no or one, or where they are infinite. */
static double variance(const double *x, int64_t n, double unit, bool fill)
{
    double squares = 0, there, mean = mean_of(x, n, unit, &there);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            squares += (x[i] * unit - mean) * (x[i] * unit - mean);
    return squares / ((fill ? (double)n : there) - 1);
}

static void weigh(const struct gt_float_acc *acc, struct gt_float_block *block, const struct gt_rows *rows)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    double *weights = (double *)(void *)block->weights.data;
    for (int64_t k = 0; k < rows->n && block->weights.len; k++) {
        const double *values = (const double *)(const void *)((const char *)rows->data + (size_t)k * rows->stride);
        const double unit = setup->numbers.by_variance ? unit_of(values, setup->n_samples) : 1;
        weights[k] = setup->numbers.by_variance ? 1 / variance(values, setup->n_samples, unit, setup->numbers.fill)
                                                : setup->numbers.weights[rows->first + k];
    }
}

/* Samples from `first` on, n of them, times the unit, into a row of a panel; is one missing, and `mean` too? */
static bool take(const struct gt_numbers *numbers, const double *values, int64_t first, int64_t n, double mean, double unit, double *out)
{
    bool missing = false;
    for (int64_t i = 0; i < n; i++) {
        double x = values[first + i];
        x = x != x ? mean : x;
        missing |= x != x;
        out[i] = x;
    }
    for (int64_t i = 0; i < n && unit != 1; i++)
        out[i] *= unit;
    for (int64_t i = 0; i < n && numbers->shift; i++)
        out[i] -= numbers->shift[first + i];
    for (int64_t i = 0; i < n && numbers->scale; i++)
        out[i] /= numbers->scale[first + i];
    for (int64_t i = n; i < GT_PANEL; i++)
        out[i] = 0;
    return missing;
}

static int16_t *small_int_panel(const struct gt_float_block *block, int64_t sites, int64_t panel)
{
    return (int16_t *)(void *)block->whole.data + panel * gt_float_small_int_panel(sites);
}

/* Site k of a panel; the last pair is filled up. */
static void take_whole(const double *values, int64_t k, int64_t sites, int16_t *panel)
{
    for (int i = 0; i < GT_PANEL; i++)
        panel[GT_SMALL_INT_AT(k, i)] = isnan(values[i]) ? 0 : (int16_t)values[i];
    for (int i = 0; i < GT_PANEL && k % 2 == 0 && k + 1 == sites; i++)
        panel[GT_SMALL_INT_AT(k + 1, i)] = 0;
}

static void fill(const struct gt_float_acc *acc, struct gt_float_block *block, const struct gt_rows *rows)
{
    const struct gt_acc_setup *setup = &acc->base.setup;
    bool *missing = (bool *)(void *)block->missing.data;
    memset(missing, 0, block->missing.len);
    for (int64_t k = 0; k < rows->n; k++) {
        const double *values = (const double *)(const void *)((const char *)rows->data + (size_t)k * rows->stride);
        double *out = (double *)(void *)block->values.data + k * GT_PANEL, there;
        const double mean = setup->numbers.fill ? mean_of(values, setup->n_samples, 1, &there) : NAN,
                     unit = setup->numbers.by_variance ? unit_of(values, setup->n_samples) : 1;
        for (int64_t p = 0; p < acc->panels; p++, out += rows->n * GT_PANEL) {
            int64_t first = (acc->first + p) * GT_PANEL, n = setup->n_samples - first;
            missing[p] |= take(&setup->numbers, values, first, n < GT_PANEL ? n : GT_PANEL, mean, unit, out);
            if (block->whole.len)
                take_whole(out, k, rows->n, small_int_panel(block, rows->n, p));
        }
    }
    for (int64_t p = 0; p < acc->panels; p++)
        block->base.any_missing |= missing[p];
}

int gt_float_prepare(struct gt_acc *base, const struct gt_rows *rows, struct gt_acc_block **out, struct gt_err *err)
{
    struct gt_float_acc *acc = (struct gt_float_acc *)base;
    struct gt_float_block *block = (struct gt_float_block *)*out;
    if (!block && !(block = gt_alloc(1, sizeof *block, err)))
        return GT_FAIL;
    *out = &block->base;
    int status = resize(acc, block, rows->n, err);
    if (status)
        return status;
    block->base = (struct gt_acc_block){.sites = rows->n};
    weigh(acc, block, rows);
    if (acc->panels)
        fill(acc, block, rows);
    return GT_OK;
}

/* --- sums ------------------------------------------------------------------------------ */

struct adding {
    struct gt_float_acc *acc;
    const struct gt_float_block *block;
    struct gt_rect rect;
    int64_t number; /* of the rectangle */
};

static bool is_missing(const struct adding *adding, int64_t a, int64_t b)
{
    const bool *missing = (const bool *)(const void *)adding->block->missing.data;
    return missing[a - adding->acc->first] || missing[b - adding->acc->first];
}

/* From site `from` on. */
static const double *panel_at(const struct adding *adding, int64_t panel, int64_t from)
{
    int64_t sites = adding->block->base.sites, p = panel - adding->acc->first;
    return (const double *)(const void *)adding->block->values.data + (p * sites + from) * GT_PANEL;
}

static const int16_t *whole_at(const struct adding *adding, int64_t panel, int64_t from)
{
    return small_int_panel(adding->block, adding->block->base.sites, panel - adding->acc->first) + GT_SMALL_INT_AT(from, 0);
}

static struct gt_float_sites sites_of(const struct adding *adding, int64_t from, bool unweighted, bool missing)
{
    const double *weights = (const double *)(const void *)adding->block->weights.data;
    int64_t n = adding->block->base.sites - from;
    return (struct gt_float_sites){.n = n < SITES_AT_ONCE ? n : SITES_AT_ONCE,
                                   .weights = adding->block->weights.len && !unweighted ? weights + from : NULL,
                                   .missing = missing,
                                   .p = adding->acc->base.setup.numbers.p};
}

static void add_tile(const struct adding *adding, int64_t a, int64_t b, int64_t from)
{
    struct gt_float_acc *acc = adding->acc;
    int64_t tile = gt_tiling_tile(&acc->tiling, a, b);
    enum gt_single single;
    bool of_column;
    for (int k = 0; k < acc->base.setup.n_planes; k++) {
        const struct gt_plane *plane = &acc->base.setup.planes[k];
        if (gt_float_single(plane, &single, &of_column) && !gt_float_apart(acc)[tile])
            continue;
        struct gt_float_sites sites = sites_of(adding, from, plane->unweighted, is_missing(adding, a, b));
        if (adding->block->whole.len && !sites.missing && gt_small_int_term(plane->term))
            acc->kernels->small_int_tile(plane->term, sites.n, whole_at(adding, a, from), whole_at(adding, b, from),
                                         gt_float_sums(acc, k, tile));
        else
            acc->kernels->float_tile(plane->term, &sites, panel_at(adding, a, from), panel_at(adding, b, from),
                                     gt_float_sums(acc, k, tile));
    }
}

static void add_singles(const struct adding *adding, int64_t panel, int64_t place, int64_t from)
{
    static const enum gt_float_term terms[] = {GT_FLOAT_N, GT_FLOAT_N, GT_FLOAT_X, GT_FLOAT_XX};
    enum gt_single single;
    bool done[GT_SINGLES] = {false}, of_column;
    for (int k = 0; k < adding->acc->base.setup.n_planes; k++) {
        if (!gt_float_single(&adding->acc->base.setup.planes[k], &single, &of_column) || done[single])
            continue;
        struct gt_float_sites sites = sites_of(adding, from, single == GT_SINGLE_N, false);
        adding->acc->kernels->float_panel(terms[single], &sites, panel_at(adding, panel, from),
                                          gt_float_singles(adding->acc, adding->number, single, place));
        done[single] = true;
    }
}

static void add_rect(const struct adding *adding, int64_t from)
{
    const struct gt_rect *rect = &adding->rect;
    const int64_t side = adding->acc->tiling.side;
    for (int64_t a = rect->row0; a < rect->row1; a++) {
        for (int64_t b = a > rect->column0 ? a : rect->column0; b < rect->column1; b++)
            add_tile(adding, a, b, from);
        add_singles(adding, a, a - rect->row0, from);
    }
    for (int64_t b = rect->column0; b < rect->column1; b++)
        add_singles(adding, b, side + b - rect->column0, from);
}

void gt_float_set_apart(struct gt_float_acc *acc, int64_t a, int64_t b)
{
    int64_t tile = gt_tiling_tile(&acc->tiling, a, b), number = gt_tiling_rect(&acc->tiling, a, b);
    struct gt_rect rect = gt_tiling_rect_at(&acc->tiling, number);
    enum gt_single single;
    bool of_column;
    for (int k = 0; k < acc->base.setup.n_planes && !gt_float_apart(acc)[tile]; k++) {
        if (!gt_float_single(&acc->base.setup.planes[k], &single, &of_column))
            continue;
        int64_t place = of_column ? acc->tiling.side + b - rect.column0 : a - rect.row0;
        const double *from = gt_float_singles(acc, number, single, place);
        double *to = gt_float_sums(acc, k, tile);
        for (int c = 0; c < GT_FLOAT_CELLS; c++)
            to[c] = from[of_column ? c % GT_PANEL : c / GT_PANEL];
    }
    gt_float_apart(acc)[tile] = 1;
}

static void set_apart(const struct adding *adding)
{
    const struct gt_rect *rect = &adding->rect;
    for (int64_t a = rect->row0; a < rect->row1; a++)
        for (int64_t b = a > rect->column0 ? a : rect->column0; b < rect->column1; b++)
            if (is_missing(adding, a, b))
                gt_float_set_apart(adding->acc, a, b);
}

int gt_float_add(struct gt_acc *base, const struct gt_acc_block *block, int64_t part, struct gt_err *err)
{
    struct gt_float_acc *acc = (struct gt_float_acc *)base;
    struct adding adding = {acc, (const struct gt_float_block *)block, .number = part};
    if (acc->on || part == acc->tiling.rects)
        base->sites += block->sites;
    if (acc->on)
        return gt_float_device_add(acc, adding.block, err);
    if (part == acc->tiling.rects)
        return GT_OK;
    if (base->setup.ranks > 1 && part % base->setup.ranks != base->setup.rank)
        return GT_OK;
    adding.rect = gt_tiling_rect_at(&acc->tiling, part);
    set_apart(&adding);
    for (int64_t from = 0; from < block->sites; from += SITES_AT_ONCE)
        add_rect(&adding, from);
    return GT_OK;
}
