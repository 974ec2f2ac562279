/* Divides the pairs of a box into tiles (a panel of GT_PANEL samples by another, on or above the diagonal), and tiles into rectangles,
 * the unit of work of a thread. */
#ifndef GT_CALC_TILING_H
#define GT_CALC_TILING_H

#include "calc/pairs/accumulator.h"

/* Panels [row0, row1) by [column0, column1); for a rectangle that crosses the diagonal, the tiles (a, b) with
 * a <= b. */
struct gt_rect {
    int64_t row0, row1, column0, column1;
};

struct gt_tiling {
    struct gt_rect panels; /* of the box */
    int64_t tiles, rects;
    int64_t side;       /* maximum side of a rectangle in panels */
    struct gt_buf row;  /* int64_t by row panel: index of its first tile */
    struct gt_buf band; /* int64_t by `side` row panels: index of the first rectangle */
};

/* Chooses the size of rectangles so that there are at least `wanted`, if there are as many tiles.  measure: does not create the
 * tables. */
void gt_tiling_measure(struct gt_tiling *tiling, const struct gt_pair_box *box, int64_t wanted);
int64_t gt_tiling_bytes(const struct gt_tiling *tiling);
int gt_tiling_init(struct gt_tiling *tiling, const struct gt_pair_box *box, int64_t wanted, struct gt_budget *budget, struct gt_err *err);
void gt_tiling_release(struct gt_tiling *tiling);

/* Index of the tile of panels a <= b, and of its rectangle; the rectangle. */
int64_t gt_tiling_tile(const struct gt_tiling *tiling, int64_t a, int64_t b);
int64_t gt_tiling_rect(const struct gt_tiling *tiling, int64_t a, int64_t b);
struct gt_rect gt_tiling_rect_at(const struct gt_tiling *tiling, int64_t rect);

#endif
