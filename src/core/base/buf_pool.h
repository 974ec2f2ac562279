/* A pool of buffers for reuse; allocating fresh memory costs a good part of the decoding time.
 * Zero-initialise.  Not thread-safe. */
#ifndef GT_BASE_BUF_POOL_H
#define GT_BASE_BUF_POOL_H

#include "core/base/budget.h"

#define GT_BUF_POOL_MAX 16

struct gt_buf_pool {
    struct gt_buf buf[GT_BUF_POOL_MAX];
    int n;
};

/* Moves *buf into the pool; it is empty afterwards.  The buffer is released instead when the pool has `most` buffers
 * (at most GT_BUF_POOL_MAX); when memory is short, all pooled buffers are released too. */
void gt_buf_pool_put(struct gt_buf_pool *free_bufs, struct gt_buf *buf, int most);
/* Takes a buffer (length 0) from the pool, unless *buf already has memory or the pool is empty. */
void gt_buf_pool_take(struct gt_buf_pool *free_bufs, struct gt_buf *buf);
void gt_buf_pool_release(struct gt_buf_pool *free_bufs);

#endif
