/* Internals of gt_acc_cpu.
 *
 * For a code let h, q, m indicate that it is 0 or 2, is 2, is 3.  Relative to a heterozygote, any f(x, y) is a sum of products of
 * these of x and of y, so a plane is a sum of
 *
 *     the number of sites; counts of h, q, m per sample;
 *     pairs of homozygotes:          AGREE, DOT, ALT of kernels/kernels.h, over bit planes or tables
 *     missing versus homozygote:     gaps[HOM], gaps[ALT]: h or q of one sample where the other is missing
 *     missing in both
 *
 * with integer coefficients (struct gt_cpu_plane), plus per-site weights (calc/pairs/acc_weighted.h).  At rare variants the pairs of
 * homozygotes are counted by lists of carriers (calc/pairs/acc_carriers.h).  The first two need one pass of the
 * pair kernel, with or without missing calls.  The others are counted per sample over the sites at which it is missing, by summing bit rows
 * of all samples at those sites. */
#ifndef GT_CALC_ACC_CPU_H
#define GT_CALC_ACC_CPU_H

#include <pthread.h>
#include <stdbool.h>

#include "calc/pairs/acc_carriers.h"
#include "calc/pairs/acc_gaps.h"
#include "calc/pairs/acc_sparse.h"
#include "calc/pairs/acc_weighted.h"
#include "calc/pairs/accumulator.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

enum { GT_CPU_HOM, GT_CPU_ALT, GT_CPU_MISSING, GT_CPU_BITS };
enum { GT_CPU_DENSE = GT_PAIR_ALT + 1, GT_CPU_GAPS = GT_CPU_ALT + 1 };
enum { GT_CPU_CELLS = GT_PANEL * GT_PANEL };

/* A plane as a linear combination of counts. */
struct gt_cpu_plane {
    int sites;
    int row[GT_CPU_BITS], column[GT_CPU_BITS]; /* h, q, m of sample i, of j */
    int dense[GT_CPU_DENSE];                   /* by gt_pair_product */
    int gap[2][GT_CPU_GAPS];                   /* i missing and h, q of j; j missing and h, q of i */
    int both;
};

/* A rectangle of panels. */
struct gt_cpu_rect {
    int32_t row0, row1, column0, column1;
};

/* Sample and panel indices are relative to `first`, the first sample of the box. */
struct gt_cpu_acc {
    struct gt_acc base;
    const struct gt_kernels *kernels;
    const struct gt_pair_kernel *pair; /* kernels of the dense counts below */
    struct gt_cpu_plane form[GT_MAX_PLANES];
    bool dense[GT_CPU_DENSE], gap[GT_CPU_GAPS], both; /* counts needed by a plane */
    int64_t first, n;                                 /* samples */
    struct gt_cpu_rect panels;                        /* of the box */
    int64_t vectors;                                  /* in a bit row of all samples */
    int64_t n_rects, n_chunks;                        /* parts: rectangles of panels, chunks of 64 samples, counts of a sample */
    struct gt_buf tile_start;                         /* int64_t, by row panel less panels.row0: index of its first tile */
    struct gt_buf rects;                              /* struct gt_cpu_rect */
    struct gt_buf gap_span, both_span;                /* struct gt_cpu_span, by sample */
    int64_t tiles, gap_size, both_size;               /* total numbers */
    struct gt_buf sums[GT_CPU_DENSE];                 /* uint32_t [tiles][GT_PANEL][GT_PANEL], if needed */
    struct gt_buf gaps[GT_CPU_GAPS], both_missing;    /* by span, see calc/pairs/acc_gaps.h; empty until a call is missing */
    struct gt_buf gap_bytes;                          /* uint8_t [n], once finished: bytes of a number that a sample's gaps use */
    struct gt_buf counts;                             /* int64_t [GT_CPU_BITS][n] */
    struct gt_cpu_weighed weighed[GT_MAX_PLANES];
    int64_t most_carriers, most_sparse, side; /* carriers of a listed site, entries of a sparse one; panels along a rectangle */
    struct gt_cpu_pending pending, pending_sparse;
    struct gt_cpu_listed_sums listed;
    struct gt_buf band_done; /* _Atomic int32_t by `side` row panels: rectangles of the block that are done */
    pthread_mutex_t lock;    /* for creating gaps and both_missing, and of pending */
};

struct gt_cpu_block {
    struct gt_acc_block base;
    struct gt_cpu_carriers lists;
    struct gt_cpu_sparse sparse;
    int64_t n_dense, n_bits;         /* sites of codes and weights; and of bits, the same first, then the sparse ones */
    int64_t n_missing;               /* of bits */
    struct gt_buf codes;             /* panels */
    struct gt_buf bits[GT_CPU_BITS]; /* [n_bits] bit rows of all samples; q only if needed */
    struct gt_buf missing;           /* uint64_t [words of 64 sites][column_stride]: m by sample; if any is missing */
    struct gt_cpu_weights weights[GT_MAX_PLANES];
    struct gt_buf panel_codes;     /* uint64_t [panels][sites]: of packed rows; for planes with per-site weights */
    struct gt_buf order, gathered; /* of a digit, during encoding */
    struct gt_buf sums, counts;    /* [GT_CPU_BITS][vectors]: counts per sample as vector counters, and as uint32_t */
};

/* Columns of bits of a word are contiguous; 8 extra columns avoid cache set conflicts between words. */
static inline size_t gt_cpu_column_stride(const struct gt_cpu_acc *acc)
{
    return (size_t)acc->vectors * GT_BIT_ROW + 8;
}

static inline const int64_t *gt_cpu_counts(const struct gt_cpu_acc *acc, int bit)
{
    return (const int64_t *)(const void *)acc->counts.data + bit * acc->n;
}

static inline int64_t gt_cpu_panels(const struct gt_cpu_acc *acc)
{
    return gt_ceil_div(acc->n, GT_PANEL);
}

/* Index of the tile of row panel a and column panel b. */
static inline int64_t gt_cpu_tile(const struct gt_cpu_acc *acc, int64_t a, int64_t b)
{
    int64_t from = a > acc->panels.column0 ? a : acc->panels.column0;
    return ((const int64_t *)(const void *)acc->tile_start.data)[a - acc->panels.row0] + b - from;
}

/* Index of the sums of row panel a and column panel 0, if that were there. */
static inline int64_t gt_cpu_row_of_tiles(const struct gt_cpu_acc *acc, int64_t a)
{
    return gt_cpu_tile(acc, a, 0) * GT_CPU_CELLS;
}

static inline struct gt_cpu_span gt_cpu_span_of(const struct gt_buf *spans, int64_t sample)
{
    return ((const struct gt_cpu_span *)(const void *)spans->data)[sample];
}

/* What a plane is made of. */
void gt_cpu_make_form(struct gt_cpu_plane *form, const int8_t f[4][4]);

/* buf has n items of `size` bytes, all 0.  GT_NOFIT: too large; GT_FAIL: out of memory. */
int gt_cpu_zeroed(struct gt_buf *buf, int64_t n, size_t size, struct gt_err *err);

/* GT_FAIL if a 32-bit counter could overflow. */
int gt_cpu_check_sites(const struct gt_acc *acc, struct gt_err *err);

int gt_cpu_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
int gt_cpu_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
int gt_cpu_rest(struct gt_acc *acc, struct gt_acc_block **block, struct gt_err *err);
void gt_cpu_block_free(struct gt_acc_block *block);
void gt_cpu_tile_planes(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[]);

#endif
