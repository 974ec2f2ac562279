/* 64 codes, a byte each -> 16 row bytes; AVX-512. */
#ifndef GT_KERNELS_PACK64_H
#define GT_KERNELS_PACK64_H

#include <immintrin.h>

#include "kernels/unroll.h"

GT_INLINE __m128i pack64(__m512i codes)
{
    __m512i pairs = _mm512_maddubs_epi16(codes, _mm512_set1_epi16(0x0401));
    return _mm512_cvtepi32_epi8(_mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00100001)));
}

#endif
