/* Ranges of values at a server: which become one request, and whose bytes go where, for random ranges that overlap, touch, or are just
 * too far apart, with data that come in pieces of any size. */
#include <stdlib.h>
#include <string.h>

#include "storage/http/http_internal.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 8, NEAR = 8 << 10, LONGEST = 8 << 20 };

/* The byte at an offset of a value. */
static char byte_at(const char *key, int64_t offset)
{
    return (char)(*key + offset % 251 + offset / 251 % 7);
}

static void get_range(struct gt_get *get, struct gt_buf *buf, const char *key, int64_t offset, size_t n)
{
    *buf = (struct gt_buf){0};
    *get = (struct gt_get){.key = key, .buf = buf, .range = true, .offset = offset, .n = n};
}

/* How many of the ranges, in this order, the first request takes. */
static size_t joined(struct gt_get *gets, size_t n, struct slot *slot)
{
    static struct gt_get *order[MOST];
    for (size_t i = 0; i < n; i++)
        order[i] = &gets[i];
    qsort(order, n, sizeof *order, http_compare_gets);
    *slot = (struct slot){.at = order[0]->offset};
    return http_join(slot, order, n);
}

static void test_borders(void)
{
    static const struct {
        const char *what, *key;
        int64_t offset, n; /* of the second range; the first is 100 bytes from 1000 */
        size_t wanted;
    } cases[] = {{"that touches", "a", 1100, 50, 2},
                 {"inside", "a", 1020, 50, 2},
                 {"that overlaps", "a", 1090, 50, 2},
                 {"that is the same", "a", 1000, 100, 2},
                 {"8 KiB away", "a", 1100 + NEAR, 50, 2},
                 {"farther than 8 KiB", "a", 1101 + NEAR, 50, 1},
                 {"of another value", "b", 1100, 50, 1},
                 {"with which it is 8 MiB", "a", 1100, LONGEST - 100, 2},
                 {"with which it is more than 8 MiB", "a", 1100, LONGEST - 99, 1},
                 {"that is empty", "a", 1100, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_get gets[2];
        struct gt_buf bufs[2];
        struct slot slot;
        get_range(&gets[0], &bufs[0], "a", 1000, 100);
        get_range(&gets[1], &bufs[1], cases[i].key, cases[i].offset, (size_t)cases[i].n);
        size_t n = joined(gets, 2, &slot);
        /* an empty range is asked for by itself, and comes before the others */
        ok(n == cases[i].wanted && (slot.get == &gets[0] || !cases[i].n), "a range and one %s: %zu", cases[i].what, n);
    }
    for (int i = 0; i < 3; i++) {
        struct gt_get gets[2];
        struct gt_buf bufs[2];
        struct slot slot;
        get_range(&gets[0], &bufs[0], "a", i == 2 ? -100 : 1000, 100);
        get_range(&gets[1], &bufs[1], "a", i == 2 ? -50 : 1100, 50);
        gets[0].range = i != 0;
        gets[0].at_most = i == 1;
        ok(joined(gets, 2, &slot) == 1 && slot.end == 0, "%s is a request by itself",
           i == 0   ? "a whole value"
           : i == 1 ? "what may be shorter"
                    : "the end of a value");
    }
}

/* Ranges of 8 MiB at most may be joined with others, and those that do not end near the largest offset. */
static void test_largest(void)
{
    static const struct {
        int64_t offset, n;
        bool joins;
    } cases[] = {
        {1000, LONGEST, true}, {1000, LONGEST + 1, false}, {INT64_MAX - LONGEST, 100, true}, {INT64_MAX - LONGEST + 1, 100, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_get get;
        struct gt_buf buf;
        struct slot slot;
        get_range(&get, &buf, "a", cases[i].offset, (size_t)cases[i].n);
        ok(joined(&get, 1, &slot) == 1 && slot.end == (cases[i].joins ? cases[i].offset + cases[i].n : 0), "%lld bytes from %lld%s",
           (long long)cases[i].n, (long long)cases[i].offset, cases[i].joins ? "" : " are a request by themselves");
    }
}

/* All of the bytes of a request, in pieces. */
static bool take(struct slot *slot, bool small)
{
    static char data[1 << 16];
    const int64_t end = slot->end;
    const char *key = slot->get->key;
    while (slot->at < end) {
        int64_t n = 1 + random_below(small ? 7 : 5000);
        n = n < end - slot->at ? n : end - slot->at;
        for (int64_t i = 0; i < n; i++)
            data[i] = byte_at(key, slot->at + i);
        if (http_take_parts(slot, data, (size_t)n))
            return false;
    }
    return slot->part == slot->n_gets;
}

static bool holds(const struct gt_get *get)
{
    bool same = get->buf->len == get->n;
    for (size_t i = 0; i < get->n && same; i++)
        same = (char)get->buf->data[i] == byte_at(get->key, get->offset + (int64_t)i);
    return same;
}

static void test_random(void)
{
    int wrong = 0;
    for (int round = 0; round < 2000; round++) {
        struct gt_get gets[MOST], *order[MOST];
        struct gt_buf bufs[MOST];
        const bool small = round % 2;
        const size_t n = 1 + (size_t)random_below(MOST);
        for (size_t i = 0; i < n; i++) {
            get_range(&gets[i], &bufs[i], random_below(3) ? "a" : "b", random_below(small ? 30 : 20000),
                      1 + (size_t)random_below(small ? 12 : 3000));
            order[i] = &gets[i];
        }
        qsort(order, n, sizeof *order, http_compare_gets);
        for (size_t from = 0; from < n;) {
            struct slot slot = {.at = order[from]->offset};
            const size_t k = http_join(&slot, order + from, n - from);
            int64_t last = 0;
            for (size_t i = from; i < from + k; i++)
                last = order[i]->offset + (int64_t)order[i]->n > last ? order[i]->offset + (int64_t)order[i]->n : last;
            wrong += slot.end != last || slot.n_gets != k || !take(&slot, small);
            from += k;
        }
        for (size_t i = 0; i < n; i++) {
            wrong += !holds(&gets[i]);
            gt_buf_release(&bufs[i]);
        }
    }
    ok(wrong == 0, "the bytes of each range, whatever is asked for with it");
}

int main(void)
{
    test_borders();
    test_largest();
    test_random();
    return done_testing();
}
