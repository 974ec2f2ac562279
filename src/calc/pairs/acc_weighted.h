/* Planes with per-site weights (struct gt_plane.terms), inside gt_acc_cpu.
 *
 * A pair's sum is that of all sites if both were heterozygous, plus what each sample adds relative to a heterozygote, plus w for
 * every pair of equal homozygotes and -w for different ones, plus what a missing call adds for the other's code.  w is split into
 * digits of GT_DIGIT bits; the sites of a block are sorted by a digit, so that eight consecutive ones share it and the kernel
 * multiplies counts.  Arithmetic is modulo 2^64 in units of GT_SITE_UNIT / 2, so that each of two missing calls can add one half. */
#ifndef GT_CALC_ACC_WEIGH_H
#define GT_CALC_ACC_WEIGH_H

#include "calc/pairs/accumulator.h"
#include "kernels/kernels.h"

struct gt_cpu_acc;
struct gt_cpu_block;
struct gt_cpu_rect;

#define GT_DIGIT 7
#define GT_MAX_DIGITS 9 /* of 63 bits */

/* Sums of a plane. */
struct gt_cpu_weighed {
    const struct gt_plane *plane; /* NULL: the plane has no per-site weights */
    uint64_t sites;               /* sum of all sites if both were heterozygous */
    struct gt_buf sums;           /* int64_t [tiles][GT_PANEL][GT_PANEL]; none for GT_SITE_WEIGHTS_ALONE */
    struct gt_buf alone[2];       /* int64_t [panels][GT_PANEL]: of a row's sample, and if that is not the same a column's, next to
                                     heterozygotes */
    struct gt_buf size;           /* same shape: upper bound of a sample's sums, in units of 2^24 */
};

/* The sites of a block, sorted by a digit of w. */
struct gt_cpu_digit {
    int64_t sites, weights; /* including padding to eights and words; index of their first weight */
    size_t codes;           /* offset of their panels */
    int shift;
};

/* Tables by code: what a sample adds alone, as row and as column; a bound of all it adds; what it adds for a missing call of the other. */
enum { GT_CPU_ALONE, GT_CPU_ALONE_COLUMN, GT_CPU_SIZE, GT_CPU_GAP, GT_CPU_TABLES };
enum { GT_CPU_SIZE_SHIFT = 24 }; /* bounds are in units of 2^24 */

/* Data of a block for a plane. */
struct gt_cpu_weights {
    struct gt_buf tables; /* int64_t [GT_CPU_TABLES][sites][4] */
    struct gt_buf w;      /* int64_t [sites] */
    uint64_t het_pairs;   /* contribution to gt_cpu_weighed.sites */
    int n_digits;
    struct gt_cpu_digit digit[GT_MAX_DIGITS];
    struct gt_buf weights, codes;
};

static inline int64_t (*gt_cpu_table(const struct gt_cpu_weights *weights, int64_t sites, int table))[4]
{
    return (int64_t(*)[4])(void *)weights->tables.data + table * sites;
}

static inline int64_t *gt_cpu_i64(const struct gt_buf *buf)
{
    return (int64_t *)(void *)buf->data;
}

/* A bound of what code x adds, as a row or as a column, in units of 2^GT_CPU_SIZE_SHIFT. */
int64_t gt_cpu_weight_size(int64_t t[4][4], int x);
/* Digits that weights can have. */
int gt_cpu_weight_digits(const struct gt_acc_setup *setup);
int64_t gt_cpu_weigh_sums_bytes(const struct gt_cpu_acc *acc);
int64_t gt_cpu_weigh_block_bytes(const struct gt_cpu_acc *acc);
int gt_cpu_weigh_init(struct gt_cpu_acc *acc, struct gt_err *err);
void gt_cpu_weigh_free(struct gt_cpu_acc *acc);
void gt_cpu_weigh_block_init(struct gt_cpu_block *block, struct gt_budget *budget);
void gt_cpu_weigh_block_free(struct gt_cpu_block *block);

/* Fills in tables, w and het_pairs from the rows of all samples. */
int gt_cpu_weight_tables(int64_t samples, const struct gt_rows *rows, const struct gt_plane *plane, struct gt_cpu_weights *to,
                         struct gt_err *err);

/* As the operations of accumulators. */
int gt_cpu_weigh_prepare(const struct gt_cpu_acc *acc, const struct gt_rows *rows, struct gt_cpu_block *block, struct gt_err *err);
void gt_cpu_weigh_rect(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, const struct gt_cpu_rect *rect);
int gt_cpu_weigh_samples(struct gt_cpu_acc *acc, const struct gt_cpu_block *block, struct gt_err *err);
int gt_cpu_weigh_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err);
int gt_cpu_weigh_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from, struct gt_err *err);
/* Adds plane k of sample i of panel a and the samples of panel b to out. */
void gt_cpu_weigh_row(const struct gt_cpu_acc *acc, int k, int64_t a, int64_t i, int64_t b, double out[GT_PANEL]);

#endif
