#include "config.h"

#include "base/budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/size.h"

void gt_budget_init(struct gt_budget *budget, int64_t limit)
{
    *budget = (struct gt_budget){.limit = limit};
}

static int refuse(struct gt_budget *budget, size_t n, int64_t used, struct gt_err *err)
{
    char want[GT_NUM_LEN], in_use[GT_NUM_LEN], limit[GT_NUM_LEN];
    atomic_store_explicit(&budget->refused, true, memory_order_relaxed);
    gt_fail(err, GT_NOFIT, "needs %s more memory, with %s of %s for buffers in use",
            gt_format_size(want, n > INT64_MAX ? INT64_MAX : (int64_t)n), gt_format_size(in_use, used),
            gt_format_size(limit, budget->limit));
    gt_hint(err, "give more with --memory");
    return GT_NOFIT;
}

/* Here alone. */
static int take(struct gt_budget *budget, size_t n, struct gt_err *err)
{
    int64_t used = atomic_load_explicit(&budget->used, memory_order_relaxed), now, high;
    do {
        if (n > INT64_MAX || __builtin_add_overflow(used, (int64_t)n, &now) || now > budget->limit)
            return refuse(budget, n, used, err);
    } while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, now, memory_order_relaxed, memory_order_relaxed));
    high = atomic_load_explicit(&budget->high, memory_order_relaxed);
    while (now > high && !atomic_compare_exchange_weak_explicit(&budget->high, &high, now, memory_order_relaxed, memory_order_relaxed))
        continue;
    return GT_OK;
}

int gt_budget_take(struct gt_budget *budget, size_t n, struct gt_err *err)
{
    int status = take(budget, n, err);
    if (!status && budget->parent && (status = gt_budget_take(budget->parent, n, err)) != GT_OK)
        atomic_fetch_sub_explicit(&budget->used, (int64_t)n, memory_order_relaxed);
    return status;
}

void gt_budget_give(struct gt_budget *budget, size_t n)
{
    for (; budget; budget = budget->parent)
        atomic_fetch_sub_explicit(&budget->used, (int64_t)n, memory_order_relaxed);
}

/* Large pages for the whole ones within a large buffer: fewer faults, and fewer misses where
 * it is read here and there. */
static void want_large_pages(uint8_t *data, size_t n)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)2 << 20;
    uintptr_t from = ((uintptr_t)data + page - 1) / page * page, to = ((uintptr_t)data + n) / page * page;
    if (from < to)
        madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)data, (void)n;
#endif
}

int gt_buf_reserve(struct gt_buf *buf, size_t cap, struct gt_err *err)
{
    void *data;
    int status;
    size_t rounded;
    if (cap <= buf->cap)
        return GT_OK;
    if (!gt_add_size(cap, 63, &rounded))
        return gt_fail(err, GT_NOFIT, "a buffer of %zu bytes is too large", cap);
    rounded &= ~(size_t)63;
    /* while the old block is copied both exist; both are counted */
    if (buf->budget && (status = gt_budget_take(buf->budget, rounded, err)) != GT_OK)
        return status;
    data = aligned_alloc(64, rounded);
    if (!data) {
        if (buf->budget)
            gt_budget_give(buf->budget, rounded);
        return gt_fail(err, GT_FAIL, "cannot allocate %zu bytes", rounded);
    }
    want_large_pages(data, rounded);
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    free(buf->data);
    if (buf->budget)
        gt_budget_give(buf->budget, buf->cap);
    buf->data = data;
    buf->cap = rounded;
    return GT_OK;
}

int gt_buf_resize(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    int status = gt_buf_reserve(buf, n, err);
    if (!status)
        buf->len = n;
    return status;
}

int gt_buf_append(struct gt_buf *buf, const void *data, size_t n, struct gt_err *err)
{
    size_t need;
    int status;
    if (!gt_add_size(buf->len, n, &need))
        return gt_fail(err, GT_NOFIT, "a buffer grows too large");
    if (need > buf->cap) {
        size_t more = buf->cap + buf->cap / 2;
        if ((status = gt_buf_reserve(buf, more > need ? more : need, NULL)) != GT_OK && (status = gt_buf_reserve(buf, need, err)) != GT_OK)
            return status;
    }
    if (n)
        memcpy(buf->data + buf->len, data, n);
    buf->len = need;
    return GT_OK;
}

void gt_buf_swap(struct gt_buf *a, struct gt_buf *b)
{
    struct gt_buf t = *a;
    *a = *b;
    *b = t;
}

void gt_buf_release(struct gt_buf *buf)
{
    struct gt_budget *budget = buf->budget;
    free(buf->data);
    if (budget)
        gt_budget_give(budget, buf->cap);
    *buf = (struct gt_buf){.budget = budget};
}
