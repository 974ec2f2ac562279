/* Samples without relatives among them, as PLINK 2 --king-cutoff chooses them: as long as two of
 * those left are related, whoever is the one relative of the first sample that has one only
 * leaves, or if there is no such sample the first of those with the most relatives. */
#ifndef GT_CALC_UNRELATED_H
#define GT_CALC_UNRELATED_H

#include <stdbool.h>

#include "core/base/budget.h"

struct gt_relatives {
    int64_t n;          /* samples */
    struct gt_buf bits; /* uint64_t, of each sample one for each before it */
};

/* Bytes that n samples take, with those of gt_unrelated. */
int64_t gt_relatives_bytes(int64_t n);
/* Of nobody yet.  relatives->bits.budget is set before, and its refusal is the only failure;
 * freed by gt_buf_release(&relatives->bits). */
int gt_relatives_init(struct gt_relatives *relatives, int64_t n, struct gt_err *err);
/* before < sample.  From any thread. */
void gt_relatives_add(struct gt_relatives *relatives, int64_t sample, int64_t before);
/* out[i]: sample i leaves. */
int gt_unrelated(const struct gt_relatives *relatives, bool *out, struct gt_err *err);

#endif
