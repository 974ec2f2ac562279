/* Blocks as bytes, for another process of the same run: the same program on the same kind of machine. */
#ifndef GT_GENO_BLOCK_MESSAGE_H
#define GT_GENO_BLOCK_MESSAGE_H

#include "geno/model/block.h"

/* Appends the block, but for its owner, scratch and views; its records are of text.  GT_NOFIT, GT_FAIL. */
int gt_block_to_message(const struct gt_block *block, struct gt_buf *message, struct gt_err *err);
/* The block that begins at byte *at of the message, which is known to be whole; *at moves behind it. */
int gt_block_from_message(struct gt_block *block, const struct gt_buf *message, size_t *at, struct gt_err *err);

#endif
