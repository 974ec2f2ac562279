/* Three sites to a code: 64-entry rows, looked up with VPERMB. */
#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/x86/pair512.h"
#include "kernels/x86/panel.h"

GT_INLINE vec load_row(const uint8_t *rows, unsigned code)
{
    return _mm512_load_si512(rows + code * 64);
}
GT_INLINE vec look_up(vec row, vec codes)
{
    return _mm512_permutexvar_epi8(codes, row);
}

#include "kernels/x86/pair_tile.h"

void gt_pair_tile_avx512vbmi(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                             uint32_t *sums)
{
    tile(table, a, i0, ni, b, groups, sums);
}

/* 8 samples' codes in each quadword: site t has its 16 bits at bit 16t. */
GT_INLINE __m512i codes_of(__m512i sites)
{
    const __m512i bits0 = _mm512_set1_epi64(0x0e0c0a0806040200), bits1 = _mm512_set1_epi64(0x1c1a18161412100e),
                  bits2 = _mm512_set1_epi64(0x2a28262422201e1c);
    __m512i s0 = _mm512_multishift_epi64_epi8(bits0, sites), s1 = _mm512_multishift_epi64_epi8(bits1, sites),
            s2 = _mm512_multishift_epi64_epi8(bits2, sites);
    __m512i s01 = _mm512_ternarylogic_epi64(_mm512_set1_epi8(0x03), s0, s1, 0xca);
    return _mm512_and_si512(_mm512_ternarylogic_epi64(_mm512_set1_epi8(0x0f), s01, s2, 0xca), _mm512_set1_epi8(0x3f));
}

/* In-lane interleaving spreads the 16-bit groups of the rows over four vectors;
 * the first permutation makes lane L of vector t come from samples 64t + 16L. */
GT_INLINE void encode_group(__m512i r0, __m512i r1, __m512i r2, uint8_t *out)
{
    const __m512i transposed = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), zero = _mm512_setzero_si512();
    r0 = _mm512_permutexvar_epi32(transposed, r0);
    r1 = _mm512_permutexvar_epi32(transposed, r1);
    r2 = _mm512_permutexvar_epi32(transposed, r2);
    __m512i lo01 = _mm512_unpacklo_epi16(r0, r1), hi01 = _mm512_unpackhi_epi16(r0, r1);
    __m512i lo2 = _mm512_unpacklo_epi16(r2, zero), hi2 = _mm512_unpackhi_epi16(r2, zero);
    _mm512_storeu_si512(out, codes_of(_mm512_unpacklo_epi32(lo01, lo2)));
    _mm512_storeu_si512(out + 64, codes_of(_mm512_unpackhi_epi32(lo01, lo2)));
    _mm512_storeu_si512(out + 128, codes_of(_mm512_unpacklo_epi32(hi01, hi2)));
    _mm512_storeu_si512(out + 192, codes_of(_mm512_unpackhi_epi32(hi01, hi2)));
}

void gt_pair_encode_avx512vbmi(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, int64_t panel, uint8_t *out)
{
    uint8_t mask[PANEL_BYTES];
    absent_bits(mask, n_samples, panel);
    const __m512i absent = _mm512_loadu_si512(mask), missing = _mm512_set1_epi8(-1);
    rows += panel * PANEL_BYTES;
    for (; n_sites >= 3; n_sites -= 3, rows += 3 * stride, out += GT_PANEL) {
        __m512i r0 = _mm512_loadu_si512(rows), r1 = _mm512_loadu_si512(rows + stride), r2 = _mm512_loadu_si512(rows + 2 * stride);
        encode_group(_mm512_or_si512(r0, absent), _mm512_or_si512(r1, absent), _mm512_or_si512(r2, absent), out);
    }
    if (n_sites > 0) {
        __m512i r0 = _mm512_or_si512(_mm512_loadu_si512(rows), absent);
        __m512i r1 = n_sites > 1 ? _mm512_or_si512(_mm512_loadu_si512(rows + stride), absent) : missing;
        encode_group(r0, r1, missing, out);
    }
}
