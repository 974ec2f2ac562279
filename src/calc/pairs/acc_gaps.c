/* Counts of missing calls next to others. */
#include <string.h>

#include "calc/pairs/acc_geno.h"

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

/* n numbers of `bytes` bytes from index `at` on. */
static void load(const struct gt_buf *numbers, int64_t at, int64_t n, int bytes, uint32_t *to)
{
    const int64_t size = size_of(numbers);
    const uint8_t *from = numbers->data + at;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int q = 0; q < bytes; q++, from += size)
        for (int64_t k = 0; k < n; k++)
            to[k] |= (uint32_t)from[k] << 8 * q;
}

static void store(struct gt_buf *numbers, int64_t at, int64_t n, int bytes, const uint32_t *from)
{
    const int64_t size = size_of(numbers);
    uint8_t *to = numbers->data + at;
    for (int q = 0; q < bytes; q++, to += size)
        for (int64_t k = 0; k < n; k++)
            to[k] = (uint8_t)(from[k] >> 8 * q);
}

/* --- all together ------------------------------------------------------------------- */

/* Numbers that ranks add up at once. */
enum { MOST = 1 << 14 };

/* Numbers [at, at + n), of which the first is one of the sample. */
struct stretch {
    int64_t at, n, sample;
};

/* Numbers of a stretch into `all`, with the bytes that each sample uses here; or back from there, with the bytes that the sums need. */
static void move(const struct gt_cpu_acc *acc, struct gt_buf *numbers, const struct gt_buf *spans, struct stretch *stretch, bool back,
                 uint32_t *all)
{
    int64_t s = stretch->sample;
    for (int64_t at = stretch->at; at < stretch->at + stretch->n; s++) {
        const struct gt_cpu_span span = gt_cpu_span_of(spans, s);
        const int64_t end = gt_min_i64(span.at + (int64_t)(span.to - span.from) * GT_BIT_ROW, stretch->at + stretch->n);
        if (end <= at)
            continue;
        if (back)
            store(numbers, at, end - at, bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s]), all + (at - stretch->at));
        else
            load(numbers, at, end - at, acc->gap_bytes.data[s], all + (at - stretch->at));
        at = end;
    }
    if (back)
        stretch->sample = s - (s > stretch->sample); /* the last one may go on */
}

static int reduce(const struct gt_cpu_acc *acc, struct gt_buf *numbers, const struct gt_buf *spans, struct gt_comm *comm,
                  struct gt_err *err)
{
    uint32_t all[MOST];
    struct stretch stretch = {0};
    int status = GT_OK;
    for (; stretch.at < size_of(numbers) && !status; stretch.at += stretch.n) {
        stretch.n = gt_min_i64(MOST, size_of(numbers) - stretch.at);
        move(acc, numbers, spans, &stretch, false, all);
        status = gt_comm_reduce_u32(comm, all, (size_t)stretch.n, 0, err);
        if (!status && comm->rank == 0)
            move(acc, numbers, spans, &stretch, true, all);
    }
    return status;
}

int gt_cpu_gaps_reduce(struct gt_cpu_acc *acc, struct gt_comm *comm, struct gt_err *err)
{
    int status = gt_cpu_make_gaps(acc, err); /* whether or not this rank met missing calls */
    for (int g = 0; g < GT_CPU_GAPS && !status; g++)
        status = reduce(acc, &acc->gaps[g], &acc->gap_span, comm, err);
    if (!status)
        status = reduce(acc, &acc->both_missing, &acc->both_span, comm, err);
    if (!status && comm->rank == 0)
        set_bytes(acc);
    return status;
}

static void merge(struct gt_cpu_acc *acc, struct gt_buf *to, const struct gt_cpu_acc *from, const struct gt_buf *more,
                  const struct gt_buf *spans)
{
    uint32_t x[GT_BIT_ROW], y[GT_BIT_ROW];
    for (int64_t s = 0; s < acc->n && more->len; s++) {
        const struct gt_cpu_span span = gt_cpu_span_of(spans, s);
        const int bytes = bytes_for(gt_cpu_counts(acc, GT_CPU_MISSING)[s] + gt_cpu_counts(from, GT_CPU_MISSING)[s]);
        for (int64_t at = span.at; at < span.at + (int64_t)(span.to - span.from) * GT_BIT_ROW; at += GT_BIT_ROW) {
            load(to, at, GT_BIT_ROW, acc->gap_bytes.data[s], x);
            load(more, at, GT_BIT_ROW, from->gap_bytes.data[s], y);
            for (int k = 0; k < GT_BIT_ROW; k++)
                x[k] += y[k];
            store(to, at, GT_BIT_ROW, bytes, x);
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
    const int bytes = acc->gap_bytes.data[sample];
    const uint8_t *from = numbers->data + at;
    if (bytes == 1)
        for (int k = 0; k < GT_PANEL; k++)
            to[k] = from[k];
    else
        load(numbers, at, GT_PANEL, bytes, (uint32_t *)to);
}
