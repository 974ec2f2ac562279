/* 512-bit operations of pair_tile.h that do not depend on the lookup. */
#ifndef GT_KERNELS_PAIR512_H
#define GT_KERNELS_PAIR512_H

#include <immintrin.h>

#include "kernels/x86/unroll.h"

enum { STRIP = 6, VECTORS = GT_PANEL / 64 };

typedef __m512i vec;

/* As an instruction of its own the sum stays in its register; gcc 12 renames the
 * plain addition's result and spills most of the tile. */
#define ADD_BYTES(sum, more) __asm__("vpaddb %1, %0, %0" : "+v"(sum) : "v"(more))

GT_INLINE vec add16(vec x, vec y)
{
    return _mm512_add_epi16(x, y);
}
GT_INLINE vec high_bytes(vec x)
{
    return _mm512_srli_epi16(x, 8);
}

GT_INLINE void add_words(uint32_t *sums, vec words)
{
    vec lo = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
    vec hi = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), lo));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(_mm512_loadu_si512(sums + 16), hi));
}

static inline void flush(uint32_t *sums, vec whole, vec odd)
{
    const vec first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    vec even = _mm512_sub_epi16(whole, _mm512_slli_epi16(odd, 8));
    vec lo = _mm512_unpacklo_epi16(even, odd), hi = _mm512_unpackhi_epi16(even, odd);
    add_words(sums, _mm512_permutex2var_epi64(lo, first, hi));
    add_words(sums + 32, _mm512_permutex2var_epi64(lo, second, hi));
}

#endif
