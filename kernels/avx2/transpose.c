#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;
#define LANES 2

GT_INLINE vec load_lanes(const uint8_t *p, int64_t apart)
{
    const vec v = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));
    return _mm256_inserti128_si256(v, _mm_loadu_si128((const __m128i *)(p + apart)), 1);
}
GT_INLINE void store(uint8_t *p, vec v)
{
    _mm256_storeu_si256((vec *)p, v);
}

#define UNPACK(size, bits)                                                                                                                 \
    GT_INLINE vec low_##size(vec a, vec b)                                                                                                 \
    {                                                                                                                                      \
        return _mm256_unpacklo_epi##bits(a, b);                                                                                            \
    }                                                                                                                                      \
    GT_INLINE vec high_##size(vec a, vec b)                                                                                                \
    {                                                                                                                                      \
        return _mm256_unpackhi_epi##bits(a, b);                                                                                            \
    }
UNPACK(1, 8)
UNPACK(2, 16)
UNPACK(4, 32)
UNPACK(8, 64)

#include "kernels/x86/transpose.h"

void gt_transpose_avx2(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride)
{
    transpose(size, rows, columns, from, from_stride, to, to_stride);
}
