#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool alleles_16(const int8_t *alleles, const uint8_t *phased, char *text)
{
    const __m256i pairs = _mm256_loadu_si256((const __m256i *)alleles);
    const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1));
    const __m512i apart = _mm512_shuffle_epi8(_mm512_cvtepu16_epi32(pairs), order);
    const __m128i bars = _mm_loadu_si128((const __m128i *)phased);
    __m512i out = _mm512_add_epi8(apart, _mm512_set1_epi32('0' | '/' << 8 | '0' << 16 | '\t' << 24));

    /* '.' is two below '0', and -1 one */
    out = _mm512_mask_sub_epi8(out, _mm512_movepi8_mask(apart), out, _mm512_set1_epi8(1));
    out = _mm512_mask_add_epi32(out, _mm_test_epi8_mask(bars, bars), out, _mm512_set1_epi32(('|' - '/') << 8));
    _mm512_storeu_si512(text, out);
    return _mm256_cmpgt_epu8_mask(_mm256_add_epi8(pairs, _mm256_set1_epi8(1)), _mm256_set1_epi8(10)) != 0;
}

#include "kernels/x86/text_int.h"

bool gt_write_alleles_avx512(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text)
{
    return write_alleles(alleles, phased, n_samples, text);
}
