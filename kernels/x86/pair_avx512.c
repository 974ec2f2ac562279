/* Two sites to a code: 16-entry rows, looked up with VPSHUFB in each lane. */
#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/x86/pair512.h"
#include "kernels/x86/panel.h"

GT_INLINE vec load_row(const uint8_t *rows, unsigned code)
{
    return _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(rows + code * 16)));
}
GT_INLINE vec look_up(vec row, vec codes)
{
    return _mm512_shuffle_epi8(row, codes);
}

#include "kernels/x86/pair_tile.h"

void gt_pair_tile_avx512(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                         uint32_t *sums)
{
    tile(table, a, i0, ni, b, groups, sums);
}

/* From the bytes of two sites: nibbles of samples 0 and 2 (x), 1 and 3 (y); the
 * interleavings put them in order, given that lane L of the rows has its dword t
 * from samples 64t + 16L. */
GT_INLINE void encode_group(__m512i r0, __m512i r1, uint8_t *out)
{
    const __m512i transposed = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i even = _mm512_set1_epi8(0x33), low = _mm512_set1_epi8(0x0f);
    r0 = _mm512_permutexvar_epi32(transposed, r0);
    r1 = _mm512_permutexvar_epi32(transposed, r1);
    __m512i x = _mm512_ternarylogic_epi64(even, r0, _mm512_slli_epi16(r1, 2), 0xca);
    __m512i y = _mm512_ternarylogic_epi64(even, _mm512_srli_epi16(r0, 2), r1, 0xca);
    __m512i lo = _mm512_unpacklo_epi8(x, y), hi = _mm512_unpackhi_epi8(x, y);
    __m512i lo01 = _mm512_and_si512(lo, low), lo23 = _mm512_and_si512(_mm512_srli_epi16(lo, 4), low);
    __m512i hi01 = _mm512_and_si512(hi, low), hi23 = _mm512_and_si512(_mm512_srli_epi16(hi, 4), low);
    _mm512_storeu_si512(out, _mm512_unpacklo_epi16(lo01, lo23));
    _mm512_storeu_si512(out + 64, _mm512_unpackhi_epi16(lo01, lo23));
    _mm512_storeu_si512(out + 128, _mm512_unpacklo_epi16(hi01, hi23));
    _mm512_storeu_si512(out + 192, _mm512_unpackhi_epi16(hi01, hi23));
}

void gt_pair_encode_avx512(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, int64_t panel, uint8_t *out)
{
    uint8_t mask[PANEL_BYTES];
    absent_bits(mask, n_samples, panel);
    const __m512i absent = _mm512_loadu_si512(mask), missing = _mm512_set1_epi8(-1);
    rows += panel * PANEL_BYTES;
    for (; n_sites >= 2; n_sites -= 2, rows += 2 * stride, out += GT_PANEL) {
        __m512i r0 = _mm512_or_si512(_mm512_loadu_si512(rows), absent);
        __m512i r1 = _mm512_or_si512(_mm512_loadu_si512(rows + stride), absent);
        encode_group(r0, r1, out);
    }
    if (n_sites > 0)
        encode_group(_mm512_or_si512(_mm512_loadu_si512(rows), absent), missing, out);
}
