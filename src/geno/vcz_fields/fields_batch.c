/* Sample columns that look alike: cut at their marks, and their numbers read, many samples at a time. */
#include "config.h"

#include <string.h>

#include "geno/vcz_fields/fields_internal.h"
#include "geno/vcz_fields/fields_value.h"
#include "kernels/kernels.h"

/* Text that is cut at a time: it, its marks and their numbers stay in the cache. */
#define WINDOW 8192

/* After each of a sample's values: commas or bars, then a colon; after the last one a tab.  The period is -1 where that cannot
 * be, as of texts nobody knows how many marks are in them. */
static void make_pattern(struct gt_fields_row_group *s)
{
    struct fields_fixed_layout *alike = &s->alike;
    int64_t n = 0;
    alike->period = -1;
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct fields_row *row = &s->rows[i];
        if (row->array < 0 || row->kind > GT_COLUMN_FLOAT || row->k > FIELDS_PERIOD - n)
            return;
        const bool calls = row->array == FIELD_GENOTYPE;
        memset(alike->pattern + n, calls ? '/' : ',', (size_t)row->k);
        memset(alike->other + n, calls ? '|' : ',', (size_t)row->k);
        n += row->k;
        alike->pattern[n - 1] = alike->other[n - 1] = i + 1 < s->n_rows ? ':' : '\t';
    }
    if (n > 0)
        alike->period = n;
}

static int cut(struct fields_fixed_layout *alike, const char *p, const char *end, struct gt_err *err)
{
    const int64_t n = end - p < WINDOW ? end - p : WINDOW, room = 1 + n + GT_DELIMS_ROOM;
    int status = fields_grow(&alike->delims, (size_t)room, err);
    if (!status)
        status = fields_grow(&alike->numbers, (size_t)room, err);
    if (status)
        return status;
    int32_t *delims = (int32_t *)(void *)alike->delims.data;
    delims[0] = -1 * 256; /* before the text */
    alike->n = 1 + gt_kernels()->split_delims(p, n, delims + 1);
    alike->at = 1;
    alike->from = p;
    alike->to = p + n;
    return 0;
}

static const char *place(const struct fields_fixed_layout *alike, int64_t mark)
{
    return alike->from + (((const int32_t *)(const void *)alike->delims.data)[mark] >> 8);
}

/* The marks that are of what stands at p and after it. */
static int look_at(struct fields_fixed_layout *alike, const char *p, const char *end, struct gt_err *err)
{
    if (!alike->from || p < alike->from || p >= alike->to)
        return cut(alike, p, end, err);
    while (alike->at < alike->n && place(alike, alike->at) < p)
        alike->at++;
    return 0;
}

static inline void spread(const int32_t *numbers, int64_t period, int64_t n, int64_t k, int32_t *to)
{
    for (int64_t r = 0; r < n; r++)
        for (int64_t i = 0; i < k; i++)
            to[r * k + i] = numbers[r * period + i];
}

static void spread_row(const int32_t *numbers, int64_t period, int64_t n, int64_t k, int32_t *to)
{
    switch (k) {
    case 1:
        spread(numbers, period, n, 1, to);
        break;
    case 2:
        spread(numbers, period, n, 2, to);
        break;
    case 3:
        spread(numbers, period, n, 3, to);
        break;
    default:
        spread(numbers, period, n, k, to);
    }
}

/* A value that no vector could read, before that mark; one that is not there is alone. */
static bool read_value(const struct fields_fixed_layout *alike, int64_t mark, bool whole, bool alone, uint32_t *x)
{
    const char *p = place(alike, mark - 1) + 1, *stop = place(alike, mark);
    return (alone || p < stop) && fields_value(&p, stop, whole, x) && p == stop;
}

/* How many of n samples have what the row can hold; numbers: the row's of the first one, of mark number `mark`. */
static int64_t settle_row(struct gt_fields_row_group *s, const struct fields_row *row, int64_t mark, int64_t n, int32_t *numbers)
{
    const struct fields_fixed_layout *alike = &s->alike;
    const bool whole = row->kind == GT_COLUMN_INT;
    for (int64_t r = 0; r < n; r++)
        for (int64_t i = 0; i < row->k; i++) {
            const int64_t at = r * alike->period + i;
            uint32_t x = (uint32_t)numbers[at];
            if (whole && numbers[at] != GT_MARKED_OTHER)
                continue;
            if (row->array == FIELD_GENOTYPE || !read_value(alike, mark + at, whole, row->k == 1, &x))
                return r;
            numbers[at] = (int32_t)x;
            s->negative |= fields_is_literal(x);
        }
    return n;
}

static void take_phases(struct gt_fields_row_group *s, const int32_t *delims, int64_t n, int64_t k, uint8_t *phased)
{
    for (int64_t r = 0; r < n; r++) /* a haploid call counts as phased */
        phased[r] = k == 1 || (uint8_t)delims[r * s->alike.period] == '|';
    s->ploidy = k > s->ploidy ? k : s->ploidy;
}

/* Samples [sample, sample + n), which have the marks for it; how many of them are read. */
static int64_t read_samples(struct gt_fields_row_group *s, int64_t sample, int64_t n, uint8_t *phased)
{
    struct fields_fixed_layout *alike = &s->alike;
    const int32_t *delims = (const int32_t *)(const void *)alike->delims.data + alike->at;
    int32_t *numbers = (int32_t *)(void *)alike->numbers.data;
    const int64_t others = gt_kernels()->marked_ints(alike->from, delims, n * alike->period, numbers);
    int64_t first = 0;
    for (size_t i = 0; i < s->n_rows; first += s->rows[i++].k)
        if (others || s->rows[i].kind == GT_COLUMN_FLOAT)
            n = settle_row(s, &s->rows[i], alike->at + first, n, numbers + first);
    first = 0;
    for (size_t i = 0; i < s->n_rows; first += s->rows[i++].k) {
        struct fields_row *row = &s->rows[i];
        spread_row(numbers + first, alike->period, n, row->k, (int32_t *)(void *)row->values.data + sample * row->k);
        if (row->array == FIELD_GENOTYPE)
            take_phases(s, delims + first, n, row->k, phased + sample);
    }
    return n;
}

int fields_fixed_layout(struct gt_fields_row_group *s, int64_t *sample, const char **at, const char *end, uint8_t *phased,
                        struct gt_err *err)
{
    struct fields_fixed_layout *alike = &s->alike;
    int status = 0;
    if (!alike->period)
        make_pattern(s);
    if (alike->period < 0)
        return 0;
    while (*sample < s->fields->n_samples && *at < end && !(status = look_at(alike, *at, end, err))) {
        const int64_t left = s->fields->n_samples - *sample, cut_ones = (alike->n - alike->at) / alike->period;
        const int64_t most = left < cut_ones ? left : cut_ones;
        const int64_t run = gt_kernels()->same_delims((const int32_t *)(const void *)alike->delims.data + alike->at, most, alike->pattern,
                                                      alike->other, alike->period);
        const int64_t read = run ? read_samples(s, *sample, run, phased) : 0;
        const bool whole_window = *at == alike->from;
        if (read) {
            *sample += read;
            alike->at += read * alike->period;
            *at = place(alike, alike->at - 1) + 1;
        }
        if (read < most || alike->to == end || (!read && whole_window))
            break; /* one that is not alike, or is longer than a window; or there is no more */
        if (*at < alike->to && (status = cut(alike, *at, end, err)))
            break;
    }
    return status;
}
