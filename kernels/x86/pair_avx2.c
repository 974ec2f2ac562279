/* Two sites to a code: 16-entry rows, looked up with VPSHUFB in both lanes.
 *
 * A strip is up to 3 samples of a against half a panel of b: 12 accumulators, the
 * row and a temporary fill the 16 registers; codes of b come from memory.  The sums
 * go from bytes to words as in pair_tile512.h. */
#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/x86/panel.h"
#include "kernels/x86/unroll.h"

enum { STRIP = 3, VECTORS = 4, HALF = 32 * VECTORS };

struct words {
    __m256i whole[STRIP][VECTORS], odd[STRIP][VECTORS];
};

GT_INLINE __m256i load_row(const uint8_t *rows, unsigned code)
{
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(rows + code * 16)));
}

GT_INLINE void add_groups(const uint8_t *rows, const uint8_t *a, const uint8_t *b, int64_t groups, struct words *w, const int strip)
{
    __m256i acc[STRIP][VECTORS];
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++)
            acc[i][v] = _mm256_setzero_si256();
    }
    for (int64_t g = 0; g < groups; g++, a += GT_PANEL, b += GT_PANEL) {
        GT_UNROLL
        for (int i = 0; i < strip; i++) {
            __m256i row = load_row(rows, a[i]);
            GT_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                __m256i codes = _mm256_load_si256((const __m256i *)(b + 32 * v));
                acc[i][v] = _mm256_add_epi8(acc[i][v], _mm256_shuffle_epi8(row, codes));
            }
        }
    }
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            w->whole[i][v] = _mm256_add_epi16(w->whole[i][v], acc[i][v]);
            w->odd[i][v] = _mm256_add_epi16(w->odd[i][v], _mm256_srli_epi16(acc[i][v], 8));
        }
    }
}

GT_INLINE void add_words(uint32_t *sums, __m128i words)
{
    __m256i *to = (__m256i *)sums;
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm256_cvtepu16_epi32(words)));
}

/* Adds the words to sums and clears them. */
static void flush_words(struct words *w, int strip, uint32_t *sums)
{
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++) {
            uint32_t *to = sums + i * GT_PANEL + v * 32;
            __m256i odd = w->odd[i][v], even = _mm256_sub_epi16(w->whole[i][v], _mm256_slli_epi16(odd, 8));
            __m256i lo = _mm256_unpacklo_epi16(even, odd), hi = _mm256_unpackhi_epi16(even, odd);
            add_words(to, _mm256_castsi256_si128(lo));
            add_words(to + 8, _mm256_castsi256_si128(hi));
            add_words(to + 16, _mm256_extracti128_si256(lo, 1));
            add_words(to + 24, _mm256_extracti128_si256(hi, 1));
            w->whole[i][v] = w->odd[i][v] = _mm256_setzero_si256();
        }
    }
}

GT_INLINE void strip_of(const struct gt_pair_table *table, const uint8_t *a, const uint8_t *b, int64_t groups, uint32_t *sums,
                        const int strip)
{
    struct words w;
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++)
            w.whole[i][v] = w.odd[i][v] = _mm256_setzero_si256();
    }
    int max = table->max_code > 0 ? table->max_code : 1;
    int64_t per_bytes = 255 / max, per_words = 65535 / max / per_bytes, unflushed = 0;
    while (groups > 0) {
        int64_t n = groups < per_bytes ? groups : per_bytes;
        add_groups(table->rows, a, b, n, &w, strip);
        groups -= n;
        a += n * GT_PANEL;
        b += n * GT_PANEL;
        if (++unflushed == per_words || groups == 0) {
            flush_words(&w, strip, sums);
            unflushed = 0;
        }
    }
}

void gt_pair_tile_avx2(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                       uint32_t *sums)
{
    a += i0;
    for (int half = 0; half < GT_PANEL; half += HALF) {
        int i = 0;
        for (; ni - i >= 3; i += 3)
            strip_of(table, a + i, b + half, groups, sums + i * GT_PANEL + half, 3);
        if (ni - i == 2)
            strip_of(table, a + i, b + half, groups, sums + i * GT_PANEL + half, 2);
        else if (ni - i == 1)
            strip_of(table, a + i, b + half, groups, sums + i * GT_PANEL + half, 1);
    }
}

/* See pair_avx512.c; here for 32 row bytes, lane L's dword t from samples 32t + 16L. */
GT_INLINE void encode_half(__m256i r0, __m256i r1, uint8_t *out)
{
    const __m256i transposed = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m256i even = _mm256_set1_epi8(0x33), low = _mm256_set1_epi8(0x0f);
    r0 = _mm256_permutevar8x32_epi32(r0, transposed);
    r1 = _mm256_permutevar8x32_epi32(r1, transposed);
    __m256i x = _mm256_or_si256(_mm256_and_si256(r0, even), _mm256_slli_epi16(_mm256_and_si256(r1, even), 2));
    __m256i y = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(r0, 2), even), _mm256_andnot_si256(even, r1));
    __m256i lo = _mm256_unpacklo_epi8(x, y), hi = _mm256_unpackhi_epi8(x, y);
    __m256i lo01 = _mm256_and_si256(lo, low), lo23 = _mm256_and_si256(_mm256_srli_epi16(lo, 4), low);
    __m256i hi01 = _mm256_and_si256(hi, low), hi23 = _mm256_and_si256(_mm256_srli_epi16(hi, 4), low);
    __m256i *to = (__m256i *)out;
    _mm256_storeu_si256(to, _mm256_unpacklo_epi16(lo01, lo23));
    _mm256_storeu_si256(to + 1, _mm256_unpackhi_epi16(lo01, lo23));
    _mm256_storeu_si256(to + 2, _mm256_unpacklo_epi16(hi01, hi23));
    _mm256_storeu_si256(to + 3, _mm256_unpackhi_epi16(hi01, hi23));
}

GT_INLINE __m256i load_or(const uint8_t *p, const uint8_t *mask)
{
    return _mm256_or_si256(_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)mask));
}

void gt_pair_encode_avx2(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, int64_t panel, uint8_t *out)
{
    uint8_t mask[PANEL_BYTES];
    absent_bits(mask, n_samples, panel);
    rows += panel * PANEL_BYTES;
    for (; n_sites >= 2; n_sites -= 2, rows += 2 * stride, out += GT_PANEL) {
        encode_half(load_or(rows, mask), load_or(rows + stride, mask), out);
        encode_half(load_or(rows + 32, mask + 32), load_or(rows + stride + 32, mask + 32), out + 128);
    }
    if (n_sites > 0) {
        encode_half(load_or(rows, mask), _mm256_set1_epi8(-1), out);
        encode_half(load_or(rows + 32, mask + 32), _mm256_set1_epi8(-1), out + 128);
    }
}
