#include <string.h>

#include "kernels/avx512/turn512.h"
#include "kernels/impl.h"

enum { ROW_BYTES = GT_BIT_ROW / 8 };

/* The even bits of 64 bytes. */
GT_INLINE __m256i even_bits(vec x)
{
    x = _mm512_and_si512(x, _mm512_set1_epi8(0x55));
    x = _mm512_and_si512(_mm512_or_si512(x, _mm512_srli_epi16(x, 1)), _mm512_set1_epi8(0x33));
    x = _mm512_and_si512(_mm512_or_si512(x, _mm512_srli_epi16(x, 2)), _mm512_set1_epi8(0x0f));
    return _mm512_cvtepi16_epi8(_mm512_or_si512(x, _mm512_srli_epi16(x, 4)));
}

GT_INLINE vec even_bits_of(vec x, vec y)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(even_bits(x)), even_bits(y), 1);
}

/* A mask of the first n of GT_BIT_ROW samples. */
GT_INLINE vec first_samples(int64_t n)
{
    uint8_t mask[ROW_BYTES] = {0};
    if (n >= GT_BIT_ROW)
        return _mm512_set1_epi8(-1);
    memset(mask, 0xff, (size_t)(n / 8));
    if (n % 8)
        mask[n / 8] = (uint8_t)((1 << n % 8) - 1);
    return _mm512_loadu_si512(mask);
}

/* The codes of GT_BIT_ROW samples of which n are there. */
GT_INLINE int64_t split(const uint8_t *row, int64_t n, vec there, uint8_t *hom, uint8_t *alt, uint8_t *missing)
{
    vec x = _mm512_loadu_si512(row), y = n > 256 ? _mm512_loadu_si512(row + 64) : _mm512_setzero_si512();
    vec low = even_bits_of(x, y), high = _mm512_and_si512(even_bits_of(_mm512_srli_epi16(x, 1), _mm512_srli_epi16(y, 1)), there);
    vec both = _mm512_and_si512(low, high);
    uint64_t words[8];
    int64_t total = 0;
    _mm512_storeu_si512(hom, _mm512_andnot_si512(low, there));
    if (alt)
        _mm512_storeu_si512(alt, _mm512_andnot_si512(low, high));
    _mm512_storeu_si512(missing, both);
    _mm512_storeu_si512(words, both);
    for (int w = 0; w < 8; w++)
        total += __builtin_popcountll(words[w]);
    return total;
}

int64_t gt_bits_split_avx512(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t bits, uint8_t *hom, uint8_t *alt,
                             uint8_t *missing)
{
    int64_t total = 0;
    for (int64_t s = 0; s < n_samples; s += GT_BIT_ROW) {
        const vec there = first_samples(n_samples - s);
        for (int64_t r = 0; r < n_rows; r++) {
            size_t at = (size_t)r * bits + (size_t)s / 8;
            total += split(rows + (size_t)r * stride + s / 4, n_samples - s, there, hom + at, alt ? alt + at : NULL, missing + at);
        }
    }
    return total;
}

void gt_bits_turn_avx512(const uint8_t *bits, size_t stride, int64_t n_rows, uint64_t *out, size_t words)
{
    static const uint8_t zero[ROW_BYTES];
    for (int64_t from = 0; from < n_rows; from += 64, out += words) {
        const uint8_t *rows[64];
        for (int r = 0; r < 64; r++)
            rows[r] = from + r < n_rows ? bits + (size_t)(from + r) * stride : zero;
        turn_rows(rows, ROW_BYTES, _mm512_setzero_si512(), _mm512_setzero_si512(), out);
    }
}

/* --- sums ------------------------------------------------------------------------ */

/* Rows are summed in registers, as numbers of LEVELS bits a column, a vector a bit. */
enum { LEVELS = 8, MOST = (1 << LEVELS) - 1 };

/* *kept + a + b: its bits of double weight are returned, the others kept. */
GT_INLINE vec carry(vec *kept, vec a, vec b)
{
    vec out = _mm512_ternarylogic_epi64(*kept, a, b, 0xe8);
    *kept = _mm512_ternarylogic_epi64(*kept, a, b, 0x96);
    return out;
}

GT_INLINE void ripple(vec level[LEVELS], int from, vec add)
{
    GT_UNROLL
    for (int l = from; l < LEVELS; l++) {
        vec out = _mm512_and_si512(level[l], add);
        level[l] = _mm512_xor_si512(level[l], add);
        add = out;
    }
}

GT_INLINE void add_eight(const vec row[8], vec level[LEVELS])
{
    vec two = carry(&level[0], row[0], row[1]), four = carry(&level[1], two, carry(&level[0], row[2], row[3]));
    two = carry(&level[0], row[4], row[5]);
    vec other = carry(&level[1], two, carry(&level[0], row[6], row[7]));
    ripple(level, 3, carry(&level[2], four, other));
}

/* The sum of n <= MOST rows. */
GT_INLINE void add_rows(const uint8_t *bits, const uint32_t *offsets, int64_t n, vec level[LEVELS])
{
    vec row[8];
    GT_UNROLL
    for (int l = 0; l < LEVELS; l++)
        level[l] = _mm512_setzero_si512();
    for (; n >= 8; n -= 8, offsets += 8) {
        GT_UNROLL
        for (int k = 0; k < 8; k++)
            row[k] = _mm512_loadu_si512(bits + offsets[k]);
        add_eight(row, level);
    }
    GT_UNROLL
    for (int k = 0; k < 8; k++)
        row[k] = k < n ? _mm512_loadu_si512(bits + offsets[k]) : _mm512_setzero_si512();
    add_eight(row, level);
}

/* *kept + add + over, or *kept - add - over: what is carried, or borrowed. */
GT_INLINE vec full_add(vec *kept, vec add, vec over, const bool off)
{
    vec old = *kept;
    *kept = _mm512_ternarylogic_epi64(old, add, over, 0x96);
    /* at least two of old, add, over; of not old, add, over */
    return off ? _mm512_ternarylogic_epi64(old, add, over, 0x8e) : _mm512_ternarylogic_epi64(old, add, over, 0xe8);
}

/* Adds a sum to the counts, or takes it off; `levels`: its lowest bits, the others are 0. */
GT_INLINE void add_levels(const vec level[LEVELS], const int levels, const bool off, uint8_t *counts, size_t apart)
{
    vec over = _mm512_setzero_si512();
    GT_UNROLL
    for (int l = 0; l < LEVELS; l++) {
        if (l >= levels && !_mm512_test_epi64_mask(over, over))
            return;
        vec kept = _mm512_load_si512(counts + l * ROW_BYTES);
        over = full_add(&kept, level[l], over, off);
        _mm512_store_si512(counts + l * ROW_BYTES, kept);
    }
    for (int l = LEVELS; l < GT_COUNT_BITS && _mm512_test_epi64_mask(over, over); l++) {
        uint8_t *at = counts + l / 8 * apart + l % 8 * ROW_BYTES;
        vec kept = _mm512_load_si512(at);
        over = full_add(&kept, _mm512_setzero_si512(), over, off);
        _mm512_store_si512(at, kept);
    }
}

/* The counts that rows will be added to. */
GT_INLINE void fetch_counts(const uint8_t *counts, int levels)
{
    for (int l = 0; l < levels; l++)
        _mm_prefetch((const char *)counts + l * ROW_BYTES, _MM_HINT_T0);
}

GT_INLINE void sum(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, const bool off,
                   struct gt_bit_counts counts)
{
    const int levels = n ? 64 - __builtin_clzll((uint64_t)n) : 0; /* the others of a sum are 0 */
    for (int64_t v = first; v < last; v++, counts.at += counts.vector) {
        vec level[LEVELS];
        fetch_counts(counts.at, levels);
        add_rows(bits + v * ROW_BYTES, offsets, n, level);
        add_levels(level, levels, off, counts.at, counts.apart);
    }
}

void gt_bits_sum_avx512(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                        struct gt_bit_counts counts)
{
    for (; n > 0; n -= MOST, offsets += MOST) {
        int64_t rows = n < MOST ? n : MOST;
        if (off)
            sum(bits, offsets, rows, first, last, true, counts);
        else
            sum(bits, offsets, rows, first, last, false, counts);
    }
}

void gt_bits_add_avx512(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts)
{
    for (; vectors > 0; vectors--, counts.at += counts.vector) {
        vec over = _mm512_setzero_si512();
        for (int l = 0; l < GT_COUNT_BITS; l++, more += ROW_BYTES) {
            const vec add = _mm512_load_si512(more);
            uint8_t *at = counts.at + l / 8 * counts.apart + l % 8 * ROW_BYTES;
            if (!_mm512_test_epi64_mask(_mm512_or_si512(add, over), _mm512_or_si512(add, over)))
                continue;
            vec kept = _mm512_load_si512(at);
            over = full_add(&kept, add, over, false);
            _mm512_store_si512(at, kept);
        }
    }
}

/* --- counts as numbers ------------------------------------------------------------- */

/* Bits [8q, 8q + 8) of 64 columns. */
GT_INLINE vec byte_of(uint64_t words[GT_COUNT_BITS][8], int w, int q)
{
    vec bytes = _mm512_setzero_si512();
    GT_UNROLL
    for (int l = 0; l < 8; l++)
        bytes = _mm512_mask_add_epi8(bytes, words[8 * q + l][w], bytes, _mm512_set1_epi8((char)(1 << l)));
    return bytes;
}

void gt_bits_numbers_avx512(uint8_t *counts, int64_t vectors)
{
    for (; vectors > 0; vectors--, counts += GT_COUNT_BITS * ROW_BYTES) {
        uint64_t words[GT_COUNT_BITS][8];
        memcpy(words, counts, sizeof words);
        for (int w = 0; w < 8; w++) {
            uint8_t bytes[4][64];
            for (int q = 0; q < 4; q++)
                _mm512_storeu_si512(bytes[q], byte_of(words, w, q));
            for (int c = 0; c < 64; c += 16) {
#define WIDE(q) _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(bytes[q] + c))), 8 * (q))
                vec low = _mm512_or_si512(WIDE(0), WIDE(1)), high = _mm512_or_si512(WIDE(2), WIDE(3));
#undef WIDE
                _mm512_store_si512(counts + (w * 64 + c) * 4, _mm512_or_si512(low, high));
            }
        }
    }
}

/* --- sums of pairs ------------------------------------------------------------------- */

/* The 64 columns of a word as bytes, from the lowest n_levels bits. */
GT_INLINE vec bytes_of(uint64_t words[LEVELS][8], int w, int n_levels)
{
    vec bytes = _mm512_setzero_si512();
    for (int l = 0; l < n_levels; l++)
        bytes = _mm512_mask_add_epi8(bytes, words[l][w], bytes, _mm512_set1_epi8((char)(1 << l)));
    return bytes;
}

GT_INLINE void add_bytes(uint32_t *sums, __m128i bytes)
{
    _mm512_store_si512(sums, _mm512_add_epi32(_mm512_load_si512(sums), _mm512_cvtepu8_epi32(bytes)));
}

/* The sum of n <= MOST rows of a vector, as add_rows. */
GT_INLINE void add_listed(const uint8_t *bits, const uint16_t *rows, int64_t n, vec level[LEVELS])
{
    vec row[8];
    GT_UNROLL
    for (int l = 0; l < LEVELS; l++)
        level[l] = _mm512_setzero_si512();
    for (; n >= 8; n -= 8, rows += 8) {
        GT_UNROLL
        for (int k = 0; k < 8; k++)
            row[k] = _mm512_loadu_si512(bits + rows[k] * ROW_BYTES);
        add_eight(row, level);
    }
    if (!n)
        return;
    GT_UNROLL
    for (int k = 0; k < 8; k++)
        row[k] = k < n ? _mm512_loadu_si512(bits + rows[k] * ROW_BYTES) : _mm512_setzero_si512();
    add_eight(row, level);
}

static void tally(const uint8_t *bits, const uint16_t *rows, int64_t n, int64_t from, int64_t to, uint32_t *sums)
{
    const int n_levels = 64 - __builtin_clzll((uint64_t)n);
    vec level[LEVELS];
    uint64_t words[LEVELS][8];
    uint8_t bytes[64];
    for (int64_t p = from; p < to; p++) { /* the next row of the panels comes next */
        const uint32_t *next = sums + (p - from) * GT_PANEL * GT_PANEL + GT_PANEL;
        _mm_prefetch((const char *)next, _MM_HINT_T0);
        _mm_prefetch((const char *)(next + GT_PANEL / 2), _MM_HINT_T0);
    }
    add_listed(bits, rows, n, level);
    GT_UNROLL
    for (int l = 0; l < LEVELS; l++)
        _mm512_storeu_si512(words[l], level[l]);
    for (int64_t p = from; p < to; p++, sums += GT_PANEL * GT_PANEL) {
        if (p == from || p % 2 == 0)
            _mm512_storeu_si512(bytes, bytes_of(words, (int)(p / 2), n_levels));
        add_bytes(sums, _mm_loadu_si128((const __m128i *)(bytes + p % 2 * GT_PANEL)));
        add_bytes(sums + 16, _mm_loadu_si128((const __m128i *)(bytes + p % 2 * GT_PANEL + 16)));
    }
}

void gt_bits_tally_avx512(const uint8_t *bits, const uint16_t *rows, int64_t n, int64_t from, int64_t to, uint32_t *sums)
{
    for (; n > 0; n -= MOST, rows += MOST)
        tally(bits, rows, n < MOST ? n : MOST, from, to, sums);
}
