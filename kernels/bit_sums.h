/* bits_sum and bits_add with vectors of any length: rows are summed as numbers of a few bits a column, a vector for each bit, and
 * these are added to the counts.  The including file gives
 *     vec                             a vector type of the compiler, with its operators
 *     bool any_bit(vec)               is one of them set?
 *     void fetch(const uint8_t *)     a line that will be written soon, or nothing */
#ifndef GT_KERNELS_BIT_SUMS_H
#define GT_KERNELS_BIT_SUMS_H

#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

enum { BIT_ROW_BYTES = GT_BIT_ROW / 8, BIT_LEVELS = 8, BIT_MOST = (1 << BIT_LEVELS) - 1, BIT_COUNTS = GT_COUNT_BITS * BIT_ROW_BYTES };

GT_INLINE vec load_bits(const uint8_t *p)
{
    vec x;
    memcpy(&x, p, sizeof x);
    return x;
}

GT_INLINE void store_bits(uint8_t *p, vec x)
{
    memcpy(p, &x, sizeof x);
}

/* *kept + a + b: its bits of double weight are returned, the others kept. */
GT_INLINE vec carry(vec *kept, vec a, vec b)
{
    const vec either = a ^ b, out = (a & b) | (either & *kept);
    *kept ^= either;
    return out;
}

GT_INLINE void ripple(vec level[BIT_LEVELS], int from, vec add)
{
    GT_UNROLL
    for (int l = from; l < BIT_LEVELS; l++) {
        const vec out = level[l] & add;
        level[l] ^= add;
        add = out;
    }
}

/* n <= BIT_MOST rows. */
GT_INLINE void add_rows(const uint8_t *bits, const uint32_t *offsets, int64_t n, vec level[BIT_LEVELS])
{
#define ROW(k) load_bits(bits + offsets[k])
    for (; n >= 8; n -= 8, offsets += 8) {
        vec two = carry(&level[0], ROW(0), ROW(1)), four = carry(&level[1], two, carry(&level[0], ROW(2), ROW(3)));
        two = carry(&level[0], ROW(4), ROW(5));
        vec other = carry(&level[1], two, carry(&level[0], ROW(6), ROW(7)));
        ripple(level, 3, carry(&level[2], four, other));
    }
    for (; n > 0; n--, offsets++)
        ripple(level, 0, ROW(0));
#undef ROW
}

/* Bit by bit, `levels` of them; beyond these only as far as something is carried, or borrowed.
 * What is added has its bits `apart` bytes from each other. */
GT_INLINE void add_levels(const uint8_t *more, const size_t apart, const int levels, const bool off, uint8_t *counts)
{
    vec over = {0};
    const vec flip = off ? ~over : over;
    int l = 0;
    for (; l < levels; l++, counts += BIT_ROW_BYTES) {
        const vec kept = load_bits(counts), add = load_bits(more + (size_t)l * apart), either = add ^ over;
        store_bits(counts, kept ^ either);
        over = (add & over) | (either & (kept ^ flip));
    }
    for (; l < GT_COUNT_BITS && any_bit(over); l++, counts += BIT_ROW_BYTES) {
        const vec kept = load_bits(counts);
        store_bits(counts, kept ^ over);
        over &= kept ^ flip;
    }
}

/* The counts that rows will be added to. */
GT_INLINE void fetch_counts(const uint8_t *counts)
{
    GT_UNROLL
    for (int l = 0; l < 2 * BIT_LEVELS; l++)
        fetch(counts + l * BIT_ROW_BYTES);
}

/* Parts, of a vector's length, of bit rows [first, last); n <= BIT_MOST. */
GT_INLINE void sum_some(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, const bool off,
                        uint8_t *counts)
{
    enum { PARTS = BIT_ROW_BYTES / sizeof(vec) };
    for (int64_t part = PARTS * first; part < PARTS * last; part++) {
        uint8_t *to = counts + (part / PARTS - first) * BIT_COUNTS;
        vec level[BIT_LEVELS];
        fetch_counts(to);
        memset(level, 0, sizeof level);
        add_rows(bits + part * (int64_t)sizeof(vec), offsets, n, level);
        add_levels((const uint8_t *)level, sizeof *level, BIT_LEVELS, off, to + part % PARTS * (int64_t)sizeof(vec));
    }
}

GT_INLINE void bits_sum(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off, uint8_t *counts)
{
    for (; n > 0; n -= BIT_MOST, offsets += BIT_MOST) {
        const int64_t rows = n < BIT_MOST ? n : BIT_MOST;
        if (off)
            sum_some(bits, offsets, rows, first, last, true, counts);
        else
            sum_some(bits, offsets, rows, first, last, false, counts);
    }
}

GT_INLINE void bits_add(const uint8_t *more, int64_t vectors, uint8_t *counts)
{
    for (; vectors > 0; vectors--, more += BIT_COUNTS, counts += BIT_COUNTS)
        for (size_t at = 0; at < BIT_ROW_BYTES; at += sizeof(vec))
            add_levels(more + at, BIT_ROW_BYTES, GT_COUNT_BITS, false, counts + at);
}

#endif
