#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m512i vec;

GT_INLINE vec dot(vec sum, vec x, vec y)
{
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
}

#include "kernels/avx512/small_int512.h"
#include "kernels/x86/small_int_tile.h"

void gt_small_int_tile_avx512(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums)
{
    tile(term, n_sites, a, b, sums);
}
