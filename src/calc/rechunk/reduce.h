/* All items along some axes into one: what numpy's reductions of the same names make of them.
 *
 * Rows of items are folded into a state each, states are joined in order; what comes out depends on how the
 * items were cut into rows, and on nothing else.  Whole numbers are added modulo 2^64, reals as doubles, in eight lanes; the spread
 * about means is joined as Chan, Golub and LeVeque have it (Updating formulae and a pairwise algorithm for computing sample
 * variances, 1979). */
#ifndef GT_CALC_REDUCE_H
#define GT_CALC_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/codec/dtype.h"

struct gt_reduction_state {
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

struct gt_reduction;

/* Items that are left out: these numbers of the array's type, and NaN. */
struct gt_reduction_skip {
    bool on;
    int n;
    uint8_t item[2][8];
};

/* sum, mean, min, max, std, any, all or count, n bytes of name; NULL: none of them. */
const struct gt_reduction *gt_reduction_find(const char *name, size_t n);
const char *gt_reduction_name(const struct gt_reduction *reduction);
/* The type that it makes of bool, whole numbers and reals, as numpy has it. */
enum gt_type gt_reduction_type(const struct gt_reduction *reduction, enum gt_type from);
/* Is there something to make of no items at all? */
bool gt_reduction_of_none(const struct gt_reduction *reduction);

/* Each of `rows` rows of n items, one behind the other, into a state. */
void gt_reduction_rows(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type, const uint8_t *items,
                       int64_t rows, int64_t n, struct gt_reduction_state *states);
/* `more`, of items behind them, into a state; one of n = 0 takes it as it is. */
void gt_reduction_join(const struct gt_reduction *reduction, enum gt_type type, struct gt_reduction_state *state,
                       const struct gt_reduction_state *more);
/* States into numbers of gt_reduction_type(fold, type); where all items were left out, what numpy makes of none, and of the least and the
 * largest NaN, or of whole numbers the first of those that are left out. */
void gt_reduction_finish(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type,
                         const struct gt_reduction_state *states, int64_t n, uint8_t *to);

#endif
