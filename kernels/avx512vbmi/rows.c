#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

struct planes {
    __m512i low, high, both; /* 64-bit counts */
};

GT_INLINE void count(struct planes *p, __m512i x)
{
    const __m512i low_bit = _mm512_set1_epi8(0x55);
    __m512i l = _mm512_and_si512(x, low_bit), h = _mm512_and_si512(_mm512_srli_epi64(x, 1), low_bit);
    p->low = _mm512_add_epi64(p->low, _mm512_popcnt_epi64(l));
    p->high = _mm512_add_epi64(p->high, _mm512_popcnt_epi64(h));
    p->both = _mm512_add_epi64(p->both, _mm512_popcnt_epi64(_mm512_and_si512(l, h)));
}

void gt_count_codes_avx512vbmi(const uint8_t *row, int64_t n_samples, int64_t counts[4])
{
    const __m512i zero = _mm512_setzero_si512();
    struct planes p = {zero, zero, zero};
    int64_t n = n_samples;
    for (; n >= 256; n -= 256, row += 64)
        count(&p, _mm512_loadu_si512(row));
    count(&p, _mm512_maskz_loadu_epi8((UINT64_C(1) << n / 4) - 1, row));
    if (n % 4)
        count(&p, _mm512_zextsi128_si512(_mm_cvtsi32_si128(row[n / 4] & ((1 << n % 4 * 2) - 1))));
    int64_t low = _mm512_reduce_add_epi64(p.low), high = _mm512_reduce_add_epi64(p.high), both = _mm512_reduce_add_epi64(p.both);
    counts[0] = n_samples - low - high + both;
    counts[1] = low - both;
    counts[2] = high - both;
    counts[3] = both;
}

/* 16 row bytes -> 64 values: 8 samples' 16 bits go to each quadword, a multishift
 * brings each code to its byte, a lookup makes 3 a -1. */
GT_INLINE __m512i unpack64(__m128i row)
{
    const __m512i bits = _mm512_set1_epi64(0x0e0c0a0806040200), value = _mm512_set1_epi32((int)0xff020100);
    __m512i codes = _mm512_multishift_epi64_epi8(bits, _mm512_cvtepu16_epi64(row));
    return _mm512_shuffle_epi8(value, _mm512_and_si512(codes, _mm512_set1_epi8(3)));
}

void gt_unpack_i8_avx512vbmi(const uint8_t *row, int64_t n_samples, int8_t *out)
{
    for (; n_samples >= 64; n_samples -= 64, row += 16, out += 64)
        _mm512_storeu_si512(out, unpack64(_mm_loadu_si128((const __m128i *)row)));
    if (n_samples > 0)
        _mm512_mask_storeu_epi8(out, (UINT64_C(1) << n_samples) - 1, unpack64(_mm_loadu_si128((const __m128i *)row)));
}
