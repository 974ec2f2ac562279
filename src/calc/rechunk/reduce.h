/* All items along some axes into one: what numpy's reductions of the same names make of them.
 *
 * Rows of items are folded into a state each, states are joined in order; what comes out depends on how the
 * items were cut into rows, and on nothing else.  Whole numbers are added modulo 2^64, reals as doubles, in eight lanes; the spread
 * about means is joined as Chan, Golub and LeVeque have it (Updating formulae and a pairwise algorithm for computing sample
 * variances, 1979). */
#ifndef GT_CALC_FOLD_H
#define GT_CALC_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/codec/dtype.h"

struct gt_fold_state {
    int64_t n; /* items */
    union {
        int64_t whole;
        double real; /* a sum; std: the mean */
    };
    union {
        double spread; /* std: the sum of squared distances from the mean */
        int64_t high;  /* mean of whole numbers, whose sum has 128 bits: those above the 64 of `whole` */
    };
};

struct gt_fold;

/* Items that are left out: these numbers of the array's type, and NaN. */
struct gt_fold_skip {
    bool on;
    int n;
    uint8_t item[2][8];
};

/* sum, mean, min, max, std, any, all or count, n bytes of name; NULL: none of them. */
const struct gt_fold *gt_fold_find(const char *name, size_t n);
const char *gt_fold_name(const struct gt_fold *fold);
/* The type that it makes of bool, whole numbers and reals, as numpy has it. */
enum gt_type gt_fold_type(const struct gt_fold *fold, enum gt_type from);
/* Is there something to make of no items at all? */
bool gt_fold_of_none(const struct gt_fold *fold);

/* Each of `rows` rows of n items, one behind the other, into a state. */
void gt_fold_rows(const struct gt_fold *fold, const struct gt_fold_skip *skip, enum gt_type type, const uint8_t *items, int64_t rows,
                  int64_t n, struct gt_fold_state *states);
/* `more`, of items behind them, into a state; one of n = 0 takes it as it is. */
void gt_fold_join(const struct gt_fold *fold, enum gt_type type, struct gt_fold_state *state, const struct gt_fold_state *more);
/* States into numbers of gt_fold_type(fold, type); where all items were left out, what numpy makes of none, and of the least and the
 * largest NaN, or of whole numbers the first of those that are left out. */
void gt_fold_finish(const struct gt_fold *fold, const struct gt_fold_skip *skip, enum gt_type type, const struct gt_fold_state *states,
                    int64_t n, uint8_t *to);

#endif
