/* Two sites to a code: 16-entry rows, looked up with VPSHUFB in both lanes. */
#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/x86/panel.h"
#include "kernels/x86/unroll.h"

/* 12 accumulators, two index vectors, the row and a temporary: 16 registers. */
enum { STRIP = 6, VECTORS = 2 };

typedef __m256i vec;

/* Keeps the sum in its register, as in pair512.h. */
#define ADD_BYTES(sum, more) __asm__("vpaddb %1, %0, %0" : "+x"(sum) : "x"(more))

GT_INLINE vec load_row(const uint8_t *rows, unsigned code)
{
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(rows + code * 16)));
}
GT_INLINE vec look_up(vec row, vec codes)
{
    return _mm256_shuffle_epi8(row, codes);
}
GT_INLINE vec add16(vec x, vec y)
{
    return _mm256_add_epi16(x, y);
}
GT_INLINE vec high_bytes(vec x)
{
    return _mm256_srli_epi16(x, 8);
}

GT_INLINE void add_words(uint32_t *sums, __m128i words)
{
    __m256i *to = (__m256i *)sums;
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm256_cvtepu16_epi32(words)));
}

static inline void flush(uint32_t *sums, vec whole, vec odd)
{
    vec even = _mm256_sub_epi16(whole, _mm256_slli_epi16(odd, 8));
    vec lo = _mm256_unpacklo_epi16(even, odd), hi = _mm256_unpackhi_epi16(even, odd);
    add_words(sums, _mm256_castsi256_si128(lo));
    add_words(sums + 8, _mm256_castsi256_si128(hi));
    add_words(sums + 16, _mm256_extracti128_si256(lo, 1));
    add_words(sums + 24, _mm256_extracti128_si256(hi, 1));
}

#include "kernels/x86/pair_tile.h"

void gt_pair_tile_avx2(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                       uint32_t *sums)
{
    tile(table, a, i0, ni, b, groups, sums);
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
