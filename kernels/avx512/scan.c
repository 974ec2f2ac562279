#include "kernels/x86/scan_masks.h"

#include "kernels/impl.h"

GT_INLINE struct masks masks_of(__m512i text, int most)
{
    __m512i value = _mm512_sub_epi8(text, _mm512_set1_epi32(TEXT_ZERO));
    uint64_t range = _mm512_cmple_epu8_mask(value, _mm512_set1_epi32(most));
    uint64_t also = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi32(TEXT_ALSO));
    return (struct masks){range | also, _mm512_test_epi8_mask(value, value), also};
}

GT_INLINE struct masks look(const char *p, int most)
{
    return masks_of(_mm512_loadu_si512(p), most);
}
GT_INLINE struct masks look_at(const char *p, int64_t n, int most)
{
    return masks_of(_mm512_maskz_loadu_epi8((UINT64_C(1) << n) - 1, p), most);
}

struct gt_scan_result gt_scan_gt_avx512(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                        uint8_t *row)
{
    return scan(text, text_end, n_samples, first_sample, n_alleles, row);
}

GT_INLINE struct masks split(const char *p, int8_t *alleles, uint8_t *phased)
{
    const __m512i text = _mm512_loadu_si512(p), value = _mm512_sub_epi8(text, _mm512_set1_epi32(TEXT_ZERO));
    const struct masks m = masks_of(text, TEXT_MOST(10));
    const __m512i of = _mm512_mask_blend_epi8(m.dots, value, _mm512_set1_epi8(-1));
    _mm256_storeu_si256((__m256i *)alleles, _mm512_cvtepi16_epi8(of));
    /* at '|' -1 now stands, at '/' 0 */
    _mm_storeu_si128((__m128i *)phased, _mm512_cvtepi32_epi8(_mm512_and_si512(_mm512_srli_epi32(of, 8), _mm512_set1_epi32(1))));
    return m;
}

bool gt_scan_alleles_avx512(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased)
{
    return scan_alleles(text, n_samples, alleles, phased);
}
