/* What sketch products have in common on cpus with AVX-512 VBMI. */
#ifndef GT_KERNELS_SKETCH512_H
#define GT_KERNELS_SKETCH512_H

#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/unroll.h"

/* 64 codes, a byte each, 0 for a 3. */
GT_INLINE __m512i sketch_codes(const uint8_t *row)
{
    const __m512i bits = _mm512_set1_epi64(0x0e0c0a0806040200), numbers = _mm512_set1_epi32(0x00020100);
    const __m512i words = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)row));
    return _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(bits, words), numbers);
}

/* Sums of a row and a panel, of low and of high bytes. */
GT_INLINE void put_sketch(__m512i sum, int shift, int64_t out[GT_SKETCH])
{
    const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum)), high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(sum, 1));
    const __m512i all = _mm512_add_epi64(low, _mm512_slli_epi64(high, 7));
    _mm512_storeu_si512(out, _mm512_add_epi64(_mm512_loadu_si512(out), _mm512_sll_epi64(all, _mm_cvtsi32_si128(shift))));
}

#endif
