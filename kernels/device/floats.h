/* Sums of pairs of float64 rows, by the terms of the cpu's kernels (kernels/float_term.h).
 *
 * Panels are those of the cpu: double [panels][sites][32]; a tile has the sums of two panels' samples, double [32][32]. */
#ifndef GT_KERNELS_DEVICE_FLOATS_H
#define GT_KERNELS_DEVICE_FLOATS_H

#include "kernels/float_term.h"

enum { GT_DEVICE_PANEL = 32 };

struct gt_device_floats {
    const double *values;  /* panels */
    const double *weights; /* [sites]; NULL: 1 */
    int64_t sites, term;
    double p;
    const int32_t *tiles; /* [2]: the panels of the rows and of the columns of each tile */
    double *sums;         /* tiles, one after another */
};

GT_DEVICE_FN const double *gt_device_panel(const struct gt_device_floats *a, int64_t panel, int64_t sample)
{
    return a->values + panel * a->sites * GT_DEVICE_PANEL + sample;
}

/* A cell of a tile, i = (tile * 32 + row) * 32 + column, by a term that is heavy. */
struct gt_device_float_cell_args {
    struct gt_device_floats of;
};

GT_DEVICE_FN void gt_device_float_cell(int64_t i, const struct gt_device_float_cell_args *args)
{
    const struct gt_device_floats *a = &args->of;
    const int64_t tile = i / (GT_DEVICE_PANEL * GT_DEVICE_PANEL);
    const double *x = gt_device_panel(a, a->tiles[2 * tile], i / GT_DEVICE_PANEL % GT_DEVICE_PANEL);
    const double *y = gt_device_panel(a, a->tiles[2 * tile + 1], i % GT_DEVICE_PANEL);
    double sum = a->sums[i];
    for (int64_t k = 0; k < a->sites; k++, x += GT_DEVICE_PANEL, y += GT_DEVICE_PANEL)
        if (*x == *x && *y == *y)
            sum = gt_float_added_heavy((enum gt_float_term)a->term, a->p, a->weights ? a->weights[k] : 1, *x, *y, sum);
    a->sums[i] = sum;
}

/* 4 x 2 cells of a tile, i = (tile * 8 + row / 4) * 16 + column / 2, by any other term: six numbers are read for eight sums. */
struct gt_device_float_cells_args {
    struct gt_device_floats of;
};

#ifdef __CUDACC__
#define GT_DEVICE_UNROLL _Pragma("unroll")
#else
#define GT_DEVICE_UNROLL
#endif
#define GT_DEVICE_CELLS(next)                                                                                                              \
    GT_DEVICE_UNROLL                                                                                                                       \
    for (int c = 0; c < 8; c++) {                                                                                                          \
        const double p = x[c / 2], q = y[c % 2], sum = sums[c];                                                                            \
        sums[c] = p == p && q == q ? (next) : sum;                                                                                         \
    }

GT_DEVICE_FN void gt_device_float_cells(int64_t i, const struct gt_device_float_cells_args *args)
{
    const struct gt_device_floats *a = &args->of;
    const int64_t tile = i / 128, row = i / 16 % 8 * 4, column = i % 16 * 2;
    const double *x = gt_device_panel(a, a->tiles[2 * tile], row), *y = gt_device_panel(a, a->tiles[2 * tile + 1], column);
    double *out = a->sums + (tile * GT_DEVICE_PANEL + row) * GT_DEVICE_PANEL + column, sums[8];
    GT_DEVICE_UNROLL
    for (int c = 0; c < 8; c++)
        sums[c] = out[c / 2 * GT_DEVICE_PANEL + c % 2];
    for (int64_t k = 0; k < a->sites; k++, x += GT_DEVICE_PANEL, y += GT_DEVICE_PANEL) {
        const double w = a->weights ? a->weights[k] : 1;
        if (a->term == GT_FLOAT_SQUARE)
            GT_DEVICE_CELLS(fma(w * (p - q), p - q, sum))
        else if (a->term == GT_FLOAT_XY)
            GT_DEVICE_CELLS(fma(w * p, q, sum))
        else if (a->term == GT_FLOAT_ABS)
            GT_DEVICE_CELLS(fma(w, fabs(p - q), sum))
        else
            GT_DEVICE_CELLS(gt_float_added((enum gt_float_term)a->term, w, p, q, sum))
    }
    GT_DEVICE_UNROLL
    for (int c = 0; c < 8; c++)
        out[c / 2 * GT_DEVICE_PANEL + c % 2] = sums[c];
}

#endif
