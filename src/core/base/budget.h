/* The memory budget: every bulk buffer is counted where it is allocated. */
#ifndef GT_BASE_BUDGET_H
#define GT_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_budget;

/* Decides what happens when a budget is full (engine/flow_memory.c).  Callbacks on any thread. */
struct gt_budget_keeper {
    /* Called when usage would exceed `easy`: adds n to `used` when there is room and returns true;
     * may block until then if `wait` is set.  false: refused. */
    bool (*admit)(struct gt_budget *budget, int64_t n, bool wait);
    /* Called after an allocation, on its thread. */
    void (*taken)(struct gt_budget *budget, int64_t n);
    /* Subtracts n from `used`. */
    void (*give)(struct gt_budget *budget, int64_t n);
    /* See gt_budget_waiting. */
    void (*waiting)(struct gt_budget *budget, int threads);
};

struct gt_budget {
    int64_t limit; /* bytes for buffers: the ceiling less code, stacks and libraries */
    _Atomic int64_t used;
    _Atomic int64_t high;                  /* high-water mark of used */
    struct gt_budget *parent;              /* also counts everything counted here; NULL: top level */
    struct gt_budget *part_of;             /* has reserved `limit`, see gt_budget_part */
    _Atomic bool refused;                  /* a request was refused here for lack of room */
    const struct gt_budget_keeper *keeper; /* NULL: requests within the limit succeed, others are refused */
    _Atomic int64_t easy;                  /* below this usage the keeper is not called */
};

void gt_budget_init(struct gt_budget *budget, int64_t limit);
/* Counts n bytes; GT_NOFIT, with the numbers, when the limit would be exceeded.  In a callback
 * of a flow it blocks until other tasks release memory (engine/flow.h). */
int gt_budget_take(struct gt_budget *budget, size_t n, struct gt_err *err);
/* The same without blocking and without an error message. */
bool gt_budget_try(struct gt_budget *budget, size_t n);
void gt_budget_give(struct gt_budget *budget, size_t n);
/* Is more than three quarters in use?  Then optional caches should be released.  false for NULL. */
bool gt_budget_is_short(const struct gt_budget *budget);

/* Makes `part` a budget of its own with `size` bytes reserved in `of`, so allocations in it up to
 * `size` always succeed.  GT_NOFIT.  gt_budget_part_end returns the reservation; nothing may be
 * counted in `part` then. */
int gt_budget_part(struct gt_budget *part, struct gt_budget *of, int64_t size, struct gt_err *err);
void gt_budget_part_end(struct gt_budget *part);

/* Deadlock detection needs to know all threads that wait for memory.  Between these calls a thread
 * holds a lock that others may wait for: its requests do not block, and fail when there is no room. */
void gt_budget_locked(void);
void gt_budget_unlocked(void);
bool gt_budget_is_locked(void);
/* `threads` more threads start to wait on a condition for others that may wait for memory.
 * Negative: that many continue; called before they are signalled, by the signalling thread. */
void gt_budget_waiting(struct gt_budget *budget, int threads);

/* A growable, 64-byte aligned byte buffer, counted in budget (may be NULL in tests).
 * Zero-initialise, then set .budget. */
struct gt_buf {
    uint8_t *data;
    size_t len, cap;
    struct gt_budget *budget;
};

/* The contents as an array of a type. */
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

/* Reserves at least cap bytes; contents up to len are kept.  GT_NOFIT or GT_FAIL. */
int gt_buf_reserve(struct gt_buf *buf, size_t cap, struct gt_err *err);
bool gt_buf_try(struct gt_buf *buf, size_t cap); /* as gt_budget_try */
/* Sets the length to n; new bytes are not initialised. */
int gt_buf_resize(struct gt_buf *buf, size_t n, struct gt_err *err);
/* Sets the length to n, all zero.  Pages of a large buffer are only allocated when written to. */
int gt_buf_zeros(struct gt_buf *buf, size_t n, struct gt_err *err);
int gt_buf_append(struct gt_buf *buf, const void *data, size_t n, struct gt_err *err);
void gt_buf_swap(struct gt_buf *a, struct gt_buf *b);
void gt_buf_release(struct gt_buf *buf); /* frees the memory and uncounts it; keeps .budget */

#endif
