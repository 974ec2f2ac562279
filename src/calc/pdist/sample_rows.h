/* All genotypes of an input in memory, a packed row a sample. */
#ifndef GT_CALC_SAMPLE_ROWS_H
#define GT_CALC_SAMPLE_ROWS_H

#include "calc/pdist/row_source.h"

struct gt_sample_rows {
    int64_t samples, sites;
    int64_t most; /* sites that there is room for */
    size_t stride;
    struct gt_buf codes;  /* [samples][stride], readable for GT_KERNEL_PAD bytes more */
    struct gt_buf hets;   /* uint32_t by site: its heterozygotes */
    struct gt_buf counts; /* int64_t [samples][4]: genotypes by code */
};

/* Rows of `samples` samples and up to `most` sites. */
int64_t gt_sample_rows_bytes(int64_t samples, int64_t most);

/* Reads a pass of packed rows, of a row source that was started with `exact` and blocks of a multiple of 64 sites.  block_bytes: of a
 * block; memory: of all that are in flight.  GT_INPUT if there are more than `most`. */
int gt_sample_rows_read(struct gt_sample_rows *rows, struct gt_engine *engine, struct gt_row_source *row_source, int64_t most,
                        int64_t block_bytes, int64_t memory, struct gt_err *err);
static inline const uint8_t *gt_sample_row(const struct gt_sample_rows *rows, int64_t sample)
{
    return rows->codes.data + (size_t)sample * rows->stride;
}
static inline const int64_t *gt_sample_counts(const struct gt_sample_rows *rows, int64_t sample)
{
    return gt_buf_i64(&rows->counts) + 4 * sample;
}
void gt_sample_rows_release(struct gt_sample_rows *rows);

#endif
