#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;
enum { LANES = 8, ROWS = 2 };

GT_INLINE vec load(const int16_t *p)
{
    return _mm256_load_si256((const __m256i *)(const void *)p);
}
GT_INLINE vec set_pair(const int16_t *p)
{
    int32_t both;
    memcpy(&both, p, sizeof both);
    return _mm256_set1_epi32(both);
}
GT_INLINE vec set_words(int16_t x)
{
    return _mm256_set1_epi16(x);
}
GT_INLINE vec add(vec x, vec y)
{
    return _mm256_add_epi16(x, y);
}
GT_INLINE vec sub(vec x, vec y)
{
    return _mm256_sub_epi16(x, y);
}
GT_INLINE vec absolute(vec x)
{
    return _mm256_abs_epi16(x);
}
GT_INLINE vec minimum(vec x, vec y) /* without signs */
{
    return _mm256_min_epu16(x, y);
}
GT_INLINE vec either(vec x, vec y)
{
    return _mm256_or_si256(x, y);
}
GT_INLINE vec dot(vec sum, vec x, vec y)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
}
GT_INLINE void add_to(double *sums, vec x)
{
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(x)), high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1));
    _mm256_store_pd(sums, _mm256_add_pd(_mm256_load_pd(sums), low));
    _mm256_store_pd(sums + 4, _mm256_add_pd(_mm256_load_pd(sums + 4), high));
}

#include "kernels/x86/small_int_tile.h"

void gt_small_int_tile_avx2(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums)
{
    tile(term, n_sites, a, b, sums);
}
