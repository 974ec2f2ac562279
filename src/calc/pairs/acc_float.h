/* The inside of gt_acc_float.
 *
 * A plane of N, X, Y, XX or YY is the same for all pairs of a sample until a value is missing.
 * So each rectangle of tiles keeps these sums of its single samples, and a tile gets sums of
 * pairs, which begin with those, at the first block in which one of its samples lacks a value:
 * it stands apart from then on.  The bits are those of sums that were of pairs all along.
 *
 * Small whole numbers have a second form, of a quarter of the size and with kernels of their own,
 * which tiles without missing values take: such sums are exact either way. */
#ifndef GT_CALC_ACC_FLOAT_H
#define GT_CALC_ACC_FLOAT_H

#include "calc/pairs/tiling.h"

enum { GT_FLOAT_CELLS = GT_PANEL * GT_PANEL };
/* Sums of single samples. */
enum gt_single { GT_SINGLE_N, GT_SINGLE_WEIGHT, GT_SINGLE_X, GT_SINGLE_XX, GT_SINGLES };

struct gt_float_acc {
    struct gt_acc base;
    const struct gt_kernels *kernels;
    struct gt_tiling tiling;
    int64_t first, panels; /* of a block */
    struct gt_buf sums;    /* double [planes][tiles][GT_FLOAT_CELLS]; of single samples' planes, those of tiles that stand apart */
    struct gt_buf singles; /* double [rectangles][GT_SINGLES][2 side][GT_PANEL]: its row panels, then its column panels */
    struct gt_buf apart;   /* uint32_t [tiles]: 0 or 1 */
};

struct gt_float_block {
    struct gt_acc_block base;
    struct gt_buf values;  /* double [panels][sites][GT_PANEL] */
    struct gt_buf weights; /* double [sites], empty: 1 */
    struct gt_buf missing; /* bool [panels]: a value is */
    struct gt_buf whole;   /* int16_t [panels][small_int_panel]: the same where all are small whole numbers; else empty */
};

/* Values are compared as the whole numbers that they are. */
static inline bool gt_float_small_ints(const struct gt_numbers *numbers)
{
    return numbers->whole && !numbers->shift && !numbers->scale && !numbers->fill && !numbers->weights && !numbers->by_variance;
}

/* Numbers of a panel of small whole numbers. */
static inline int64_t gt_float_small_int_panel(int64_t sites)
{
    return (sites + 1) / 2 * 2 * GT_PANEL;
}

/* What a plane sums of single samples; false: it is of pairs from the start.  of_column: those
 * of the pair's second sample. */
bool gt_float_single(const struct gt_plane *plane, enum gt_single *single, bool *of_column);

static inline double *gt_float_sums(const struct gt_float_acc *acc, int plane, int64_t tile)
{
    return (double *)(void *)acc->sums.data + (plane * acc->tiling.tiles + tile) * GT_FLOAT_CELLS;
}
static inline uint32_t *gt_float_apart(const struct gt_float_acc *acc)
{
    return (uint32_t *)(void *)acc->apart.data;
}
/* Of a panel in a rectangle, by its place there. */
static inline double *gt_float_singles(const struct gt_float_acc *acc, int64_t rect, enum gt_single single, int64_t place)
{
    return (double *)(void *)acc->singles.data + ((rect * GT_SINGLES + single) * 2 * acc->tiling.side + place) * GT_PANEL;
}

int gt_float_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
int gt_float_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
/* The tile of panels a <= b gets sums of pairs. */
void gt_float_set_apart(struct gt_float_acc *acc, int64_t a, int64_t b);

#endif
