#include "calc/stats/code_counts.h"

#include <string.h>

#include "core/base/size.h"

/* Words come in groups of eight, loops over which compilers turn into vector code. */
enum { CODES = 3, FEW = 3, SOME = 85, GROUP = 8 };

static uint64_t *few_of(const struct gt_code_counts *counters, int code)
{
    return (uint64_t *)counters->fields.data + (size_t)code * counters->words;
}

/* Bytes with the counts of samples k, k + 4, k + 8, ... */
static uint64_t *some_of(const struct gt_code_counts *counters, int code, int k)
{
    return (uint64_t *)counters->fields.data + ((size_t)CODES + (size_t)(4 * code + k)) * counters->words;
}

int gt_code_counts_start(struct gt_code_counts *counters, struct gt_budget *budget, int64_t n, struct gt_err *err)
{
    counters->n = n;
    counters->words = (size_t)gt_ceil_div(n, 32 * GROUP) * GROUP;
    counters->few = counters->some = 0;
    counters->fields.budget = counters->counts.budget = budget;
    int status = gt_buf_resize(&counters->fields, (size_t)(CODES + 4 * CODES) * counters->words * sizeof(uint64_t), err);
    if (!status)
        status = gt_buf_resize(&counters->counts, CODES * (size_t)n * sizeof(uint32_t), err);
    if (status)
        return status;
    memset(counters->fields.data, 0, counters->fields.len);
    memset(counters->counts.data, 0, counters->counts.len);
    return GT_OK;
}

/* Bytes into counters. */
static void count_bytes(struct gt_code_counts *counters)
{
    for (int code = 0; code < CODES; code++) {
        uint32_t *counts = (uint32_t *)counters->counts.data + (size_t)code * (size_t)counters->n;
        for (int k = 0; k < 4; k++) {
            const uint8_t *bytes = (const uint8_t *)some_of(counters, code, k);
            for (int64_t s = k; s < counters->n; s += 4)
                counts[s] += bytes[s / 4];
        }
    }
    memset(some_of(counters, 0, 0), 0, (size_t)(4 * CODES) * counters->words * sizeof(uint64_t));
    counters->some = 0;
}

static void add_fields(uint64_t *restrict some, const uint64_t *restrict few, size_t words, int shift)
{
    for (const uint64_t *end = few + words; few < end; few += GROUP, some += GROUP)
        for (int i = 0; i < GROUP; i++)
            some[i] += few[i] >> shift & 0x0303030303030303u;
}

/* Fields of two bits into bytes. */
static void widen(struct gt_code_counts *counters)
{
    for (int code = 0; code < CODES; code++)
        for (int k = 0; k < 4; k++)
            add_fields(some_of(counters, code, k), few_of(counters, code), counters->words, 2 * k);
    memset(few_of(counters, 0), 0, CODES * counters->words * sizeof(uint64_t));
    counters->few = 0;
    if (++counters->some == SOME)
        count_bytes(counters);
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

void gt_code_counts_add(struct gt_code_counts *counters, const uint8_t *row)
{
    uint64_t *one = few_of(counters, 0), *two = few_of(counters, 1), *three = few_of(counters, 2);
    for (size_t w = 0; w < counters->words; w += GROUP)
        add_codes(one + w, two + w, three + w, row + w * sizeof *one);
    if (++counters->few == FEW)
        widen(counters);
}

void gt_code_counts_finish(struct gt_code_counts *counters)
{
    widen(counters);
    count_bytes(counters);
}

void gt_code_counts_release(struct gt_code_counts *counters)
{
    gt_buf_release(&counters->fields);
    gt_buf_release(&counters->counts);
}
