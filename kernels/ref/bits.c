#include <string.h>

#include "kernels/bits_tally.h"
#include "kernels/impl.h"
#include "kernels/ref/code.h"

static int bit(const uint8_t *row, int64_t k)
{
    return row[k / 8] >> k % 8 & 1;
}

static void set(uint8_t *row, int64_t k, int on)
{
    if (row)
        row[k / 8] |= (uint8_t)(on << k % 8);
}

static void clear(uint8_t *row, int64_t n_samples)
{
    if (row)
        memset(row, 0, (size_t)((n_samples + GT_BIT_ROW - 1) / GT_BIT_ROW * (GT_BIT_ROW / 8)));
}

int64_t gt_bits_split_ref(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t bits, uint8_t *hom, uint8_t *alt,
                          uint8_t *missing)
{
    int64_t total = 0;
    for (int64_t r = 0; r < n_rows; r++, rows += stride, hom += bits, missing += bits) {
        clear(hom, n_samples);
        clear(alt, n_samples);
        clear(missing, n_samples);
        for (int64_t s = 0; s < n_samples; s++) {
            int code = code_of(rows, s);
            set(hom, s, code == 0 || code == 2);
            set(alt, s, code == 2);
            set(missing, s, code == 3);
            total += code == 3;
        }
        alt = alt ? alt + bits : NULL;
    }
    return total;
}

void gt_bits_pair_ref(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR])
{
    const uint8_t *x_alt = x + bits, *x_gap = x_alt + bits, *y_alt = y + bits, *y_gap = y_alt + bits;
    memset(counts, 0, GT_BITS_PAIR * sizeof *counts);
    for (int64_t s = 0; s < (int64_t)bits * 8; s++) {
        const bool both = bit(x, s) && bit(y, s);
        counts[GT_BITS_HOM] += both;
        counts[GT_BITS_UNLIKE] += both && bit(x_alt, s) != bit(y_alt, s);
        counts[GT_BITS_GAPS] += gaps && (bit(x_gap, s) || bit(y_gap, s));
        counts[GT_BITS_X_HOM] += gaps && bit(x, s) && bit(y_gap, s);
        counts[GT_BITS_X_ALT] += gaps && bit(x_alt, s) && bit(y_gap, s);
        counts[GT_BITS_Y_HOM] += gaps && bit(y, s) && bit(x_gap, s);
        counts[GT_BITS_Y_ALT] += gaps && bit(y_alt, s) && bit(x_gap, s);
    }
}

void gt_bits_turn_ref(const uint8_t *bits, size_t stride, int64_t n_rows, uint64_t *out, size_t words)
{
    for (int64_t from = 0; from < n_rows; from += 64, out += words) {
        for (int c = 0; c < GT_BIT_ROW; c++) {
            out[c] = 0;
            for (int64_t r = from; r < n_rows && r < from + 64; r++)
                out[c] |= (uint64_t)bit(bits + (size_t)r * stride, c) << (r - from);
        }
    }
}

/* Counts of a vector. */
enum { VECTOR = GT_BIT_ROW / 8, COUNTS = GT_COUNT_BITS * VECTOR };

static uint32_t number(const uint8_t *counts, int64_t c)
{
    uint32_t n = 0;
    for (int l = 0; l < GT_COUNT_BITS; l++)
        n |= (uint32_t)bit(counts + l * VECTOR, c) << l;
    return n;
}

/* 2^l more in column c of a vector, or less: bits change up to the first that was 0, or 1. */
static void step(const struct gt_bit_counts *counts, int64_t v, int64_t c, int l, bool off)
{
    for (; l < GT_COUNT_BITS; l++) {
        uint8_t *byte = counts->at + (size_t)v * counts->vector + l / 8 * counts->apart + l % 8 * VECTOR + c / 8;
        *byte ^= (uint8_t)(1 << c % 8);
        if ((*byte >> c % 8 & 1) != off)
            return;
    }
}

void gt_bits_sum_ref(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                     struct gt_bit_counts counts)
{
    for (int64_t v = first; v < last; v++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t c = 0; c < GT_BIT_ROW; c++)
                if (bit(bits + offsets[k], v * GT_BIT_ROW + c))
                    step(&counts, v - first, c, 0, off);
}

void gt_bits_add_ref(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts)
{
    for (int64_t v = 0; v < vectors; v++, more += COUNTS)
        for (int64_t c = 0; c < GT_BIT_ROW; c++)
            for (int l = 0; l < GT_COUNT_BITS; l++)
                if (bit(more + l * VECTOR, c))
                    step(&counts, v, c, l, false);
}

void gt_bits_numbers_ref(uint8_t *counts, int64_t vectors)
{
    for (; vectors > 0; vectors--, counts += COUNTS) {
        uint32_t numbers[GT_BIT_ROW];
        for (int64_t c = 0; c < GT_BIT_ROW; c++)
            numbers[c] = number(counts, c);
        memcpy(counts, numbers, sizeof numbers);
    }
}

GT_BITS_TALLY_BY(ref)
