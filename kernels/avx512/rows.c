#include <immintrin.h>
#include <string.h>

#include "kernels/carriers.h"
#include "kernels/impl.h"
#include "kernels/missing.h"
#include "kernels/x86/pack64.h"

int64_t gt_list_carriers_avx512(const uint8_t *row, int64_t n_samples, int major, int64_t most, uint32_t *out)
{
    const __m512i plain = _mm512_set1_epi8((char)(major * 0x55));
    int64_t n = 0;
    for (int64_t s = 0; s < n_samples / 4 * 4; s += 256) {
        const int64_t left = n_samples / 4 - s / 4;
        const __mmask64 there = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
        const __mmask64 bytes = _mm512_mask_cmpneq_epi8_mask(there, _mm512_maskz_loadu_epi8(there, row + s / 4), plain);
        if (n + __builtin_popcountll(bytes) > most)
            return n + __builtin_popcountll(bytes);
        n = carriers_of_bytes(row + s / 4, bytes, (unsigned)major, s, out, n);
    }
    const int64_t last = n_samples / 4 * 4;
    return last < n_samples ? carriers_at_end(row + last / 4, n_samples - last, (unsigned)major, last, out, n) : n;
}

void gt_add_missing_avx512(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing)
{
    add_missing(rows, stride, n_rows, n_samples, missing);
}

/* Codes of up to 16 samples, 0 where k is: the 32-bit word that holds a sample, shifted. */
GT_INLINE __m128i gather16(const uint8_t *row, const uint32_t *index, __mmask16 k)
{
    __m512i s = _mm512_maskz_loadu_epi32(k, index);
    __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), k, _mm512_srli_epi32(s, 4), row, 4);
    __m512i shift = _mm512_and_si512(_mm512_add_epi32(s, s), _mm512_set1_epi32(30));
    return _mm512_cvtepi32_epi8(_mm512_and_si512(_mm512_srlv_epi32(words, shift), _mm512_set1_epi32(3)));
}

GT_INLINE __m128i gather64(const uint8_t *row, const uint32_t *index, uint64_t k)
{
    __m512i codes = _mm512_castsi128_si512(gather16(row, index, (__mmask16)k));
    codes = _mm512_inserti32x4(codes, gather16(row, index + 16, (__mmask16)(k >> 16)), 1);
    codes = _mm512_inserti32x4(codes, gather16(row, index + 32, (__mmask16)(k >> 32)), 2);
    return pack64(_mm512_inserti32x4(codes, gather16(row, index + 48, (__mmask16)(k >> 48)), 3));
}

void gt_gather_samples_avx512(const uint8_t *row, const uint32_t *index, int64_t n_out, uint8_t *out)
{
    for (; n_out >= 64; n_out -= 64, index += 64, out += 16)
        _mm_storeu_si128((__m128i *)out, gather64(row, index, ~UINT64_C(0)));
    if (n_out > 0)
        _mm_mask_storeu_epi8(out, (__mmask16)((1u << (n_out + 3) / 4) - 1), gather64(row, index, (UINT64_C(1) << n_out) - 1));
}
