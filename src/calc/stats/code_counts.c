#include "calc/stats/code_counts.h"

#include <string.h>

#include "core/base/size.h"

/* Words come in groups of eight, loops over which compilers turn into vector code. */
enum { CODES = 3, FEW = 3, SOME = 85, GROUP = 8 };

static uint64_t *few_of(const struct gt_tally *tally, int code)
{
    return (uint64_t *)tally->fields.data + (size_t)code * tally->words;
}

/* Bytes with the counts of samples k, k + 4, k + 8, ... */
static uint64_t *some_of(const struct gt_tally *tally, int code, int k)
{
    return (uint64_t *)tally->fields.data + ((size_t)CODES + (size_t)(4 * code + k)) * tally->words;
}

int gt_tally_start(struct gt_tally *tally, struct gt_budget *budget, int64_t n, struct gt_err *err)
{
    tally->n = n;
    tally->words = (size_t)gt_ceil_div(n, 32 * GROUP) * GROUP;
    tally->few = tally->some = 0;
    tally->fields.budget = tally->counts.budget = budget;
    int status = gt_buf_resize(&tally->fields, (size_t)(CODES + 4 * CODES) * tally->words * sizeof(uint64_t), err);
    if (!status)
        status = gt_buf_resize(&tally->counts, CODES * (size_t)n * sizeof(uint32_t), err);
    if (status)
        return status;
    memset(tally->fields.data, 0, tally->fields.len);
    memset(tally->counts.data, 0, tally->counts.len);
    return GT_OK;
}

/* Bytes into counters. */
static void count_bytes(struct gt_tally *tally)
{
    for (int code = 0; code < CODES; code++) {
        uint32_t *counts = (uint32_t *)tally->counts.data + (size_t)code * (size_t)tally->n;
        for (int k = 0; k < 4; k++) {
            const uint8_t *bytes = (const uint8_t *)some_of(tally, code, k);
            for (int64_t s = k; s < tally->n; s += 4)
                counts[s] += bytes[s / 4];
        }
    }
    memset(some_of(tally, 0, 0), 0, (size_t)(4 * CODES) * tally->words * sizeof(uint64_t));
    tally->some = 0;
}

static void add_fields(uint64_t *restrict some, const uint64_t *restrict few, size_t words, int shift)
{
    for (const uint64_t *end = few + words; few < end; few += GROUP, some += GROUP)
        for (int i = 0; i < GROUP; i++)
            some[i] += few[i] >> shift & 0x0303030303030303u;
}

/* Fields of two bits into bytes. */
static void widen(struct gt_tally *tally)
{
    for (int code = 0; code < CODES; code++)
        for (int k = 0; k < 4; k++)
            add_fields(some_of(tally, code, k), few_of(tally, code), tally->words, 2 * k);
    memset(few_of(tally, 0), 0, CODES * tally->words * sizeof(uint64_t));
    tally->few = 0;
    if (++tally->some == SOME)
        count_bytes(tally);
}

static void add_codes(uint64_t *restrict one, uint64_t *restrict two, uint64_t *restrict three, const uint8_t *restrict row)
{
    const uint64_t low = 0x5555555555555555u;
    uint64_t x[GROUP];
    memcpy(x, row, sizeof x);
    for (int i = 0; i < GROUP; i++) {
        one[i] += x[i] & ~(x[i] >> 1) & low;
        two[i] += x[i] >> 1 & ~x[i] & low;
        three[i] += x[i] & x[i] >> 1 & low;
    }
}

void gt_tally_add(struct gt_tally *tally, const uint8_t *row)
{
    uint64_t *one = few_of(tally, 0), *two = few_of(tally, 1), *three = few_of(tally, 2);
    for (size_t w = 0; w < tally->words; w += GROUP)
        add_codes(one + w, two + w, three + w, row + w * sizeof *one);
    if (++tally->few == FEW)
        widen(tally);
}

void gt_tally_finish(struct gt_tally *tally)
{
    widen(tally);
    count_bytes(tally);
}

void gt_tally_release(struct gt_tally *tally)
{
    gt_buf_release(&tally->fields);
    gt_buf_release(&tally->counts);
}
