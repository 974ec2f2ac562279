/* Vectors of doubles, for what is the same in all kernels of them. */
#include <immintrin.h>

#include "kernels/unroll.h"

typedef __m512d vec;
enum { LANES = 8 };

GT_INLINE vec load(const double *p)
{
    return _mm512_load_pd(p);
}
GT_INLINE void store(double *p, vec x)
{
    _mm512_store_pd(p, x);
}
GT_INLINE vec set(double x)
{
    return _mm512_set1_pd(x);
}
GT_INLINE vec fused(vec x, vec y, vec z)
{
    return _mm512_fmadd_pd(x, y, z);
}
