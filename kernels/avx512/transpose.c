#include "kernels/avx512/lanes512.h"
#include "kernels/impl.h"

typedef __m512i vec;
#define LANES 4

GT_INLINE vec load_lanes(const uint8_t *p, int64_t apart)
{
    return lanes_at(p, p + apart, p + 2 * apart, p + 3 * apart);
}
GT_INLINE void store(uint8_t *p, vec v)
{
    _mm512_storeu_si512(p, v);
}

#define UNPACK(size, bits)                                                                                                                 \
    GT_INLINE vec low_##size(vec a, vec b)                                                                                                 \
    {                                                                                                                                      \
        return _mm512_unpacklo_epi##bits(a, b);                                                                                            \
    }                                                                                                                                      \
    GT_INLINE vec high_##size(vec a, vec b)                                                                                                \
    {                                                                                                                                      \
        return _mm512_unpackhi_epi##bits(a, b);                                                                                            \
    }
UNPACK(1, 8)
UNPACK(2, 16)
UNPACK(4, 32)
UNPACK(8, 64)

#include "kernels/x86/transpose.h"

void gt_transpose_avx512(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to,
                         int64_t to_stride)
{
    transpose(size, rows, columns, from, from_stride, to, to_stride);
}
