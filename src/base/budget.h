/* The memory budget: every bulk buffer is counted where it is allocated. */
#ifndef GT_BASE_BUDGET_H
#define GT_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gt_budget {
    int64_t limit; /* bytes for buffers: the ceiling less what code, stacks and libraries take */
    _Atomic int64_t used;
    _Atomic int64_t high;     /* high-water mark of used */
    struct gt_budget *parent; /* what is counted here is counted there too; NULL: this is the whole */
    _Atomic bool refused;     /* a take has failed for want of room here */
};

void gt_budget_init(struct gt_budget *budget, int64_t limit);
/* Count n bytes; GT_NOFIT, with the numbers, when they would pass the limit. */
int gt_budget_take(struct gt_budget *budget, size_t n, struct gt_err *err);
void gt_budget_give(struct gt_budget *budget, size_t n);

/* A growable, 64-byte aligned byte buffer that is counted.  budget may be NULL
 * (tests).  Zero-initialise, then set .budget. */
struct gt_buf {
    uint8_t *data;
    size_t len, cap;
    struct gt_budget *budget;
};

/* Room for at least cap bytes; contents up to len are kept.  GT_NOFIT or GT_FAIL. */
int gt_buf_reserve(struct gt_buf *buf, size_t cap, struct gt_err *err);
/* Length n; new bytes are not initialised. */
int gt_buf_resize(struct gt_buf *buf, size_t n, struct gt_err *err);
int gt_buf_append(struct gt_buf *buf, const void *data, size_t n, struct gt_err *err);
void gt_buf_swap(struct gt_buf *a, struct gt_buf *b);
void gt_buf_release(struct gt_buf *buf); /* frees and gives the bytes back; keeps .budget */

#endif
