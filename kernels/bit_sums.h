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

/* Adds a bit and what was carried to the bits at counts, or, if flip is all ones, takes them off; returns what is carried, or borrowed. */
GT_INLINE vec full_add(uint8_t *counts, vec add, vec over, vec flip)
{
    const vec kept = load_bits(counts), either = add ^ over;
    store_bits(counts, kept ^ either);
    return (add & over) | (either & (kept ^ flip));
}

/* Levels that the sum of n rows has: the others are 0. */
GT_INLINE int levels_of(int64_t n)
{
    return n ? 64 - __builtin_clzll((uint64_t)n) : 0;
}

/* Carries on, or borrows, from bit 8 until nothing is left; counts: where bit 0 stands. */
GT_INLINE void carry_on(vec over, const vec flip, uint8_t *counts, size_t apart)
{
    for (int l = BIT_LEVELS; l < GT_COUNT_BITS && any_bit(over); l++)
        over = full_add(counts + l / 8 * apart + l % 8 * BIT_ROW_BYTES, (vec){0}, over, flip);
}

/* Adds a sum to the counts, or takes it off; `levels`: its lowest bits, the others are 0. */
GT_INLINE void add_levels(const vec level[BIT_LEVELS], const int levels, const bool off, uint8_t *counts, size_t apart)
{
    vec over = {0};
    const vec flip = off ? ~over : over;
    GT_UNROLL
    for (int l = 0; l < BIT_LEVELS; l++) {
        if (l >= levels && !any_bit(over))
            return;
        over = full_add(counts + l * BIT_ROW_BYTES, level[l], over, flip);
    }
    carry_on(over, flip, counts, apart);
}

/* The counts that rows will be added to. */
GT_INLINE void fetch_counts(const uint8_t *counts, int levels)
{
    for (int l = 0; l < levels; l++)
        fetch(counts + l * BIT_ROW_BYTES);
}

/* Parts, of a vector's length, of bit rows [first, last); n <= BIT_MOST. */
GT_INLINE void sum_some(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, const bool off,
                        struct gt_bit_counts counts)
{
    enum { PARTS = BIT_ROW_BYTES / sizeof(vec) };
    const int levels = levels_of(n);
    for (int64_t part = PARTS * first; part < PARTS * last; part++) {
        uint8_t *to = counts.at + (size_t)(part / PARTS - first) * counts.vector;
        vec level[BIT_LEVELS];
        fetch_counts(to, levels);
        memset(level, 0, sizeof level);
        add_rows(bits + part * (int64_t)sizeof(vec), offsets, n, level);
        add_levels(level, levels, off, to + part % PARTS * (int64_t)sizeof(vec), counts.apart);
    }
}

GT_INLINE void bits_sum(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                        struct gt_bit_counts counts)
{
    for (; n > 0; n -= BIT_MOST, offsets += BIT_MOST) {
        const int64_t rows = n < BIT_MOST ? n : BIT_MOST;
        if (off)
            sum_some(bits, offsets, rows, first, last, true, counts);
        else
            sum_some(bits, offsets, rows, first, last, false, counts);
    }
}

GT_INLINE void bits_add(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts)
{
    for (; vectors > 0; vectors--, more += BIT_COUNTS, counts.at += counts.vector)
        for (size_t at = 0; at < BIT_ROW_BYTES; at += sizeof(vec)) {
            vec over = {0};
            for (int l = 0; l < GT_COUNT_BITS; l++) {
                const vec add = load_bits(more + l * BIT_ROW_BYTES + at);
                if (any_bit(add | over))
                    over = full_add(counts.at + l / 8 * counts.apart + l % 8 * BIT_ROW_BYTES + at, add, over, (vec){0});
            }
        }
}

#endif
