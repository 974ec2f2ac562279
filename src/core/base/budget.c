#include "config.h"

#include "core/base/budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/size.h"

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

/* Adds n to used unless that passes `most`; *now: what is used then, or without it. */
static bool add_up_to(struct gt_budget *budget, int64_t n, int64_t most, int64_t *now)
{
    int64_t used = atomic_load(&budget->used);
    do {
        *now = used;
        if (n > most - used)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + n));
    *now = used + n;
    return true;
}

static void note_high(struct gt_budget *budget)
{
    int64_t now = atomic_load_explicit(&budget->used, memory_order_relaxed);
    int64_t high = atomic_load_explicit(&budget->high, memory_order_relaxed);
    while (now > high && !atomic_compare_exchange_weak_explicit(&budget->high, &high, now, memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* In this budget alone.  *now: what is used, with it or without. */
static bool take(struct gt_budget *budget, size_t n, bool wait, int64_t *now)
{
    const struct gt_budget_keeper *keeper = budget->keeper;
    bool taken = n <= INT64_MAX / 2 &&
                 add_up_to(budget, (int64_t)n, keeper ? atomic_load_explicit(&budget->easy, memory_order_relaxed) : budget->limit, now);
    if (!taken && keeper && n <= INT64_MAX / 2)
        taken = keeper->admit(budget, (int64_t)n, wait);
    if (!taken)
        return false;
    note_high(budget);
    if (keeper)
        keeper->taken(budget, (int64_t)n);
    return true;
}

int gt_budget_take(struct gt_budget *budget, size_t n, struct gt_err *err)
{
    int64_t now = 0;
    int status = take(budget, n, true, &now) ? GT_OK : refuse(budget, n, now, err);
    if (!status && budget->parent && (status = gt_budget_take(budget->parent, n, err)) != GT_OK)
        atomic_fetch_sub(&budget->used, (int64_t)n);
    return status;
}

bool gt_budget_try(struct gt_budget *budget, size_t n)
{
    int64_t now;
    if (!take(budget, n, false, &now))
        return false;
    if (!budget->parent || gt_budget_try(budget->parent, n))
        return true;
    atomic_fetch_sub(&budget->used, (int64_t)n);
    return false;
}

bool gt_budget_is_short(const struct gt_budget *budget)
{
    return budget && atomic_load_explicit(&budget->used, memory_order_relaxed) > budget->limit / 4 * 3;
}

void gt_budget_give(struct gt_budget *budget, size_t n)
{
    for (; budget && n; budget = budget->parent)
        if (budget->keeper)
            budget->keeper->give(budget, (int64_t)n);
        else
            atomic_fetch_sub(&budget->used, (int64_t)n);
}

int gt_budget_part(struct gt_budget *part, struct gt_budget *of, int64_t size, struct gt_err *err)
{
    gt_budget_init(part, size);
    int status = gt_budget_take(of, (size_t)size, err);
    if (!status)
        part->part_of = of;
    return status;
}

void gt_budget_part_end(struct gt_budget *part)
{
    if (part->part_of)
        gt_budget_give(part->part_of, (size_t)part->limit);
    part->part_of = NULL;
}

static _Thread_local int locks;

void gt_budget_locked(void)
{
    locks++;
}

void gt_budget_unlocked(void)
{
    locks--;
}

bool gt_budget_is_locked(void)
{
    return locks > 0;
}

void gt_budget_waiting(struct gt_budget *budget, int threads)
{
    while (budget && (budget->parent || budget->part_of))
        budget = budget->parent ? budget->parent : budget->part_of;
    if (budget && budget->keeper)
        budget->keeper->waiting(budget, threads);
}

#define LARGE_PAGE ((size_t)2 << 20)

/* The whole large pages of n bytes: where the first begins, how many bytes. */
static size_t large_pages(uint8_t *data, size_t n, uint8_t **first)
{
    const size_t skip = (LARGE_PAGE - (uintptr_t)data % LARGE_PAGE) % LARGE_PAGE;
    *first = data + skip;
    return skip < n ? (n - skip) / LARGE_PAGE * LARGE_PAGE : 0;
}

/* Fewer faults, and fewer misses where the buffer is read here and there. */
static void want_large_pages(uint8_t *data, size_t n)
{
#if HAVE_DECL_MADV_HUGEPAGE
    uint8_t *first;
    size_t bytes = large_pages(data, n, &first);
    if (bytes)
        madvise(first, bytes, MADV_HUGEPAGE);
#else
    (void)data, (void)n;
#endif
}

/* On Linux, MADV_DONTNEED leaves zero pages. */
static bool forget_pages(uint8_t *first, size_t bytes)
{
#ifdef GT_DONTNEED_ZEROES
    return madvise(first, bytes, MADV_DONTNEED) == 0;
#else
    (void)first, (void)bytes;
    return false;
#endif
}

static void set_zero(uint8_t *data, size_t n)
{
    uint8_t *first;
    size_t bytes = large_pages(data, n, &first);
    if (!bytes || !forget_pages(first, bytes)) {
        memset(data, 0, n);
        return;
    }
    memset(data, 0, (size_t)(first - data));
    memset(first + bytes, 0, (size_t)(data + n - first) - bytes);
}

static bool rounded_cap(size_t cap, size_t *rounded)
{
    bool fits = gt_add_size(cap, 63, rounded);
    *rounded &= ~(size_t)63;
    return fits;
}

/* `cap` bytes for the contents, which were counted; false: there is no memory. */
static bool move_to_new(struct gt_buf *buf, size_t cap)
{
    void *data;
    if (posix_memalign(&data, cap < 2 * LARGE_PAGE ? 64 : LARGE_PAGE, cap)) {
        if (buf->budget)
            gt_budget_give(buf->budget, cap);
        return false;
    }
    want_large_pages(data, cap);
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    free(buf->data);
    if (buf->budget)
        gt_budget_give(buf->budget, buf->cap);
    buf->data = data;
    buf->cap = cap;
    return true;
}

int gt_buf_reserve(struct gt_buf *buf, size_t cap, struct gt_err *err)
{
    int status;
    size_t rounded;
    if (cap <= buf->cap)
        return GT_OK;
    if (!rounded_cap(cap, &rounded))
        return gt_fail(err, GT_NOFIT, "a buffer of %zu bytes is too large", cap);
    if (!buf->len)
        gt_buf_release(buf);
    /* while the old block is copied both exist; both are counted */
    if (buf->budget && (status = gt_budget_take(buf->budget, rounded, err)) != GT_OK)
        return status;
    return move_to_new(buf, rounded) ? GT_OK : gt_fail(err, GT_FAIL, "cannot allocate %zu bytes", rounded);
}

bool gt_buf_try(struct gt_buf *buf, size_t cap)
{
    size_t rounded;
    if (cap <= buf->cap)
        return true;
    return rounded_cap(cap, &rounded) && (!buf->budget || gt_budget_try(buf->budget, rounded)) && move_to_new(buf, rounded);
}

int gt_buf_resize(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    int status = gt_buf_reserve(buf, n, err);
    if (!status)
        buf->len = n;
    return status;
}

int gt_buf_zeros(struct gt_buf *buf, size_t n, struct gt_err *err)
{
    buf->len = 0;
    int status = gt_buf_resize(buf, n, err);
    if (!status && n)
        set_zero(buf->data, n);
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
        if (!(more > need && gt_buf_try(buf, more)) && (status = gt_buf_reserve(buf, need, err)) != GT_OK)
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
