/* A block of variants at work in a pass: products of its rows of X (calc/svd.h) with narrow matrices, of
 * the samples (forward) and of its rows (back), in whole numbers but for means and weights. */
#ifndef GT_CALC_SVD_BLOCK_H
#define GT_CALC_SVD_BLOCK_H

#include "calc/pca/pca_internal.h"
#include "calc/svd/fixed_point.h"

/* Buffers are its own, and are used again for the next block. */
struct gt_svd_block {
    int64_t rows, samples;
    struct gt_svd_moments moments;
    bool any_gaps;                /* some call is missing */
    struct gt_buf missing;        /* uint32_t [samples]: calls of a sample, where they were asked for */
    struct gt_buf means, weights; /* double [rows], see struct gt_svd_site */
    struct gt_buf values;         /* double [rows][width] */
    struct gt_buf y, gaps;        /* int64_t [rows][digits * width] */
    struct gt_buf turned;         /* the codes, a packed row for each sample */
    size_t turned_stride;
    struct gt_svd_fixed fixed; /* values times weights */
    int shift;                 /* its numbers are in 2^(unit + shift) */
};

/* Zero-initialise first. */
void gt_svd_block_budget(struct gt_svd_block *block, struct gt_budget *budget);
void gt_svd_block_release(struct gt_svd_block *block);
/* Rows of a block, by the number of samples alone. */
int64_t gt_svd_block_rows(int64_t samples);
/* Bytes of a block of so many rows, with all that is made of it. */
int64_t gt_svd_block_bytes(int64_t samples, int64_t rows, int64_t width);

/* Fills in the survey and `missing` alone. */
int gt_svd_block_look(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, enum gt_svd_scale scale, int ploidy,
                      struct gt_err *err);
/* Fills in `missing`. */
int gt_svd_block_missing(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, struct gt_err *err);
/* Survey, means, weights, and values = rows of X times `columns`, but for the root of their weights. */
int gt_svd_block_forward(struct gt_svd_block *block, const struct gt_block *from, enum gt_svd_scale scale, int ploidy,
                         const struct gt_svd_fixed *columns, struct gt_err *err);

/* Room for rows whose means, weights and values the caller fills in, width of them each; columns: of y and gaps, which are
 * set to 0. */
int gt_svd_block_room(struct gt_svd_block *block, int64_t rows, int64_t width, int64_t columns, struct gt_err *err);
/* The codes of block->rows rows, `stride` apart, by samples. */
int gt_svd_block_turn(struct gt_svd_block *block, const uint8_t *rows, size_t stride, int64_t samples, struct gt_err *err);
/* fixed = values times weights, in numbers of so many digits, 2^unit at the least. */
int gt_svd_block_weigh(struct gt_svd_block *block, int64_t width, int digits, int unit, struct gt_err *err);
/* sums += X' values times weights, but for means, which block->fixed.sums hold, of samples [from, from + n);
 * sums: int64_t [n][digits * width] */
void gt_svd_block_back(const struct gt_svd_block *block, int64_t from, int64_t n, int64_t *sums);
/* product = 2^unit (sums - back), of as many digits: samples x width, column major.  sums: as gt_svd_block_back leaves them,
 * of all samples; back: int64_t [digits * width], the sums of means. */
void gt_svd_block_product(const int64_t *sums, const int64_t *back, int64_t samples, int64_t width, int digits, int unit, double *product);
/* back += what the block's means take off. */
void gt_svd_block_means(const struct gt_svd_block *block, int64_t *back);

#endif
