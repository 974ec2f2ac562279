/* Buffers of a test that sends bytes through a chain and back. */
#ifndef GT_TEST_CHAIN_BUFS_H
#define GT_TEST_CHAIN_BUFS_H

#include "core/base/budget.h"

struct bufs {
    struct gt_buf raw, coded, back, scratch[2];
};

static inline void bufs_release(struct bufs *b)
{
    gt_buf_release(&b->raw);
    gt_buf_release(&b->coded);
    gt_buf_release(&b->back);
    gt_buf_release(&b->scratch[0]);
    gt_buf_release(&b->scratch[1]);
}

#endif
