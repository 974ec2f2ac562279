/* Memory that a pass over the genotypes leaves to the next one, so that its pages are not freed, taken and cleared again each time. */
#ifndef GT_CALC_PCA_MEMORY_H
#define GT_CALC_PCA_MEMORY_H

#include "calc/pca/pca_block.h"

struct gt_svd_memory {
    struct gt_svd_fixed operand; /* of the samples */
    struct gt_buf sums;          /* of gt_svd_multiply */
    struct gt_svd_idle *idle;    /* blocks that no task uses */
};

/* One thread at a time may call. */
void gt_svd_memory_init(struct gt_svd_memory *memory, struct gt_budget *budget);
/* Fills in a zeroed block: one that was put back, or one without memory.  The caller owns it. */
void gt_svd_memory_take(struct gt_svd_memory *memory, struct gt_svd_block *block);
/* Takes over the buffers of a block at the end of a pass; releases them, and those that are idle, where memory is short. */
void gt_svd_memory_put(struct gt_svd_memory *memory, struct gt_svd_block *block);
void gt_svd_memory_release(struct gt_svd_memory *memory); /* all of it */

#endif
