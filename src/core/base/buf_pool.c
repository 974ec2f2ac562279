#include "core/base/buf_pool.h"

void gt_buf_pool_release(struct gt_buf_pool *free_bufs)
{
    while (free_bufs->n > 0)
        gt_buf_release(&free_bufs->buf[--free_bufs->n]);
}

void gt_buf_pool_put(struct gt_buf_pool *free_bufs, struct gt_buf *buf, int most)
{
    bool shorts = gt_budget_is_short(buf->budget);

    if (shorts)
        gt_buf_pool_release(free_bufs);
    if (free_bufs->n < most && buf->cap > 0 && !shorts)
        free_bufs->buf[free_bufs->n++] = *buf;
    else
        gt_buf_release(buf);
    *buf = (struct gt_buf){.budget = buf->budget};
}

void gt_buf_pool_take(struct gt_buf_pool *free_bufs, struct gt_buf *buf)
{
    if (free_bufs->n > 0 && buf->cap == 0)
        *buf = free_bufs->buf[--free_bufs->n];
    buf->len = 0;
}
