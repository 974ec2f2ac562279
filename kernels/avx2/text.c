#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

/* 8 samples; where an allele is not of the form there is a byte that is not 0. */
static inline __m256i alleles_8(const int8_t *alleles, const uint8_t *phased, char *text)
{
    const __m256i pairs = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)alleles));
    const __m256i apart =
        _mm256_shuffle_epi8(pairs, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1)));
    const __m256i below = _mm256_cmpgt_epi8(_mm256_setzero_si256(), apart); /* '.' is two below '0', and -1 one */
    const __m256i bars = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)phased)), _mm256_setzero_si256());
    __m256i out = _mm256_add_epi8(_mm256_add_epi8(apart, below), _mm256_set1_epi32('0' | '/' << 8 | '0' << 16 | '\t' << 24));

    out = _mm256_add_epi8(out, _mm256_andnot_si256(bars, _mm256_set1_epi32(('|' - '/') << 8)));
    _mm256_storeu_si256((__m256i *)text, out);
    const __m256i one_more = _mm256_add_epi8(apart, _mm256_set1_epi8(1));
    return _mm256_subs_epu8(one_more, _mm256_set1_epi8(10));
}

static inline bool alleles_16(const int8_t *alleles, const uint8_t *phased, char *text)
{
    const __m256i bad = _mm256_or_si256(alleles_8(alleles, phased, text), alleles_8(alleles + 16, phased + 8, text + 32));

    return !_mm256_testz_si256(bad, bad);
}

#include "kernels/x86/text_int.h"

bool gt_write_alleles_avx2(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text)
{
    return write_alleles(alleles, phased, n_samples, text);
}
