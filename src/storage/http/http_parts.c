/* Ranges of one value that stand close to one another are one request: what comes of it goes to the buffers that
 * it is for, and what stands between them nowhere. */
#include "config.h"

#include <string.h>

#include "storage/http/http_internal.h"

/* What may come in vain rather than take a request of its own; and the longest request, so that many are still side by side. */
enum { GAP = 8 << 10, LONGEST = 8 << 20 };

static int64_t end_of(const struct gt_get *get)
{
    return get->offset + (int64_t)get->n;
}

static bool is_plain_range(const struct gt_get *get)
{
    return get->range && !get->at_most && get->offset >= 0 && get->n > 0 && get->n <= LONGEST && get->offset <= INT64_MAX - LONGEST;
}

int http_compare_gets(const void *a, const void *b)
{
    const struct gt_get *x = *(struct gt_get *const *)a, *y = *(struct gt_get *const *)b;
    const bool ranges = is_plain_range(x);
    if (ranges != is_plain_range(y))
        return ranges ? 1 : -1;
    int order = ranges ? strcmp(x->key, y->key) : 0;
    if (!order && ranges)
        order = (x->offset > y->offset) - (x->offset < y->offset);
    return order ? order : (x > y) - (x < y);
}

static bool is_whole(const struct gt_get *get)
{
    return get->buf->len == get->n;
}

size_t http_join(struct slot *slot, struct gt_get **gets, size_t n)
{
    size_t k = 1;
    slot->gets = gets;
    slot->get = gets[0];
    slot->end = is_plain_range(gets[0]) ? end_of(gets[0]) : 0;
    for (; k < n && slot->end && is_plain_range(gets[k]) && strcmp(gets[k]->key, gets[0]->key) == 0; k++) {
        const int64_t end = end_of(gets[k]) > slot->end ? end_of(gets[k]) : slot->end;
        if (gets[k]->offset - slot->end > GAP || end - gets[0]->offset > LONGEST)
            break;
        slot->end = end;
    }
    return slot->n_gets = k;
}

int http_take_parts(struct slot *slot, const char *data, size_t n)
{
    const int64_t from = slot->at, end = from + (int64_t)n;
    slot->at = end;
    for (size_t i = slot->part; i < slot->n_gets && slot->gets[i]->offset < end; i++) {
        struct gt_get *get = slot->gets[i];
        const int64_t next = get->offset + (int64_t)get->buf->len, last = end_of(get) < end ? end_of(get) : end;
        if (last > next && (gt_buf_reserve(get->buf, get->n, &slot->why) ||
                            gt_buf_append(get->buf, data + (next - from), (size_t)(last - next), &slot->why)))
            return slot->why.status;
    }
    while (slot->part < slot->n_gets && is_whole(slot->gets[slot->part]))
        slot->part++;
    return 0;
}
