/* A block of variants in a pass: products of its rows of X (calc/pca/pca.h) with narrow matrices, over samples (forward) and over
 * rows (back), in integer arithmetic except for means and weights. */
#ifndef GT_CALC_SVD_BLOCK_H
#define GT_CALC_SVD_BLOCK_H

#include "calc/pca/pca_internal.h"
#include "calc/pca/pca_lists.h"
#include "calc/svd/fixed_point.h"

/* Owns its buffers, which are reused for the next block. */
struct gt_svd_block {
    int64_t rows, samples;
    struct gt_svd_moments moments;
    bool prepared;                /* lists, means and weights are those of the rows, from an earlier pass */
    bool any_gaps;                /* some call of a row that is not listed is missing */
    struct gt_svd_lists lists;    /* .most is set by the caller */
    struct gt_buf missing;        /* uint32_t [samples]: missing calls per sample, if requested */
    struct gt_buf means, weights; /* double [rows], see struct gt_svd_site */
    struct gt_buf values;         /* double [rows][width] */
    struct gt_buf y, gaps;        /* int64_t [rows][digits * width] */
    struct gt_buf turned;         /* the codes of rows that are not listed, transposed: a packed row per sample */
    size_t turned_stride;
    struct gt_svd_fixed fixed;       /* values times weights */
    int shift;                       /* fixed is in units of 2^(unit + shift) */
    struct gt_svd_on_device *device; /* where rows are multiplied; NULL: the cpu */
    int64_t number;                  /* of the block in a pass, for the device */
};

/* Zero-initialise before. */
void gt_svd_block_budget(struct gt_svd_block *block, struct gt_budget *budget);
void gt_svd_block_release(struct gt_svd_block *block);
/* Exchanges moments, lists, means and weights, which the rows determine.  Codes are packed and transposed again in each pass, which takes
 * less time than to find memory for them. */
void gt_svd_block_exchange(struct gt_svd_block *a, struct gt_svd_block *b);
int64_t gt_svd_block_made(const struct gt_svd_block *block);   /* bytes of that */
int64_t gt_svd_block_most_made(int64_t samples, int64_t rows); /* at most, with the block itself */
/* Rows of a block, as a function of the number of samples. */
int64_t gt_svd_block_rows(int64_t samples);
/* Memory of a block of that many rows, including results. */
int64_t gt_svd_block_bytes(int64_t samples, int64_t rows, int64_t width);

/* Computes the moments and `missing` only. */
int gt_svd_block_look(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, enum gt_svd_scale scale, int ploidy,
                      struct gt_err *err);
/* Computes `missing`. */
int gt_svd_block_missing(struct gt_svd_block *block, const struct gt_block *from, int64_t samples, struct gt_err *err);
/* Computes moments, means and weights, unless the block is prepared, and values = rows of X times `columns`, without the root of the
 * weights. */
int gt_svd_block_forward(struct gt_svd_block *block, const struct gt_block *from, enum gt_svd_scale scale, int ploidy,
                         const struct gt_svd_fixed *columns, struct gt_err *err);

/* As gt_svd_block_turn and gt_svd_block_back of all samples, on block->device, into its own sums; after gt_svd_block_weigh. */
int gt_svd_block_back_on_device(const struct gt_svd_block *block, const struct gt_block *from, struct gt_err *err);

/* Reserves rows for which the caller sets means, weights and `width` values each. */
int gt_svd_block_room(struct gt_svd_block *block, int64_t rows, int64_t width, struct gt_err *err);
/* Transposes the codes of block->rows rows, `stride` bytes apart; where some are listed, the others, and the lists unless the block is
 * prepared. */
int gt_svd_block_turn(struct gt_svd_block *block, const uint8_t *rows, size_t stride, int64_t samples, struct gt_err *err);
/* fixed = values times weights, in fixed point with that many digits and a unit of at least 2^unit. */
int gt_svd_block_weigh(struct gt_svd_block *block, int64_t width, int digits, int unit, struct gt_err *err);
/* sums += X' values times weights, without means (see block->fixed.sums), for samples [from, from + n);
 * sums: int64_t [n][digits * width] */
void gt_svd_block_back(const struct gt_svd_block *block, int64_t from, int64_t n, int64_t *sums);
/* product = 2^unit (sums - back): samples x width, column major.  sums: accumulated by gt_svd_block_back over all samples; back: int64_t
 * [digits * width], the sums of means. */
void gt_svd_block_product(const int64_t *sums, const int64_t *back, int64_t samples, int64_t width, int digits, int unit, double *product);
/* Adds the contribution of the block's means to back. */
void gt_svd_block_means(const struct gt_svd_block *block, int64_t *back);

#endif
