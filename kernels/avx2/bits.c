#include <immintrin.h>
#include <string.h>

#include "kernels/bits_tally.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;

GT_INLINE vec low_bytes(vec a, vec b)
{
    return _mm256_unpacklo_epi8(a, b);
}
GT_INLINE vec high_bytes(vec a, vec b)
{
    return _mm256_unpackhi_epi8(a, b);
}

#include "kernels/turn.h"

enum { ROW_BYTES = GT_BIT_ROW / 8 };

/* The even bits of 32 bytes, eight of them in each 16-bit lane. */
GT_INLINE vec even_bits(vec x)
{
    x = _mm256_and_si256(x, _mm256_set1_epi8(0x55));
    x = _mm256_and_si256(_mm256_or_si256(x, _mm256_srli_epi16(x, 1)), _mm256_set1_epi8(0x33));
    x = _mm256_and_si256(_mm256_or_si256(x, _mm256_srli_epi16(x, 2)), _mm256_set1_epi8(0x0f));
    return _mm256_and_si256(_mm256_or_si256(x, _mm256_srli_epi16(x, 4)), _mm256_set1_epi16(0xff));
}

GT_INLINE vec even_bits_of(vec x, vec y)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(even_bits(x), even_bits(y)), 0xd8);
}

/* A mask of the first n of 256 samples. */
static vec first_samples(int64_t n)
{
    uint8_t mask[32] = {0};
    n = n < 0 ? 0 : n < 256 ? n : 256;
    memset(mask, 0xff, (size_t)(n / 8));
    if (n % 8)
        mask[n / 8] = (uint8_t)((1 << n % 8) - 1);
    return _mm256_loadu_si256((const vec *)mask);
}

/* The codes of 256 samples of which n are there, maybe none. */
GT_INLINE int64_t split(const uint8_t *row, int64_t n, vec there, uint8_t *hom, uint8_t *alt, uint8_t *missing)
{
    vec x = _mm256_setzero_si256(), y = x;
    uint64_t words[4];
    if (n > 0) {
        x = _mm256_loadu_si256((const vec *)row);
        y = _mm256_loadu_si256((const vec *)(row + 32));
    }
    vec low = even_bits_of(x, y), high = _mm256_and_si256(even_bits_of(_mm256_srli_epi16(x, 1), _mm256_srli_epi16(y, 1)), there);
    vec both = _mm256_and_si256(low, high);
    _mm256_storeu_si256((vec *)hom, _mm256_andnot_si256(low, there));
    if (alt)
        _mm256_storeu_si256((vec *)alt, _mm256_andnot_si256(low, high));
    _mm256_storeu_si256((vec *)missing, both);
    _mm256_storeu_si256((vec *)words, both);
    return __builtin_popcountll(words[0]) + __builtin_popcountll(words[1]) + __builtin_popcountll(words[2]) +
           __builtin_popcountll(words[3]);
}

int64_t gt_bits_split_avx2(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t bits, uint8_t *hom, uint8_t *alt,
                           uint8_t *missing)
{
    int64_t total = 0;
    for (int64_t s = 0; s < (n_samples + GT_BIT_ROW - 1) / GT_BIT_ROW * GT_BIT_ROW; s += 256) {
        const vec there = first_samples(n_samples - s);
        for (int64_t r = 0; r < n_rows; r++) {
            size_t at = (size_t)r * bits + (size_t)s / 8;
            total += split(rows + (size_t)r * stride + s / 4, n_samples - s, there, hom + at, alt ? alt + at : NULL, missing + at);
        }
    }
    return total;
}

/* --- columns ---------------------------------------------------------------------- */

/* Up to 32 rows from bits on: the halves of words that begin at out. */
static void turn_half_words(const uint8_t *bits, size_t stride, int64_t n_rows, uint32_t *out)
{
    static const uint8_t zero[ROW_BYTES];
    for (int column = 0; column < ROW_BYTES; column += 16) {
        vec v[16];
        for (int r = 0; r < 16; r++) {
            const uint8_t *a = r < n_rows ? bits + (size_t)r * stride : zero;
            const uint8_t *b = r + 16 < n_rows ? bits + (size_t)(r + 16) * stride : zero;
            v[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(a + column))),
                                           _mm_loadu_si128((const __m128i *)(b + column)), 1);
        }
        turn_bytes(v);
        for (int c = 0; c < 16; c++) {
            uint32_t *to = out + (column + c) * 16;
            vec x = v[c];
            GT_UNROLL
            for (int b = 7; b >= 0; b--, x = _mm256_add_epi8(x, x))
                to[2 * b] = (uint32_t)_mm256_movemask_epi8(x);
        }
    }
}

void gt_bits_turn_avx2(const uint8_t *bits, size_t stride, int64_t n_rows, uint64_t *out, size_t words)
{
    uint32_t *halves = (uint32_t *)(void *)out;
    for (int64_t from = 0; from < n_rows; from += 64, bits += 64 * stride, halves += 2 * words) {
        turn_half_words(bits, stride, n_rows - from, halves);
        turn_half_words(bits + 32 * stride, stride, n_rows - from - 32, halves + 1);
    }
}

/* --- sums --------------------------------------------------------------------------- */

GT_INLINE bool any_bit(vec x)
{
    return !_mm256_testz_si256(x, x);
}

GT_INLINE void fetch(const uint8_t *counts)
{
    _mm_prefetch((const char *)counts, _MM_HINT_T0);
}

#include "kernels/bit_sums.h"

void gt_bits_sum_avx2(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                      struct gt_bit_counts counts)
{
    bits_sum(bits, offsets, n, first, last, off, counts);
}

void gt_bits_add_avx2(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts)
{
    bits_add(more, vectors, counts);
}

/* --- counts as numbers ----------------------------------------------------------------- */

/* 32 bits as bytes of `value` or 0. */
GT_INLINE vec spread(uint32_t bits, char value)
{
    const vec byte_of = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const vec bit_of = _mm256_set1_epi64x((long long)0x8040201008040201);
    vec x = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), byte_of), bit_of);
    return _mm256_and_si256(_mm256_cmpeq_epi8(x, bit_of), _mm256_set1_epi8(value));
}

/* Bits [8q, 8q + 8) of 32 columns. */
GT_INLINE vec byte_of(uint32_t words[GT_COUNT_BITS][16], int w, int q)
{
    vec bytes = _mm256_setzero_si256();
    GT_UNROLL
    for (int l = 0; l < 8; l++)
        bytes = _mm256_or_si256(bytes, spread(words[8 * q + l][w], (char)(1 << l)));
    return bytes;
}

void gt_bits_numbers_avx2(uint8_t *counts, int64_t vectors)
{
    for (; vectors > 0; vectors--, counts += GT_COUNT_BITS * ROW_BYTES) {
        uint32_t words[GT_COUNT_BITS][16];
        memcpy(words, counts, sizeof words);
        for (int w = 0; w < 16; w++) {
            uint8_t bytes[4][32];
            for (int q = 0; q < 4; q++)
                _mm256_storeu_si256((vec *)bytes[q], byte_of(words, w, q));
            for (int c = 0; c < 32; c += 8) {
#define WIDE(q) _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(bytes[q] + c))), 8 * (q))
                vec low = _mm256_or_si256(WIDE(0), WIDE(1)), high = _mm256_or_si256(WIDE(2), WIDE(3));
#undef WIDE
                _mm256_store_si256((vec *)(counts + (w * 32 + c) * 4), _mm256_or_si256(low, high));
            }
        }
    }
}

void gt_bits_pair_avx2(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR])
{
    int64_t n[GT_BITS_PAIR] = {0};
    for (size_t at = 0; at < bits; at += sizeof(uint64_t)) {
        uint64_t a[3], b[3];
        for (size_t p = 0; p < 3; p++) {
            memcpy(&a[p], x + p * bits + at, sizeof *a);
            memcpy(&b[p], y + p * bits + at, sizeof *b);
        }
        n[GT_BITS_HOM] += __builtin_popcountll(a[0] & b[0]);
        n[GT_BITS_UNLIKE] += __builtin_popcountll(a[0] & b[0] & (a[1] ^ b[1]));
        if (!gaps)
            continue;
        n[GT_BITS_GAPS] += __builtin_popcountll(a[2] | b[2]);
        n[GT_BITS_X_HOM] += __builtin_popcountll(a[0] & b[2]);
        n[GT_BITS_X_ALT] += __builtin_popcountll(a[1] & b[2]);
        n[GT_BITS_Y_HOM] += __builtin_popcountll(b[0] & a[2]);
        n[GT_BITS_Y_ALT] += __builtin_popcountll(b[1] & a[2]);
    }
    memcpy(counts, n, sizeof n);
}

GT_BITS_TALLY_BY(avx2)
