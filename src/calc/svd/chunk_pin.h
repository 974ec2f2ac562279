/* Blocks of an array that stay in memory between passes, as they are stored: the first ones, as many as a share has
 * room for.  The rest is read again in each pass. */
#ifndef GT_CALC_ARRAY_KEPT_H
#define GT_CALC_ARRAY_KEPT_H

#include "core/engine/engine.h"
#include "arrays/matrix/matrix.h"

struct gt_array_kept {
    struct gt_matrix *matrix; /* borrowed */
    int64_t memory;           /* of the share; 0 = nothing is kept */
    /* its own: */
    struct gt_budget part;
    struct gt_matrix_block **block;
    size_t n, cap, next;     /* next: of this pass */
    int64_t rows;            /* in all of them: [0, rows) of the matrix */
    bool begun, first, full; /* first: the pass that keeps; full: no more is kept */
};

/* A pass over all rows follows, in blocks of `most` rows at most. */
int gt_array_kept_begin(struct gt_array_kept *kept, struct gt_engine *engine, int64_t most, struct gt_err *err);
/* As gt_matrix_next and gt_matrix_done. */
int gt_array_kept_next(struct gt_array_kept *kept, const struct gt_matrix_block **block, struct gt_err *err);
void gt_array_kept_done(struct gt_array_kept *kept, const struct gt_matrix_block *block);
/* The pass is over, or has failed: the matrix has all of its rows again. */
int gt_array_kept_end(struct gt_array_kept *kept, struct gt_err *err);
void gt_array_kept_release(struct gt_array_kept *kept);

#endif
