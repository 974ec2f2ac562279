/* The memory budget: every bulk buffer is counted where it is allocated. */
#ifndef GT_BASE_BUDGET_H
#define GT_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_budget;

/* Who says what happens when a budget gets full (engine/flow_memory.c).  Any thread. */
struct gt_budget_keeper {
    /* More than `easy` would be used: adds n to used when there is room, for which it may
     * wait; false: refused.  wait: false = now or never. */
    bool (*admit)(struct gt_budget *budget, int64_t n, bool wait);
    /* After a take, on its thread. */
    void (*taken)(struct gt_budget *budget, int64_t n);
    /* Takes n off used. */
    void (*give)(struct gt_budget *budget, int64_t n);
    /* See gt_budget_waiting. */
    void (*waiting)(struct gt_budget *budget, int threads);
};

struct gt_budget {
    int64_t limit; /* bytes for buffers: the ceiling less what code, stacks and libraries take */
    _Atomic int64_t used;
    _Atomic int64_t high;                  /* high-water mark of used */
    struct gt_budget *parent;              /* what is counted here is counted there too; NULL: this is the whole */
    struct gt_budget *part_of;             /* limit is counted there, see gt_budget_part */
    _Atomic bool refused;                  /* a take has failed for want of room here */
    const struct gt_budget_keeper *keeper; /* NULL: takes up to the limit go through, others are refused */
    _Atomic int64_t easy;                  /* takes up to here need not ask the keeper */
};

void gt_budget_init(struct gt_budget *budget, int64_t limit);
/* Count n bytes; GT_NOFIT, with the numbers, when they would pass the limit.  Inside a
 * callback of a flow it waits for what others give back (engine/flow.h). */
int gt_budget_take(struct gt_budget *budget, size_t n, struct gt_err *err);
/* The same where there is another way: no waiting, no error. */
bool gt_budget_try(struct gt_budget *budget, size_t n);
void gt_budget_give(struct gt_budget *budget, size_t n);
/* Three quarters are used: what is kept for convenience is better given back.  NULL is not short. */
bool gt_budget_is_short(const struct gt_budget *budget);

/* A part of a budget that is put by at once, as a budget of its own: what is counted in
 * `part` up to `size` bytes has its room whatever else is taken.  GT_NOFIT.  When nothing is
 * counted in it any more, gt_budget_part_end gives all of it back. */
int gt_budget_part(struct gt_budget *part, struct gt_budget *of, int64_t size, struct gt_err *err);
void gt_budget_part_end(struct gt_budget *part);

/* Who waits for memory must be known to be all that stands still.  So: while a thread holds a
 * lock that others may wait for, its takes do not wait, and fail when there is no room. */
void gt_budget_locked(void);
void gt_budget_unlocked(void);
bool gt_budget_is_locked(void);
/* So many threads wait from now on, on a condition, for others that may wait for memory;
 * negative: so many go on, said by who signals it, before that. */
void gt_budget_waiting(struct gt_budget *budget, int threads);

/* A growable, 64-byte aligned byte buffer that is counted.  budget may be NULL
 * (tests).  Zero-initialise, then set .budget. */
struct gt_buf {
    uint8_t *data;
    size_t len, cap;
    struct gt_budget *budget;
};

/* As numbers. */
static inline double *gt_buf_f64(const struct gt_buf *buf)
{
    return (double *)(void *)buf->data;
}
static inline int64_t *gt_buf_i64(const struct gt_buf *buf)
{
    return (int64_t *)(void *)buf->data;
}
static inline uint32_t *gt_buf_u32(const struct gt_buf *buf)
{
    return (uint32_t *)(void *)buf->data;
}

/* Room for at least cap bytes; contents up to len are kept.  GT_NOFIT or GT_FAIL. */
int gt_buf_reserve(struct gt_buf *buf, size_t cap, struct gt_err *err);
bool gt_buf_try(struct gt_buf *buf, size_t cap); /* the same as gt_budget_try is */
/* Length n; new bytes are not initialised. */
int gt_buf_resize(struct gt_buf *buf, size_t n, struct gt_err *err);
/* Length n, all of it 0.  A large one takes memory only where it is written to, by whom it is. */
int gt_buf_zeros(struct gt_buf *buf, size_t n, struct gt_err *err);
int gt_buf_append(struct gt_buf *buf, const void *data, size_t n, struct gt_err *err);
void gt_buf_swap(struct gt_buf *a, struct gt_buf *b);
void gt_buf_release(struct gt_buf *buf); /* frees and gives the bytes back; keeps .budget */

#endif
