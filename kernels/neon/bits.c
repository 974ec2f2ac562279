#include <arm_neon.h>
#include <string.h>

#include "kernels/bits8.h"
#include "kernels/bits_tally.h"
#include "kernels/impl.h"
#include "kernels/neon/turn_bits.h"
#include "kernels/unroll.h"

typedef uint8x16_t vec;

GT_INLINE vec low_bytes(vec a, vec b)
{
    return vzip1q_u8(a, b);
}

GT_INLINE vec high_bytes(vec a, vec b)
{
    return vzip2q_u8(a, b);
}

#include "kernels/turn.h"

/* --- rows of codes ------------------------------------------------------------------ */

enum { SPLIT = 128 }; /* samples at a time */

/* The even bits of 16 bytes, four of them in each byte. */
GT_INLINE vec even_bits(vec x)
{
    x = vandq_u8(x, vdupq_n_u8(0x55));
    x = vandq_u8(vorrq_u8(x, vshrq_n_u8(x, 1)), vdupq_n_u8(0x33));
    return vandq_u8(vorrq_u8(x, vshrq_n_u8(x, 2)), vdupq_n_u8(0x0f));
}

GT_INLINE vec even_bits_of(vec x, vec y)
{
    const vec a = even_bits(x), b = even_bits(y);
    return vsliq_n_u8(vuzp1q_u8(a, b), vuzp2q_u8(a, b), 4);
}

/* A mask of the first n of SPLIT samples. */
static vec first_samples(int64_t n)
{
    uint8_t mask[SPLIT / 8] = {0};
    n = n < 0 ? 0 : n < SPLIT ? n : SPLIT;
    memset(mask, 0xff, (size_t)(n / 8));
    if (n % 8)
        mask[n / 8] = (uint8_t)((1 << n % 8) - 1);
    return vld1q_u8(mask);
}

/* The codes of SPLIT samples of which n are there, maybe none. */
GT_INLINE int64_t split(const uint8_t *row, int64_t n, vec there, uint8_t *hom, uint8_t *alt, uint8_t *missing)
{
    const vec x = n > 0 ? vld1q_u8(row) : vdupq_n_u8(0), y = n > 0 ? vld1q_u8(row + 16) : x;
    const vec low = even_bits_of(x, y), high = vandq_u8(even_bits_of(vshrq_n_u8(x, 1), vshrq_n_u8(y, 1)), there);
    const vec both = vandq_u8(low, high);
    vst1q_u8(hom, vbicq_u8(there, low));
    if (alt)
        vst1q_u8(alt, vbicq_u8(high, low));
    vst1q_u8(missing, both);
    return vaddlvq_u8(vcntq_u8(both));
}

int64_t gt_bits_split_neon(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t bits, uint8_t *hom, uint8_t *alt,
                           uint8_t *missing)
{
    int64_t total = 0;
    for (int64_t s = 0; s < (n_samples + GT_BIT_ROW - 1) / GT_BIT_ROW * GT_BIT_ROW; s += SPLIT) {
        const vec there = first_samples(n_samples - s);
        for (int64_t r = 0; r < n_rows; r++) {
            const size_t at = (size_t)r * bits + (size_t)s / 8;
            total += split(rows + (size_t)r * stride + s / 4, n_samples - s, there, hom + at, alt ? alt + at : NULL, missing + at);
        }
    }
    return total;
}

/* Vectors whose bits are counted in bytes. */
enum { BYTES_HOLD = 255 / 8 };

void gt_bits_pair_neon(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR])
{
    memset(counts, 0, GT_BITS_PAIR * sizeof *counts);
    for (size_t from = 0; from < bits; from += BYTES_HOLD * 16) {
        vec n[GT_BITS_PAIR];
        for (int k = 0; k < GT_BITS_PAIR; k++)
            n[k] = vdupq_n_u8(0);
        for (size_t at = from; at < bits && at < from + BYTES_HOLD * 16; at += 16) {
            vec a[3], b[3];
            for (size_t p = 0; p < 3; p++) {
                a[p] = vld1q_u8(x + p * bits + at);
                b[p] = vld1q_u8(y + p * bits + at);
            }
            n[GT_BITS_HOM] += vcntq_u8(a[0] & b[0]);
            n[GT_BITS_UNLIKE] += vcntq_u8(a[0] & b[0] & (a[1] ^ b[1]));
            if (!gaps)
                continue;
            n[GT_BITS_GAPS] += vcntq_u8(a[2] | b[2]);
            n[GT_BITS_X_HOM] += vcntq_u8(a[0] & b[2]);
            n[GT_BITS_X_ALT] += vcntq_u8(a[1] & b[2]);
            n[GT_BITS_Y_HOM] += vcntq_u8(b[0] & a[2]);
            n[GT_BITS_Y_ALT] += vcntq_u8(b[1] & a[2]);
        }
        for (int k = 0; k < GT_BITS_PAIR; k++)
            counts[k] += vaddlvq_u8(n[k]);
    }
}

/* --- columns ---------------------------------------------------------------------- */

/* 16 rows, of which n_rows are there, 16 bytes of each: v[c] has bits [16 b, 16 b + 16) of column 8 c + b. */
GT_INLINE void turn_sixteen(const uint8_t *bits, size_t stride, int64_t n_rows, uint16x8_t v[16])
{
    const vec order = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    vec rows[16];
    for (int r = 0; r < 16; r++)
        rows[r] = r < n_rows ? vld1q_u8(bits + (size_t)r * stride) : vdupq_n_u8(0);
    turn_bytes(rows);
    for (int c = 0; c < 16; c++)
        v[c] = vreinterpretq_u16_u8(vqtbl1q_u8(turn_bits(rows[c]), order));
}

void gt_bits_turn_neon(const uint8_t *bits, size_t stride, int64_t n_rows, uint64_t *out, size_t words)
{
    for (int64_t from = 0; from < n_rows; from += 64, bits += 64 * stride, out += words)
        for (int column = 0; column < GT_BIT_ROW / 8; column += 16) {
            uint16x8_t v[4][16];
            for (int q = 0; q < 4; q++)
                turn_sixteen(bits + (size_t)(16 * q) * stride + column, stride, n_rows - from - 16 * q, v[q]);
            for (int c = 0; c < 16; c++)
                vst4q_u16((uint16_t *)(void *)(out + (column + c) * 8), (uint16x8x4_t){{v[0][c], v[1][c], v[2][c], v[3][c]}});
        }
}

/* --- sums --------------------------------------------------------------------------- */

GT_INLINE bool any_bit(vec x)
{
    return vmaxvq_u8(x) != 0;
}

GT_INLINE void fetch(const uint8_t *counts)
{
    __builtin_prefetch(counts, 1);
}

#include "kernels/bit_sums.h"

void gt_bits_sum_neon(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                      struct gt_bit_counts counts)
{
    bits_sum(bits, offsets, n, first, last, off, counts);
}

void gt_bits_add_neon(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts)
{
    bits_add(more, vectors, counts);
}

/* Eight bits of eight columns are eight bytes of numbers. */
void gt_bits_numbers_neon(uint8_t *counts, int64_t vectors)
{
    for (; vectors > 0; vectors--, counts += BIT_COUNTS) {
        uint8_t levels[BIT_COUNTS];
        memcpy(levels, counts, sizeof levels);
        for (int q = 0; q < GT_COUNT_BITS / 8; q++)
            for (int c = 0; c < BIT_ROW_BYTES; c++)
                gt_bits8_turn(levels + 8 * q * BIT_ROW_BYTES + c, BIT_ROW_BYTES, counts + 8 * c * (GT_COUNT_BITS / 8) + q,
                              GT_COUNT_BITS / 8);
    }
}

GT_BITS_TALLY_BY(neon)
