/* Reductions along axes, with the results of numpy's reductions of the same names.
 *
 * Rows of items are reduced to a state each, and states are joined in order; results depend only on how items are divided into rows.
 * Integers are added modulo 2^64, floats as doubles in eight lanes; variances are joined as in Chan, Golub and LeVeque (Updating
 * formulae and a pairwise algorithm for computing sample variances, 1979). */
#ifndef GT_CALC_REDUCE_H
#define GT_CALC_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/codec/dtype.h"

struct gt_reduction_state {
    int64_t n; /* items */
    union {
        int64_t whole;
        double real; /* a sum or product; std and var: the mean */
    };
    union {
        double spread; /* std, var: the sum of squared deviations */
        int64_t high;  /* mean of integers, a 128-bit sum: the upper 64 bits */
    };
};

struct gt_reduction;

/* Values to ignore: these numbers of the array's type, and NaN. */
struct gt_reduction_skip {
    bool on;
    int n;
    uint8_t item[2][8];
};

/* Finds a reduction by a name of n bytes: sum, prod, mean, min, max, std, var, any, all or count; *skip_nan: the name was that of
 * numpy's function which ignores NaN, nansum, nanprod, nanmean, nanmin, nanmax, nanstd or nanvar.  NULL: unknown. */
const struct gt_reduction *gt_reduction_find(const char *name, size_t n, bool *skip_nan);
extern const char *const gt_reduction_names; /* for messages: "sum, prod, ... or count" */
const char *gt_reduction_name(const struct gt_reduction *reduction);
/* The type of the result, as in numpy. */
enum gt_type gt_reduction_type(const struct gt_reduction *reduction, enum gt_type from);
/* Is the reduction of no items defined? */
bool gt_reduction_of_none(const struct gt_reduction *reduction);

/* Reduces each of `rows` consecutive rows of n items into a state. */
void gt_reduction_rows(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type, const uint8_t *items,
                       int64_t rows, int64_t n, struct gt_reduction_state *states);
/* Joins the state `more` of later items; a state with n = 0 becomes a copy of it. */
void gt_reduction_join(const struct gt_reduction *reduction, enum gt_type type, struct gt_reduction_state *state,
                       const struct gt_reduction_state *more);
/* Converts states to numbers of gt_reduction_type; if all items were ignored, the numpy result for none, and for min and max NaN or, of
 * integers, the first ignored value. */
void gt_reduction_finish(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type,
                         const struct gt_reduction_state *states, int64_t n, uint8_t *to);

#endif
