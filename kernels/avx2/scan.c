#include "kernels/x86/scan_masks.h"

#include "kernels/impl.h"

GT_INLINE uint64_t bits(__m256i bytes)
{
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

GT_INLINE struct masks masks_of(__m256i text, int most)
{
    __m256i value = _mm256_sub_epi8(text, _mm256_set1_epi32(TEXT_ZERO));
    uint64_t range = bits(_mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi32(most)), value));
    uint64_t also = bits(_mm256_cmpeq_epi8(text, _mm256_set1_epi32(TEXT_ALSO)));
    return (struct masks){range | also, ~bits(_mm256_cmpeq_epi8(value, _mm256_setzero_si256())) & 0xffffffff, also};
}

GT_INLINE struct masks join(struct masks lo, struct masks hi)
{
    return (struct masks){lo.valid | hi.valid << 32, lo.other | hi.other << 32, lo.dots | hi.dots << 32};
}

GT_INLINE struct masks look(const char *p, int most)
{
    return join(masks_of(_mm256_loadu_si256((const __m256i *)p), most), masks_of(_mm256_loadu_si256((const __m256i *)(p + 32)), most));
}

GT_INLINE struct masks look_at(const char *p, int64_t n, int most)
{
    char copy[64] = {0};
    memcpy(copy, p, (size_t)n);
    return look(copy, most);
}

struct gt_scan_result gt_scan_gt_avx2(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                      uint8_t *row)
{
    return scan(text, text_end, n_samples, first_sample, n_alleles, row);
}

/* 32 bytes: 16 alleles, 8 bytes of phase. */
GT_INLINE struct masks split_half(const char *p, int8_t *alleles, uint8_t *phased)
{
    const __m256i text = _mm256_loadu_si256((const __m256i *)p), value = _mm256_sub_epi8(text, _mm256_set1_epi32(TEXT_ZERO));
    const __m256i of = _mm256_or_si256(value, _mm256_cmpeq_epi8(text, _mm256_set1_epi32(TEXT_ALSO)));
    /* of each half: 8 alleles, then 4 separators */
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 5, 9, 13, -1, -1, -1, -1));
    const __m256i all = _mm256_shuffle_epi8(of, order);
    const __m128i lo = _mm256_castsi256_si128(all), hi = _mm256_extracti128_si256(all, 1);
    _mm_storeu_si128((__m128i *)alleles, _mm_unpacklo_epi64(lo, hi));
    /* at '|' -1 now stands, at '/' 0 */
    _mm_storel_epi64((__m128i *)phased, _mm_and_si128(_mm_unpacklo_epi32(_mm_srli_si128(lo, 8), _mm_srli_si128(hi, 8)), _mm_set1_epi8(1)));
    return masks_of(text, TEXT_MOST(10));
}

GT_INLINE struct masks split(const char *p, int8_t *alleles, uint8_t *phased)
{
    return join(split_half(p, alleles, phased), split_half(p + 32, alleles + 16, phased + 8));
}

bool gt_scan_alleles_avx2(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased)
{
    return scan_alleles(text, n_samples, alleles, phased);
}
