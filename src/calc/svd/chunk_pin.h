/* Caches the first blocks of an array between passes, in stored form, up to a memory limit.  Later blocks are read again in
 * each pass. */
#ifndef GT_CALC_CHUNK_PIN_H
#define GT_CALC_CHUNK_PIN_H

#include "arrays/matrix/matrix.h"
#include "core/engine/engine.h"

struct gt_pinned_chunks {
    struct gt_matrix *matrix; /* borrowed */
    int64_t memory;           /* limit; 0 = nothing is cached */
    int64_t elsewhere;        /* rows before this one are cached by others: passes after the first begin there or before */
    /* private: */
    struct gt_budget part;
    struct gt_matrix_block **block;
    size_t n, cap, next;     /* next: of this pass */
    int64_t rows;            /* rows [0, rows) of the matrix are cached */
    bool begun, first, full; /* first: the pass that fills the cache; full: nothing more is added */
};

/* Begins a pass over all rows in blocks of at most `most` rows. */
int gt_pinned_chunks_begin(struct gt_pinned_chunks *kept, struct gt_engine *engine, int64_t most, struct gt_err *err);
/* As gt_matrix_next and gt_matrix_done. */
int gt_pinned_chunks_next(struct gt_pinned_chunks *kept, const struct gt_matrix_block **block, struct gt_err *err);
void gt_pinned_chunks_done(struct gt_pinned_chunks *kept, const struct gt_matrix_block *block);
/* Ends a pass, also after a failure.  The matrix can be read from row 0 again. */
int gt_pinned_chunks_end(struct gt_pinned_chunks *kept, struct gt_err *err);
void gt_pinned_chunks_release(struct gt_pinned_chunks *kept);

#endif
