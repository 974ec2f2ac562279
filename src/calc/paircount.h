/* Pair counts: for every two samples the sum over jointly observed sites of a
 * small integer f(x, y), and the number of those sites.
 *
 * This is the accumulator that a pdist flow feeds: init, then for each block
 * prepare (any thread) and add (parts, in block order), then band reads the
 * sums.  Another device implements the same five functions.  All sums are
 * integers, so they do not depend on threads, block sizes or kernel level.
 *
 * Layout.  Sums are kept for parts: a part is `height` rows (samples i) by one
 * panel of GT_PANEL columns (samples j).  In triangle mode only panels that
 * reach to or over the diagonal are kept; otherwise all panels of rows
 * [row0, row1), one band of several passes. */
#ifndef GT_CALC_PAIRCOUNT_H
#define GT_CALC_PAIRCOUNT_H

#include <pthread.h>
#include <stdbool.h>

#include "engine/engine.h"
#include "kernels/kernels.h"

struct gt_pair_counts {
    const struct gt_kernels *kernels;
    struct gt_budget *budget;
    int64_t n;          /* samples */
    int64_t panels;     /* ceil(n / GT_PANEL) */
    int64_t row0, row1; /* rows kept; row0 is a multiple of GT_PANEL */
    bool triangle;
    int height;              /* rows of a part; divides GT_PANEL */
    int64_t strips, n_parts; /* strips of `height` rows; parts in all */
    int64_t sites;           /* added so far */
    struct gt_pair_table table, observed;
    struct gt_buf sums;    /* int64_t [n_parts][height][GT_PANEL] */
    struct gt_buf both;    /* uint32_t, the same shape: sites missing in both; empty until some are */
    struct gt_buf missing; /* int64_t [n]: sites missing in a sample */
    pthread_mutex_t lock;  /* for making `both` */
};

/* One block made ready: codes of all panels, and where calls are missing. */
struct gt_pair_block {
    int64_t sites, groups, n_missing;
    bool dense;               /* so many missing that a second table run counts them */
    struct gt_buf codes;      /* [panels][groups][GT_PANEL] */
    struct gt_buf missing;    /* uint32_t [n]: missing sites of each sample in this block */
    struct gt_buf holes;      /* uint8_t: missing samples (number in their panel), by panel, then by site; unless dense */
    struct gt_buf hole_start; /* uint32_t [panels * sites + 1]: first of a panel and site */
};

/* Bytes that sums and both take for all pairs of n samples (triangle), and for
 * a band of `rows` rows against all. */
int64_t gt_pair_triangle_bytes(int64_t n);
int64_t gt_pair_band_bytes(int64_t n, int64_t rows);
/* Bytes of one prepared block of `sites` sites. */
int64_t gt_pair_block_bytes(const struct gt_kernels *kernels, int64_t n, int64_t sites);

/* metric[x][y] for codes 0..3; 0 wherever one is 3.  row1 = n and row0 = 0 with
 * triangle, or a band.  parts_wanted: split finer until there are so many. */
int gt_pair_counts_init(struct gt_pair_counts *counts, struct gt_engine *engine, int64_t n, const uint8_t metric[4][4], bool triangle,
                        int64_t row0, int64_t row1, int64_t parts_wanted, struct gt_err *err);
void gt_pair_counts_release(struct gt_pair_counts *counts);

/* rows: `sites` packed rows, `stride` apart, GT_KERNEL_PAD readable after the
 * last.  Any thread, blocks side by side. */
int gt_pair_prepare(struct gt_pair_counts *counts, const uint8_t *rows, size_t stride, int64_t sites, struct gt_pair_block *block,
                    struct gt_err *err);
/* Adds part `part` of the block.  Parts side by side; a part in block order. */
void gt_pair_add(struct gt_pair_counts *counts, const struct gt_pair_block *block, int64_t part);
/* After all parts of the block: its sites and missing counts.  One thread. */
void gt_pair_count_block(struct gt_pair_counts *counts, const struct gt_pair_block *block);
void gt_pair_block_release(struct gt_pair_block *block);

/* Rows [i0, i0 + ni) against all n samples: sums and numbers of jointly observed
 * sites, each [ni][n].  i0 in [row0, row1). */
void gt_pair_band(const struct gt_pair_counts *counts, int64_t i0, int64_t ni, int64_t *sums, int64_t *joint);

#endif
