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

GT_INLINE struct masks look(const char *p, int most)
{
    struct masks lo = masks_of(_mm256_loadu_si256((const __m256i *)p), most),
                 hi = masks_of(_mm256_loadu_si256((const __m256i *)(p + 32)), most);
    return (struct masks){lo.valid | hi.valid << 32, lo.other | hi.other << 32, lo.dots | hi.dots << 32};
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
