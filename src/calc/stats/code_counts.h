/* How often each sample has each code, over many packed rows.
 *
 * Rows are added as they are, 32 samples a word: codes of three rows fit fields of
 * two bits, 85 of those fields of a byte, and only then are counters touched. */
#ifndef GT_CALC_CODE_COUNTS_H
#define GT_CALC_CODE_COUNTS_H

#include "core/base/budget.h"

struct gt_code_counts {
    int64_t n;            /* samples */
    size_t words;         /* of a row */
    int few, some;        /* rows in the fields of two bits, and times those went into bytes */
    struct gt_buf fields; /* uint64_t [code - 1][words], then [code - 1][4][words] of bytes */
    struct gt_buf counts; /* uint32_t [code - 1][n] */
};

/* Room for n samples, all counts 0; also to use one again.  Zero-initialise first. */
int gt_code_counts_start(struct gt_code_counts *counters, struct gt_budget *budget, int64_t n, struct gt_err *err);
/* A row with GT_KERNEL_PAD bytes after it.  At most 2^32 - 1 rows until the next start. */
void gt_code_counts_add(struct gt_code_counts *counters, const uint8_t *row);
/* All rows are in; gt_code_counts_get may be asked for. */
void gt_code_counts_finish(struct gt_code_counts *counters);
void gt_code_counts_release(struct gt_code_counts *counters);

/* Of each sample: rows in which it has this code, 1, 2 or 3. */
static inline const uint32_t *gt_code_counts_get(const struct gt_code_counts *counters, int code)
{
    return (const uint32_t *)counters->counts.data + (size_t)(code - 1) * (size_t)counters->n;
}

#endif
