/* Counts of missing calls next to others. */
#include <stdlib.h>
#include <string.h>

#include "calc/pairs/acc_geno.h"
#include "core/base/mem.h"

static int64_t size_of(const struct gt_buf *numbers)
{
    return (int64_t)(numbers->len / GT_COUNT_BYTES);
}

struct gt_bit_counts gt_cpu_gap_counts(const struct gt_buf *numbers, int64_t at)
{
    return (struct gt_bit_counts){.at = numbers->data + at, .vector = GT_BIT_ROW, .apart = (size_t)size_of(numbers)};
}

static int bytes_for(int64_t most)
{
    int bytes = 0;
    for (; most > 0 && bytes < GT_COUNT_BYTES; most >>= 8)
        bytes++;
    return bytes;
}

/* --- making them ------------------------------------------------------------------ */

int gt_cpu_make_gaps(struct gt_cpu_acc *acc, struct gt_err *err)
{
    int status = GT_OK;
    pthread_mutex_lock(&acc->lock);
    gt_budget_locked();
    for (int g = 0; g < GT_CPU_GAPS && !status; g++)
        if (acc->gap[g] && !acc->gaps[g].len)
            status = gt_cpu_zeroed(&acc->gaps[g], acc->gap_size, GT_COUNT_BYTES, err);
    if (!status && acc->both && !acc->both_missing.len)
        status = gt_cpu_zeroed(&acc->both_missing, acc->both_size, GT_COUNT_BYTES, err);
    gt_budget_unlocked();
    pthread_mutex_unlock(&acc->lock);
    return status;
}

/* --- as bytes ---------------------------------------------------------------------- */

static void set_bytes(struct gt_cpu_acc *acc)
{
    for (int64_t s = 0; s < acc->n; s++)
        acc->gap_bytes.data[s] = (uint8_t)bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s]);
}

static void turn(const struct gt_cpu_acc *acc, struct gt_buf *numbers, const struct gt_buf *spans)
{
    uint8_t rows[GT_BIT_ROW];
    for (int64_t s = 0; s < acc->n && numbers->len; s++) {
        const struct gt_cpu_span span = gt_cpu_span_of(spans, s);
        for (int q = 0; q < acc->gap_bytes.data[s]; q++)
            for (int64_t v = 0; v < span.to - span.from; v++) {
                uint8_t *at = numbers->data + q * size_of(numbers) + span.at + v * GT_BIT_ROW;
                memcpy(rows, at, sizeof rows);
                acc->kernels->bits_together(rows, GT_BIT_ROW, at);
            }
    }
}

int gt_cpu_gaps_finish(struct gt_cpu_acc *acc, struct gt_err *err)
{
    const int status = gt_buf_zeros(&acc->gap_bytes, (size_t)acc->n, err);
    if (status)
        return status;
    set_bytes(acc);
    for (int g = 0; g < GT_CPU_GAPS; g++)
        turn(acc, &acc->gaps[g], &acc->gap_span);
    turn(acc, &acc->both_missing, &acc->both_span);
    return GT_OK;
}

/* The numbers of a panel, of `bytes` bytes, from index `at` on.  There is one at least: it is 0 where none is used. */
static void load(const struct gt_buf *numbers, int64_t at, int bytes, uint32_t to[restrict GT_PANEL])
{
    const int64_t size = size_of(numbers);
    const uint8_t *restrict from = numbers->data + at;
    for (int k = 0; k < GT_PANEL; k++)
        to[k] = from[k];
    for (int q = 1; q < bytes; q++)
        for (int k = 0; k < GT_PANEL; k++)
            to[k] |= (uint32_t)from[q * size + k] << 8 * q;
}

static void store(struct gt_buf *numbers, int64_t at, int bytes, const uint32_t from[restrict GT_PANEL])
{
    const int64_t size = size_of(numbers);
    uint8_t *restrict to = numbers->data + at;
    for (int q = 0; q < bytes; q++, to += size)
        for (int k = 0; k < GT_PANEL; k++)
            to[k] = (uint8_t)(from[k] >> 8 * q);
}

/* --- all together ------------------------------------------------------------------- */

/* Words that ranks add up at once. */
enum { MOST = GT_COMM_BLOCK / sizeof(uint32_t) };

/* Numbers [at, at + n), of which the first is one of the sample; `each` in a word, where the sums need no more bits. */
struct stretch {
    int64_t at, n, sample;
    int each;
};

/* The numbers of a panel into words, which can then be added up like numbers. */
static void pack(const uint32_t x[restrict GT_PANEL], int each, uint32_t *restrict words)
{
    if (each == 4)
        for (int k = 0; k < GT_PANEL / 4; k++)
            words[k] = x[k] | x[k + GT_PANEL / 4] << 8 | x[k + GT_PANEL / 2] << 16 | x[k + 3 * GT_PANEL / 4] << 24;
    else if (each == 2)
        for (int k = 0; k < GT_PANEL / 2; k++)
            words[k] = x[k] | x[k + GT_PANEL / 2] << 16;
    else
        memcpy(words, x, GT_PANEL * sizeof *words);
}

static void unpack(const uint32_t *restrict words, int each, uint32_t x[restrict GT_PANEL])
{
    if (each == 4)
        for (int k = 0; k < GT_PANEL / 4; k++) {
            x[k] = words[k] & 0xff;
            x[k + GT_PANEL / 4] = words[k] >> 8 & 0xff;
            x[k + GT_PANEL / 2] = words[k] >> 16 & 0xff;
            x[k + 3 * GT_PANEL / 4] = words[k] >> 24;
        }
    else if (each == 2)
        for (int k = 0; k < GT_PANEL / 2; k++) {
            x[k] = words[k] & 0xffff;
            x[k + GT_PANEL / 2] = words[k] >> 16;
        }
    else
        memcpy(x, words, GT_PANEL * sizeof *x);
}

/* Numbers of a stretch into words, with the bytes that each sample uses here; or back from there, with the bytes that the sums need. */
static void move(const struct gt_cpu_acc *acc, struct gt_buf *numbers, const struct gt_buf *spans, struct stretch *stretch, bool back,
                 uint32_t *words)
{
    uint32_t x[GT_PANEL];
    int64_t s = stretch->sample;
    for (int64_t at = stretch->at; at < stretch->at + stretch->n; s++) {
        const struct gt_cpu_span span = gt_cpu_span_of(spans, s);
        const int64_t end = gt_min_i64(span.at + (int64_t)(span.to - span.from) * GT_BIT_ROW, stretch->at + stretch->n);
        const int bytes = back ? bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s]) : acc->gap_bytes.data[s];
        for (; at < end; at += GT_PANEL, words += GT_PANEL / stretch->each) {
            if (back) {
                unpack(words, stretch->each, x);
                store(numbers, at, bytes, x);
            } else {
                load(numbers, at, bytes, x);
                pack(x, stretch->each, words);
            }
        }
    }
    if (back)
        stretch->sample = s - (s > stretch->sample); /* the last one may go on */
}

/* No count of a sample is above that of its missing calls. */
static int most_bytes(const struct gt_cpu_acc *acc)
{
    int64_t most = 0;
    for (int64_t s = 0; s < acc->n; s++)
        most = gt_max_i64(most, gt_cpu_counts(acc, GT_CPU_MISSING)[s]);
    return bytes_for(most);
}

static int reduce(const struct gt_cpu_acc *acc, struct gt_buf *numbers, const struct gt_buf *spans, struct gt_comm *comm,
                  uint32_t words[MOST], struct gt_err *err)
{
    struct stretch stretch = {.each = GT_COUNT_BYTES / most_bytes(acc)};
    int status = GT_OK;
    for (; stretch.at < size_of(numbers) && !status; stretch.at += stretch.n) {
        stretch.n = gt_min_i64((int64_t)MOST * stretch.each, size_of(numbers) - stretch.at);
        move(acc, numbers, spans, &stretch, false, words);
        status = gt_comm_reduce_u32(comm, words, (size_t)(stretch.n / stretch.each), 0, err);
        if (!status && comm->rank == 0)
            move(acc, numbers, spans, &stretch, true, words);
    }
    return status;
}

int gt_cpu_gaps_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    if (!most_bytes(acc)) /* no rank met missing calls */
        return GT_OK;
    uint32_t *words = gt_alloc(MOST, sizeof *words, err);
    int status = words ? gt_cpu_make_gaps(acc, err) : GT_FAIL; /* whether or not this rank did */
    for (int g = 0; g < GT_CPU_GAPS && !status; g++)
        status = reduce(acc, &acc->gaps[g], &acc->gap_span, comm, words, err);
    if (!status)
        status = reduce(acc, &acc->both_missing, &acc->both_span, comm, words, err);
    free(words);
    if (!status && comm->rank == 0)
        set_bytes(acc);
    return status;
}

static void merge(struct gt_cpu_acc *acc, struct gt_buf *to, const struct gt_cpu_acc *from, const struct gt_buf *more,
                  const struct gt_buf *spans)
{
    uint32_t x[GT_PANEL], y[GT_PANEL];
    for (int64_t s = 0; s < acc->n && more->len; s++) {
        const struct gt_cpu_span span = gt_cpu_span_of(spans, s);
        const int bytes = bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s] + gt_cpu_counts(from, GT_CPU_MISSING)[s]);
        for (int64_t at = span.at; at < span.at + (int64_t)(span.to - span.from) * GT_BIT_ROW; at += GT_PANEL) {
            load(to, at, acc->gap_bytes.data[s], x);
            load(more, at, from->gap_bytes.data[s], y);
            for (int k = 0; k < GT_PANEL; k++)
                x[k] += y[k];
            store(to, at, bytes, x);
        }
    }
}

void gt_cpu_gaps_merge(struct gt_cpu_acc *acc, const struct gt_cpu_acc *from)
{
    for (int g = 0; g < GT_CPU_GAPS; g++)
        merge(acc, &acc->gaps[g], from, &from->gaps[g], &acc->gap_span);
    merge(acc, &acc->both_missing, from, &from->both_missing, &acc->both_span);
    for (int64_t s = 0; s < acc->n; s++)
        acc->gap_bytes.data[s] = (uint8_t)bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s] + gt_cpu_counts(from, GT_CPU_MISSING)[s]);
}

/* --- for tiles ------------------------------------------------------------------------ */

int64_t gt_cpu_gaps_at(const struct gt_cpu_acc *acc, const struct gt_buf *spans, int64_t sample, int64_t b)
{
    if (sample >= acc->n)
        return -1;
    const struct gt_cpu_span span = gt_cpu_span_of(spans, sample);
    const int64_t column = b * GT_PANEL - (int64_t)span.from * GT_BIT_ROW;
    return column < 0 || b * GT_PANEL >= (int64_t)span.to * GT_BIT_ROW ? -1 : span.at + column;
}

void gt_cpu_gaps_load(const struct gt_cpu_acc *acc, const struct gt_buf *numbers, int64_t sample, int64_t at, int32_t to[GT_PANEL])
{
    load(numbers, at, acc->gap_bytes.data[sample], (uint32_t *)to);
}
