/* What a pass over the genotypes leaves to the next one: memory, so that its pages are not freed, taken and cleared again each time, and
 * what was computed from the rows of a block alone, as far as memory allows. */
#ifndef GT_CALC_PCA_MEMORY_H
#define GT_CALC_PCA_MEMORY_H

#include <pthread.h>

#include "calc/pca/pca_block.h"

struct gt_svd_memory {
    struct gt_svd_fixed operand; /* of the samples */
    struct gt_buf sums;          /* of gt_svd_multiply */
    struct gt_svd_idle *idle;    /* blocks that no task uses */
    struct gt_svd_block **kept;  /* by number; NULL: that one is not kept */
    size_t n_kept, kept_cap;
    int64_t left; /* bytes that may still be kept */
    pthread_mutex_t lock;
};

/* keep: bytes for what is computed from the rows of blocks alone. */
void gt_svd_memory_init(struct gt_svd_memory *memory, struct gt_budget *budget, int64_t keep);
/* Fills in a zeroed block: one that was put back, or one without memory.  The caller owns it.  One thread at a time may call this and
 * gt_svd_memory_put. */
void gt_svd_memory_take(struct gt_svd_memory *memory, struct gt_svd_block *block);
/* Takes over the buffers of a block at the end of a pass; releases them, and those that are idle, where memory is short. */
void gt_svd_memory_put(struct gt_svd_memory *memory, struct gt_svd_block *block);
/* Before the use of block `number`, counted from 0: if it was kept, it is prepared, see struct gt_svd_block.  Any thread may call this and
 * gt_svd_memory_keep, but for one block one thread at a time. */
void gt_svd_memory_prepare(struct gt_svd_memory *memory, int64_t number, struct gt_svd_block *block);
/* After its use: takes over what was computed from its rows, which is then prepared in later passes; does nothing if `keep` bytes are used
 * up or there is no memory. */
void gt_svd_memory_keep(struct gt_svd_memory *memory, int64_t number, struct gt_svd_block *block);
void gt_svd_memory_release(struct gt_svd_memory *memory); /* all of it */

#endif
