/* Rows of blocks in a temporary file, for later passes over an input that can be read only once. */
#ifndef GT_GENO_ROW_SPOOL_H
#define GT_GENO_ROW_SPOOL_H

#include "core/base/spoolfile.h"
#include "core/engine/engine.h"
#include "geno/model/block.h"

struct gt_row_spool {
    struct gt_spoolfile file; /* rows without padding */
    size_t row_bytes;
    int64_t at; /* read offset */
    struct gt_buf scratch;
};

/* The first put creates the file. */
void gt_row_spool_init(struct gt_row_spool *spool, struct gt_engine *engine, size_t row_bytes);
void gt_row_spool_release(struct gt_row_spool *spool);
/* Appends the rows of the block.  GT_FAIL. */
int gt_row_spool_put(struct gt_row_spool *spool, const struct gt_block *block, struct gt_err *err);
/* Reads at most n rows into an empty block; GT_END after the last. */
int gt_row_spool_next(struct gt_row_spool *spool, int64_t n, struct gt_block *block, struct gt_err *err);
void gt_row_spool_rewind(struct gt_row_spool *spool);

#endif
