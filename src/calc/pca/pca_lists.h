/* Rows of a block with few carriers, as lists.
 *
 * A listed row is base + entries: base is 0, or 2 if code 2 is the homozygote of most samples; samples that have another code are its
 * carriers.  So its products with narrow matrices of integers cost its carriers only, and are those of the packed row.  The lists are two
 * sparse rows a listed row: 2 i has what is added to the base (missing calls count 0), 2 i + 1 the missing calls. */
#ifndef GT_CALC_PCA_LISTS_H
#define GT_CALC_PCA_LISTS_H

#include "calc/svd/fixed_point.h"
#include "geno/model/block.h"

/* A row of a block, as counted. */
struct gt_svd_row {
    uint32_t carriers, missing;
    uint8_t major; /* code of the homozygote of most samples, 0 or 2 */
};

/* Owns its buffers, which are reused for the next block. */
struct gt_svd_lists {
    int64_t most;                          /* carriers of a listed row, at most; 0: none is listed */
    int64_t n, n_packed;                   /* rows that are listed, and others */
    struct gt_buf rows;                    /* struct gt_svd_row [rows of the block] */
    struct gt_buf listed, others;          /* uint32_t: which rows of the block */
    struct gt_buf packed;                  /* the others, if some are listed */
    struct gt_buf carriers;                /* uint32_t: of one row */
    struct gt_buf entries, starts;         /* GT_SKETCH_ENTRY of samples; uint32_t [2 n + 1] */
    struct gt_buf by_sample, sample_start; /* the same, transposed: of sparse rows; uint32_t [samples + 1] */
    struct gt_buf numbers;                 /* int16_t [2 n][columns]: operand of the transposed product */
    struct gt_buf sums;                    /* int64_t: of products, before they are put in order */
};

/* Zero-initialise before. */
void gt_svd_lists_budget(struct gt_svd_lists *lists, struct gt_budget *budget);
void gt_svd_lists_release(struct gt_svd_lists *lists);
/* Exchanges what the rows of a block determine, but for packed rows: lists and their transpose. */
void gt_svd_lists_exchange(struct gt_svd_lists *a, struct gt_svd_lists *b);
int64_t gt_svd_lists_made(const struct gt_svd_lists *lists);   /* bytes of that */
int64_t gt_svd_lists_most_made(int64_t samples, int64_t rows); /* at most, of a block of that many rows */
/* Memory for blocks of that many rows. */
int64_t gt_svd_lists_bytes(int64_t samples, int64_t rows, int64_t width);
/* Most carriers for which a list is cheaper than the packed row. */
int64_t gt_svd_most_listed(int64_t samples);

static inline const struct gt_svd_row *gt_svd_lists_row(const struct gt_svd_lists *lists, int64_t v)
{
    return (const struct gt_svd_row *)(const void *)lists->rows.data + v;
}

/* Of rows in `packed`. */
static inline size_t gt_svd_lists_stride(int64_t samples)
{
    return (size_t)(samples + 3) / 4;
}

/* From lists->rows: lists rows, if at least half of them have few carriers; else n is 0, and n_packed all. */
int gt_svd_lists_make(struct gt_svd_lists *lists, const struct gt_block *from, int64_t samples, struct gt_err *err);
/* Copies the others into `packed`, if some are listed.  Errors: of memory. */
int gt_svd_lists_pack(struct gt_svd_lists *lists, const struct gt_block *from, int64_t samples, struct gt_err *err);
/* Products of listed rows: y and gaps, int64_t [rows of the block][columns], are set. */
int gt_svd_lists_forward(struct gt_svd_lists *lists, const struct gt_svd_fixed *columns, int64_t *y, int64_t *gaps, struct gt_err *err);
/* Transposes the lists. */
int gt_svd_lists_turn(struct gt_svd_lists *lists, int64_t samples, struct gt_err *err);
/* The operand of gt_svd_lists_back, from values and means of the rows of the block; what all samples have is taken off f->sums. */
int gt_svd_lists_weigh(struct gt_svd_lists *lists, struct gt_svd_fixed *f, const double *values, const double *means, int exponent,
                       struct gt_err *err);
/* Adds their products to sums, int64_t [n][columns], of samples [from, from + n). */
void gt_svd_lists_back(const struct gt_svd_lists *lists, int64_t from, int64_t n, int64_t columns, int shift, int64_t *sums);

#endif
