#include "core/base/spares.h"

void gt_spares_release(struct gt_spares *spares)
{
    while (spares->n > 0)
        gt_buf_release(&spares->buf[--spares->n]);
}

void gt_spares_put(struct gt_spares *spares, struct gt_buf *buf, int most)
{
    bool shorts = gt_budget_is_short(buf->budget);

    if (shorts)
        gt_spares_release(spares);
    if (spares->n < most && buf->cap > 0 && !shorts)
        spares->buf[spares->n++] = *buf;
    else
        gt_buf_release(buf);
    *buf = (struct gt_buf){.budget = buf->budget};
}

void gt_spares_take(struct gt_spares *spares, struct gt_buf *buf)
{
    if (spares->n > 0 && buf->cap == 0)
        *buf = spares->buf[--spares->n];
    buf->len = 0;
}
