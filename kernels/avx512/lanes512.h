/* A vector of four 16-byte lanes from as many places. */
#ifndef GT_KERNELS_LANES512_H
#define GT_KERNELS_LANES512_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/unroll.h"

GT_INLINE __m512i lanes_at(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)a));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)b), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)c), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)d), 3);
}

#endif
