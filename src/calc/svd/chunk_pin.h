/* Blocks of an array that stay in memory between passes, as they are stored: the first ones, as many as a share has
 * room for.  The rest is read again in each pass. */
#ifndef GT_CALC_CHUNK_PIN_H
#define GT_CALC_CHUNK_PIN_H

#include "arrays/matrix/matrix.h"
#include "core/engine/engine.h"

struct gt_pinned_chunks {
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
int gt_pinned_chunks_begin(struct gt_pinned_chunks *kept, struct gt_engine *engine, int64_t most, struct gt_err *err);
/* As gt_matrix_next and gt_matrix_done. */
int gt_pinned_chunks_next(struct gt_pinned_chunks *kept, const struct gt_matrix_block **block, struct gt_err *err);
void gt_pinned_chunks_done(struct gt_pinned_chunks *kept, const struct gt_matrix_block *block);
/* The pass is over, or has failed: the matrix has all of its rows again. */
int gt_pinned_chunks_end(struct gt_pinned_chunks *kept, struct gt_err *err);
void gt_pinned_chunks_release(struct gt_pinned_chunks *kept);

#endif
