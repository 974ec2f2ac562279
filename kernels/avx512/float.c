#include "kernels/avx512/doubles512.h"

typedef __mmask8 mask;
enum { ROWS = 4, COLUMNS = 4 };

GT_INLINE vec zero(void)
{
    return _mm512_setzero_pd();
}
GT_INLINE vec add(vec x, vec y)
{
    return _mm512_add_pd(x, y);
}
GT_INLINE vec sub(vec x, vec y)
{
    return _mm512_sub_pd(x, y);
}
GT_INLINE vec mul(vec x, vec y)
{
    return _mm512_mul_pd(x, y);
}
GT_INLINE vec divide(vec x, vec y)
{
    return _mm512_div_pd(x, y);
}
GT_INLINE vec absolute(vec x)
{
    return _mm512_abs_pd(x);
}
GT_INLINE vec larger(vec x, vec y) /* y where either is NaN */
{
    return _mm512_max_pd(x, y);
}
GT_INLINE vec keep(mask m, vec x)
{
    return _mm512_maskz_mov_pd(m, x);
}
GT_INLINE mask ordered(vec x, vec y)
{
    return _mm512_cmp_pd_mask(x, y, _CMP_ORD_Q);
}
GT_INLINE mask differs(vec x, vec y)
{
    return _mm512_cmp_pd_mask(x, y, _CMP_NEQ_UQ);
}
GT_INLINE mask same(vec x, vec y)
{
    return _mm512_cmp_pd_mask(x, y, _CMP_EQ_OQ);
}
GT_INLINE mask both(mask x, mask y)
{
    return x & y;
}
GT_INLINE mask either(mask x, mask y)
{
    return x | y;
}

#include "kernels/x86/float_tile.h"

void gt_float_tile_avx512(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, const double *b, double *sums)
{
    tiles(term, sites, a, b, sums);
}

void gt_float_panel_avx512(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums)
{
    panels(term, sites, a, sums);
}
