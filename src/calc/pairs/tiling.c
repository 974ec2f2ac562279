#include "calc/pairs/tiling.h"

#include "core/base/size.h"

enum { LARGEST_SIDE = 4, RECTS_WANTED = 64 };

/* Columns of a row panel begin there. */
static int64_t first_column(const struct gt_tiling *t, int64_t a)
{
    return gt_max_i64(a, t->panels.column0);
}

static int64_t tiles_of_row(const struct gt_tiling *t, int64_t a)
{
    return gt_max_i64(0, t->panels.column1 - first_column(t, a));
}

static int64_t bands(const struct gt_tiling *t)
{
    return gt_ceil_div(t->panels.row1 - t->panels.row0, t->side);
}

static int64_t rects_of_band(const struct gt_tiling *t, int64_t band)
{
    return gt_ceil_div(tiles_of_row(t, t->panels.row0 + band * t->side), t->side);
}

/* Bands before the first column have equally many, each later one has one less. */
static int64_t count_rects(const struct gt_tiling *t)
{
    const int64_t all = bands(t), before = gt_max_i64(0, gt_min_i64(all, gt_ceil_div(t->panels.column0 - t->panels.row0, t->side)));
    const int64_t longest = before < all ? rects_of_band(t, before) : 0, n = gt_min_i64(all - before, longest);
    return (before ? before * rects_of_band(t, 0) : 0) + n * longest - n * (n - 1) / 2;
}

void gt_tiling_measure(struct gt_tiling *t, const struct gt_pair_box *box, int64_t wanted)
{
    *t = (struct gt_tiling){
        .panels = {box->row0 / GT_PANEL, gt_ceil_div(box->row1, GT_PANEL), box->col0 / GT_PANEL, gt_ceil_div(box->col1, GT_PANEL)},
        .side = LARGEST_SIDE};
    t->tiles = gt_box_cells(&(struct gt_pair_box){t->panels.row0, t->panels.row1, t->panels.column0, t->panels.column1});
    while (t->side > 1 && count_rects(t) < wanted)
        t->side /= 2;
    while (count_rects(t) > RECTS_WANTED * gt_max_i64(wanted, RECTS_WANTED))
        t->side *= 2;
    t->rects = count_rects(t);
}

int64_t gt_tiling_bytes(const struct gt_tiling *t)
{
    return (t->panels.row1 - t->panels.row0 + bands(t)) * (int64_t)sizeof(int64_t) + 128;
}

static int make_table(struct gt_buf *buf, int64_t n, struct gt_err *err)
{
    return gt_buf_resize(buf, (size_t)n * sizeof(int64_t), err);
}

int gt_tiling_init(struct gt_tiling *t, const struct gt_pair_box *box, int64_t wanted, struct gt_budget *budget, struct gt_err *err)
{
    gt_tiling_measure(t, box, wanted);
    t->row.budget = t->band.budget = budget;
    int status = make_table(&t->row, t->panels.row1 - t->panels.row0, err);
    if (!status)
        status = make_table(&t->band, bands(t), err);
    if (status)
        return status;
    int64_t at = 0;
    for (int64_t a = t->panels.row0; a < t->panels.row1; at += tiles_of_row(t, a++))
        ((int64_t *)(void *)t->row.data)[a - t->panels.row0] = at;
    at = 0;
    for (int64_t band = 0; band < bands(t); at += rects_of_band(t, band++))
        ((int64_t *)(void *)t->band.data)[band] = at;
    return GT_OK;
}

void gt_tiling_release(struct gt_tiling *t)
{
    gt_buf_release(&t->row);
    gt_buf_release(&t->band);
}

int64_t gt_tiling_tile(const struct gt_tiling *t, int64_t a, int64_t b)
{
    return ((const int64_t *)(const void *)t->row.data)[a - t->panels.row0] + b - first_column(t, a);
}

int64_t gt_tiling_rect(const struct gt_tiling *t, int64_t a, int64_t b)
{
    int64_t band = (a - t->panels.row0) / t->side;
    return ((const int64_t *)(const void *)t->band.data)[band] + (b - first_column(t, t->panels.row0 + band * t->side)) / t->side;
}

struct gt_rect gt_tiling_rect_at(const struct gt_tiling *t, int64_t rect)
{
    const int64_t *first = (const int64_t *)(const void *)t->band.data;
    int64_t low = 0, high = bands(t) - 1;
    while (low < high) { /* the last band that begins at or before it */
        int64_t middle = (low + high + 1) / 2;
        if (first[middle] <= rect)
            low = middle;
        else
            high = middle - 1;
    }
    int64_t a = t->panels.row0 + low * t->side, b = first_column(t, a) + (rect - first[low]) * t->side;
    return (struct gt_rect){a, gt_min_i64(a + t->side, t->panels.row1), b, gt_min_i64(b + t->side, t->panels.column1)};
}
