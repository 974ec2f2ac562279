/* Buffers that somebody left, for the next who needs one: fresh memory costs a good
 * part of what decoding does.  Zero-initialise; the caller sees that one thread at a
 * time is at it. */
#ifndef GT_BASE_SPARES_H
#define GT_BASE_SPARES_H

#include "core/base/budget.h"

#define GT_SPARES 16

struct gt_spares {
    struct gt_buf buf[GT_SPARES];
    int n;
};

/* *buf is empty then.  Where there are `most` (up to GT_SPARES) already it is released;
 * where memory is short it is too, and so are those that were put by. */
void gt_spares_put(struct gt_spares *spares, struct gt_buf *buf, int most);
/* One of them, unless *buf has memory of its own or there are none; its length is 0. */
void gt_spares_take(struct gt_spares *spares, struct gt_buf *buf);
void gt_spares_release(struct gt_spares *spares);

#endif
