#include "kernels/x86/doubles256.h"

typedef __m256d mask;
enum { ROWS = 2, COLUMNS = 4 };

GT_INLINE vec zero(void)
{
    return _mm256_setzero_pd();
}
GT_INLINE vec add(vec x, vec y)
{
    return _mm256_add_pd(x, y);
}
GT_INLINE vec sub(vec x, vec y)
{
    return _mm256_sub_pd(x, y);
}
GT_INLINE vec mul(vec x, vec y)
{
    return _mm256_mul_pd(x, y);
}
GT_INLINE vec divide(vec x, vec y)
{
    return _mm256_div_pd(x, y);
}
GT_INLINE vec absolute(vec x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}
GT_INLINE vec larger(vec x, vec y) /* y where either is NaN */
{
    return _mm256_max_pd(x, y);
}
GT_INLINE vec keep(mask m, vec x)
{
    return _mm256_and_pd(m, x);
}
GT_INLINE mask ordered(vec x, vec y)
{
    return _mm256_cmp_pd(x, y, _CMP_ORD_Q);
}
GT_INLINE mask differs(vec x, vec y)
{
    return _mm256_cmp_pd(x, y, _CMP_NEQ_UQ);
}
GT_INLINE mask same(vec x, vec y)
{
    return _mm256_cmp_pd(x, y, _CMP_EQ_OQ);
}
GT_INLINE mask both(mask x, mask y)
{
    return _mm256_and_pd(x, y);
}
GT_INLINE mask either(mask x, mask y)
{
    return _mm256_or_pd(x, y);
}

#include "kernels/x86/float_tile.h"

void gt_float_tile_avx2(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, const double *b, double *sums)
{
    tiles(term, sites, a, b, sums);
}

void gt_float_panel_avx2(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums)
{
    panels(term, sites, a, sums);
}
