/* Internals of gt_acc_device: the sums of gt_acc_cpu (calc/pairs/acc_geno.h) as products of int8 planes on a device.
 *
 * For a code let s, h, q, m be its number less 1 (0 where missing), and whether it is 0 or 2, is 2, is 3.  What the cpu counts of a pair
 * is then DOT = s s', AGREE = (s s' + h h') / 2, ALT = q q', and m h', h m', m q', q m', m m' where calls are missing: of these eight
 * products, those that a plane needs.  A sum of one is at most the number of sites, and so fits int32.
 *
 * Per-site weights (calc/pairs/acc_weighted.h) are cut into digits of 7 bits: 2 w s is the sum over d of 2^(7 d) times a plane with
 * numbers from -127 to 127, whose product with s goes to an int32 tile, and from there to an int64 one after each block.  What a
 * missing call adds for the other's code is cut likewise, into digits from -64 to 63, and multiplied with m.
 *
 * Blocks go through pinned memory, which prepare fills, and two buffers on the device in turn, so that the copy of one overlaps with the
 * products of the one before.  Sums stay on the device until finish, which brings them to the host: tiles are made there. */
#ifndef GT_CALC_ACC_DEVICE_H
#define GT_CALC_ACC_DEVICE_H

#include "calc/pairs/acc_geno.h"
#include "core/device/device_open.h"

/* uint8 planes of all sites alike, and their products. */
enum { GT_DEV_S, GT_DEV_H, GT_DEV_Q, GT_DEV_M, GT_DEV_PLANES };
enum {
    GT_DEV_SS,
    GT_DEV_HH,
    GT_DEV_QQ,
    GT_DEV_MH, /* the row's sample is missing, the column's is 0 or 2 */
    GT_DEV_HM,
    GT_DEV_MQ,
    GT_DEV_QM,
    GT_DEV_MM,
    GT_DEV_PRODUCTS
};
struct gt_dev_product {
    int row, column;
};
extern const struct gt_dev_product gt_dev_products[GT_DEV_PRODUCTS];

enum { GT_DEV_W_DIGITS = 9, GT_DEV_GAP_DIGITS = 10, GT_DEV_DIGITS = GT_DEV_W_DIGITS + GT_DEV_GAP_DIGITS };
enum { GT_DEV_SIDE = 2048 }; /* samples along a tile */

/* Sums per sample, int64_t [n] each: counts of h, q, m; and for each plane with weights three tables of gt_cpu_weights. */
enum { GT_DEV_WEIGHT_SUMS = GT_CPU_SIZE + 1, GT_DEV_SAMPLE_SUMS = GT_CPU_BITS + GT_MAX_PLANES * GT_DEV_WEIGHT_SUMS };

/* Where the tables of a block stand: bytes from its beginning.  Rows come first. */
struct gt_dev_layout {
    size_t row_bytes, rows;        /* of a site; of all */
    size_t weights[GT_MAX_PLANES]; /* int64_t [GT_DEV_WEIGHT_SUMS][block_rows][4] */
    size_t digits[GT_MAX_PLANES];  /* int8_t [GT_DEV_DIGITS][block_rows][4] */
    size_t bytes;
};

struct gt_dev_acc {
    struct gt_acc base;
    struct gt_device *device;
    struct gt_cpu_plane form[GT_MAX_PLANES];
    bool product[GT_DEV_PRODUCTS], plane[GT_DEV_PLANES]; /* that are needed */
    int64_t first, n;                                    /* samples: of rows and columns */
    int64_t side, row_tiles, column_tiles, tiles;        /* tiles that have pairs */
    int64_t width;                                       /* sites of a plane: block_rows, rounded up */
    struct gt_dev_layout layout;

    struct gt_stream *copies, *work;
    struct gt_event *free_again[2]; /* the buffer was read */
    struct gt_device_buf constants; /* tables that all sites share */
    struct gt_device_buf blocks[2];
    struct gt_device_buf planes[GT_DEV_PLANES], digit, scratch;
    struct gt_device_buf sums[GT_DEV_PRODUCTS];  /* int32_t [tiles][side][side] */
    struct gt_device_buf weighed[GT_MAX_PLANES]; /* int64_t, likewise */
    struct gt_device_buf samples;                /* int64_t [GT_DEV_SAMPLE_SUMS][n] */
    int64_t added;                               /* blocks */

    /* on the host, from finish on */
    uint64_t het_pairs[GT_MAX_PLANES];
    struct gt_buf totals[GT_DEV_PRODUCTS], weighed_totals[GT_MAX_PLANES], sample_totals;
};

struct gt_dev_block {
    struct gt_acc_block base;
    struct gt_dev_acc *acc;
    struct gt_device_buf data;  /* pinned, as the layout says */
    struct gt_event *copied;    /* it may be written to */
    struct gt_cpu_weights made; /* room */
    uint64_t het_pairs[GT_MAX_PLANES];
    int64_t rows;
};

/* Index of the tile of row tile a and column tile b; below 0 where it has no pairs. */
int64_t gt_dev_tile(const struct gt_dev_acc *acc, int64_t a, int64_t b);

static inline bool gt_dev_has_tiles(const struct gt_plane *plane)
{
    return plane->terms && plane->reach != GT_SITE_WEIGHTS_ALONE;
}

int gt_dev_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
int gt_dev_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
void gt_dev_block_free(struct gt_acc_block *block);
int gt_dev_finish(struct gt_acc *acc, struct gt_comm *comm, struct gt_err *err);
int gt_dev_merge(struct gt_acc *acc, const struct gt_acc *from, struct gt_err *err);
void gt_dev_tile_planes(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[]);
/* Frees what is on the device. */
void gt_dev_leave(struct gt_dev_acc *acc);

#endif
