/* The inside of gt_acc_cpu.
 *
 * Let h, q, m say of a code that it is 0 or 2, 2, 3.  Relative to a heterozygote any
 * f(x, y) is a sum of products of these of x and of y, so that a plane is a sum of
 *
 *     the number of sites; counts of h, q, m of either sample alone;
 *     pairs of homozygotes:      AGREE, DOT, ALT of kernels/kernels.h, over bit planes or tables
 *     missing beside homozygote: gaps[HOM], gaps[ALT]: h or q of one where the other is missing
 *     missing in both
 *
 * with whole coefficients (struct gt_cpu_plane), beside terms by site (calc/acc_weigh.h).  The first need no more than one pass of the
 * pair kernel whether calls are missing or not.  The others are counted sample by sample, over
 * the sites at which that sample is missing: bit rows of all samples at those sites are summed. */
#ifndef GT_CALC_ACC_CPU_H
#define GT_CALC_ACC_CPU_H

#include <pthread.h>
#include <stdbool.h>

#include "calc/pairs/acc_weighted.h"
#include "calc/pairs/accumulator.h"
#include "core/base/size.h"
#include "kernels/kernels.h"

enum { GT_CPU_HOM, GT_CPU_ALT, GT_CPU_MISSING, GT_CPU_BITS };
enum { GT_CPU_DENSE = GT_PAIR_ALT + 1, GT_CPU_GAPS = GT_CPU_ALT + 1 };
enum { GT_CPU_CELLS = GT_PANEL * GT_PANEL };

/* A plane as a sum of counts. */
struct gt_cpu_plane {
    int sites;
    int row[GT_CPU_BITS], column[GT_CPU_BITS]; /* h, q, m of sample i, of j */
    int dense[GT_CPU_DENSE];                   /* by gt_pair_product */
    int gap[2][GT_CPU_GAPS];                   /* i missing and h, q of j; j missing and h, q of i */
    int both;
};

/* Vectors of columns, [from, to), of a sample's row of gaps; at: their first number. */
struct gt_cpu_span {
    int64_t at;
    int32_t from, to;
};

/* A rectangle of panels. */
struct gt_cpu_rect {
    int32_t row0, row1, column0, column1;
};

/* Numbers of samples and panels count from `first` on, the first sample of the box. */
struct gt_cpu_acc {
    struct gt_acc base;
    const struct gt_kernels *kernels;
    const struct gt_pair_kernel *pair; /* of the kernels, for the dense counts below */
    struct gt_cpu_plane form[GT_MAX_PLANES];
    bool dense[GT_CPU_DENSE], gap[GT_CPU_GAPS], both; /* counts that a plane needs */
    int64_t first, n;                                 /* samples */
    struct gt_cpu_rect panels;                        /* of the box */
    int64_t vectors;                                  /* bit rows for all samples */
    int64_t n_rects, n_chunks;                        /* parts: rectangles of panels; chunks of 64 samples; the counts of one */
    struct gt_buf tile_start;                         /* int64_t, by row panel less panels.row0: number of its first tile */
    struct gt_buf rects;                              /* struct gt_cpu_rect */
    struct gt_buf gap_span, both_span;                /* struct gt_cpu_span, by sample */
    int64_t tiles, gap_size, both_size;               /* numbers in all */
    struct gt_buf sums[GT_CPU_DENSE];                 /* uint32_t [tiles][GT_PANEL][GT_PANEL], for those that are needed */
    struct gt_buf gaps[GT_CPU_GAPS], both_missing; /* by span: counts of vectors, uint32_t once finished; empty until calls are missing */
    struct gt_buf counts;                          /* int64_t [GT_CPU_BITS][n] */
    struct gt_cpu_weighed weighed[GT_MAX_PLANES];
    pthread_mutex_t lock; /* for making gaps and both_missing */
};

struct gt_cpu_block {
    struct gt_acc_block base;
    int64_t n_missing;
    struct gt_buf codes;             /* panels */
    struct gt_buf bits[GT_CPU_BITS]; /* [sites] bit rows of all samples; q only if it is needed */
    struct gt_buf missing;           /* uint64_t [words of 64 sites][column_stride]: m by sample; when any is missing */
    struct gt_cpu_weights weights[GT_MAX_PLANES];
    struct gt_buf panel_codes;     /* uint64_t [panels][sites]: of packed rows; for planes with terms by site */
    struct gt_buf order, gathered; /* of one digit, while it is encoded */
    struct gt_buf sums, counts;    /* [GT_CPU_BITS][vectors]: how often samples have each, as counts of vectors; as uint32_t */
};

/* Columns of bits of a word lie side by side; the 8 more keep words off each other's cache sets. */
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

/* Number of the tile of row panel a and column panel b. */
static inline int64_t gt_cpu_tile(const struct gt_cpu_acc *acc, int64_t a, int64_t b)
{
    int64_t from = a > acc->panels.column0 ? a : acc->panels.column0;
    return ((const int64_t *)(const void *)acc->tile_start.data)[a - acc->panels.row0] + b - from;
}

static inline struct gt_cpu_span gt_cpu_span_of(const struct gt_buf *spans, int64_t sample)
{
    return ((const struct gt_cpu_span *)(const void *)spans->data)[sample];
}

/* GT_OK when they are there already. */
int gt_cpu_make_gaps(struct gt_cpu_acc *acc, struct gt_err *err);

/* GT_FAIL when a number of 32 bits could be too small. */
int gt_cpu_check_sites(const struct gt_acc *acc, struct gt_err *err);

int gt_cpu_prepare(struct gt_acc *acc, const struct gt_rows *rows, struct gt_acc_block **block, struct gt_err *err);
int gt_cpu_add(struct gt_acc *acc, const struct gt_acc_block *block, int64_t part, struct gt_err *err);
void gt_cpu_block_free(struct gt_acc_block *block);
void gt_cpu_tile_planes(const struct gt_acc *acc, const struct gt_pair_box *box, double *const planes[]);

#endif
