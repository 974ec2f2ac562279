/* Internals of gt_acc_float.
 *
 * While no value is missing, a plane of N, X, Y, XX or YY is the same for all pairs of a sample.  Each rectangle of tiles therefore
 * keeps these sums per sample.  A tile switches to sums per pair, initialised from those, at the first block in which one
 * of its samples has a missing value.  The result is bit-identical to sums per pair from the start.
 *
 * Small integers have a second representation of a quarter of the size with its own kernels, used by tiles without missing values;
 * these sums are exact in both representations. */
#ifndef GT_CALC_ACC_FLOAT_H
#define GT_CALC_ACC_FLOAT_H

#include "calc/pairs/tiling.h"
#include "core/device/device_open.h"

enum { GT_FLOAT_CELLS = GT_PANEL * GT_PANEL };
/* Sums per sample. */
enum gt_single { GT_SINGLE_N, GT_SINGLE_WEIGHT, GT_SINGLE_X, GT_SINGLE_XX, GT_SINGLES };

/* On a device all tiles have sums per pair from the start: kernels/device/floats.h.  Blocks go through two buffers in turn, so that the
 * copy of one overlaps with the sums of the one before; finish brings the sums. */
struct gt_float_on_device;

struct gt_float_acc {
    struct gt_acc base;
    const struct gt_kernels *kernels;
    struct gt_tiling tiling;
    int64_t first, panels;         /* of a block */
    struct gt_buf sums;            /* double [planes][tiles][GT_FLOAT_CELLS]; for planes with sums per sample, only tiles that switched */
    struct gt_buf singles;         /* double [rectangles][GT_SINGLES][2 side][GT_PANEL]: row panels, then column panels */
    struct gt_buf apart;           /* uint32_t [tiles]: 1 if the tile switched to sums per pair */
    struct gt_float_on_device *on; /* NULL: the cpu */
};

struct gt_float_block {
    struct gt_acc_block base;
    struct gt_buf values;  /* double [panels][sites][GT_PANEL] */
    struct gt_buf weights; /* double [sites], empty: 1 */
    struct gt_buf missing; /* bool [panels]: has a missing value */
    struct gt_buf whole;   /* int16_t [panels][small_int_panel] if all values are small integers; else empty */
};

/* Are the values small integers that have kernels of their own: on the cpu, not shifted or scaled? */
static inline bool gt_float_small_ints(const struct gt_acc_setup *setup)
{
    const struct gt_numbers *numbers = &setup->numbers;
    return !setup->device && numbers->whole && !numbers->shift && !numbers->scale && !numbers->fill && !numbers->weights &&
           !numbers->by_variance;
}

/* Numbers in a panel of small integers. */
static inline int64_t gt_float_small_int_panel(int64_t sites)
{
    return (sites + 1) / 2 * 2 * GT_PANEL;
}

/* Which sum per sample a plane starts with; false: none.  of_column: it is that of the second sample of the
 * pair. */
bool gt_float_single(const struct gt_plane *plane, enum gt_single *single, bool *of_column);

static inline double *gt_float_sums(const struct gt_float_acc *acc, int plane, int64_t tile)
{
    return (double *)(void *)acc->sums.data + (plane * acc->tiling.tiles + tile) * GT_FLOAT_CELLS;
}
static inline uint32_t *gt_float_apart(const struct gt_float_acc *acc)
{
    return (uint32_t *)(void *)acc->apart.data;
}
/* Sums of a panel by its position in a rectangle. */
static inline double *gt_float_singles(const struct gt_float_acc *acc, int64_t rect, enum gt_single single, int64_t place)
{
    return (double *)(void *)acc->singles.data + ((rect * GT_SINGLES + single) * 2 * acc->tiling.side + place) * GT_PANEL;
}

int gt_float_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
int gt_float_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
/* Switches the tile of panels a <= b to sums per pair. */
void gt_float_set_apart(struct gt_float_acc *acc, int64_t a, int64_t b);

/* acc_float_device.c: made after the sums of the accumulator; bytes: of the device's memory, and of the host's for a tile. */
enum { GT_FLOAT_DEVICE_TILE = sizeof(int64_t) + 2 * sizeof(int32_t) };
int gt_float_device_new(struct gt_float_acc *acc, struct gt_err *err);
int64_t gt_float_device_bytes(const struct gt_acc_setup *setup);
int gt_float_device_add(struct gt_float_acc *acc, const struct gt_float_block *block, struct gt_err *err);
int gt_float_device_finish(struct gt_float_acc *acc, struct gt_err *err);
void gt_float_device_free(struct gt_float_on_device *on);

#endif
