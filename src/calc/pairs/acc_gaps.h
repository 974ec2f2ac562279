/* Counts of missing calls next to others, inside gt_acc_cpu: for a sample, at each of its columns, at how many of its missing sites the
 * other one has a bit.
 *
 * A buffer has the counts of all samples one after another, in vectors (struct gt_cpu_span), their lowest byte; then the next byte of all,
 * and so on: [GT_COUNT_BYTES][size].  During the input a byte of a vector is its eight bit rows (struct gt_bit_counts), afterwards
 * GT_BIT_ROW bytes.  No count of a sample is above the number of its missing calls, so that higher bytes are not touched, nor are their
 * pages taken, where few calls are missing: bytes says how many are used. */
#ifndef GT_CALC_ACC_GAPS_H
#define GT_CALC_ACC_GAPS_H

#include "calc/pairs/accumulator.h"

struct gt_cpu_acc;

/* Vectors of columns [from, to) of a sample's row of counts; at: their first index. */
struct gt_cpu_span {
    int64_t at;
    int32_t from, to;
};

/* The counts of vectors from `at` on, a multiple of GT_BIT_ROW. */
struct gt_bit_counts gt_cpu_gap_counts(const struct gt_buf *numbers, int64_t at);
/* Allocates the counters unless they exist.  GT_NOFIT, GT_FAIL: no memory; so are errors of gt_cpu_gaps_finish. */
int gt_cpu_make_gaps(struct gt_cpu_acc *acc, struct gt_err *err);
/* After the input: counts become bytes. */
int gt_cpu_gaps_finish(struct gt_cpu_acc *acc, struct gt_err *err);
/* Sums over ranks on rank 0.  On all ranks counts of missing calls per sample are those of all already, so none sends more bits than
 * these need.  Errors: those of gt_comm_reduce_u32 and gt_cpu_make_gaps. */
int gt_cpu_gaps_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err);
/* Adds those of `from`; before counts per sample are added. */
void gt_cpu_gaps_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from);
/* Where the counts of a sample at the samples of panel b are: index of the first; -1: there are none. */
int64_t gt_cpu_gaps_at(const struct gt_cpu_acc *acc, const struct gt_buf *spans, int64_t sample, int64_t b);
/* The counts of a sample from index `at` on; after gt_cpu_gaps_finish. */
void gt_cpu_gaps_load(const struct gt_cpu_acc *acc, const struct gt_buf *numbers, int64_t sample, int64_t at, int32_t to[GT_PANEL]);

#endif
