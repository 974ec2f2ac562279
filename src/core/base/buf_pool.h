/* Buffers that somebody left, for the next who needs one: fresh memory costs a good
 * part of what decoding does.  Zero-initialise; the caller sees that one thread at a
 * time is at it. */
#ifndef GT_BASE_BUF_POOL_H
#define GT_BASE_BUF_POOL_H

#include "core/base/budget.h"

#define GT_BUF_POOL_MAX 16

struct gt_buf_pool {
    struct gt_buf buf[GT_BUF_POOL_MAX];
    int n;
};

/* *buf is empty then.  Where there are `most` (up to GT_BUF_POOL_MAX) already it is released;
 * where memory is short it is too, and so are those that were put by. */
void gt_buf_pool_put(struct gt_buf_pool *free_bufs, struct gt_buf *buf, int most);
/* One of them, unless *buf has memory of its own or there are none; its length is 0. */
void gt_buf_pool_take(struct gt_buf_pool *free_bufs, struct gt_buf *buf);
void gt_buf_pool_release(struct gt_buf_pool *free_bufs);

#endif
