#include "kernels/x86/unroll.h"

#include <immintrin.h>

typedef __m256d vec;
enum { LANES = 4, VECTORS = 2, MOST_ROWS = 6 };

GT_INLINE vec load(const double *p)
{
    return _mm256_load_pd(p);
}
GT_INLINE void store(double *p, vec x)
{
    _mm256_store_pd(p, x);
}
GT_INLINE vec set(double x)
{
    return _mm256_set1_pd(x);
}
GT_INLINE vec fused(vec x, vec y, vec z)
{
    return _mm256_fmadd_pd(x, y, z);
}

#include "kernels/x86/narrow.h"

void gt_narrow_avx2(const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms, const double *b, int64_t width,
                    double *sums)
{
    for (int64_t c = 0; c < width; c += 2 * LANES)
        narrow_strip(6, 2, a, row, step, n_rows, n_terms, b + c, width, sums + c);
}
