#include <immintrin.h>
#include <string.h>

#include "kernels/bits8.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

void gt_bits_apart_avx512(const uint8_t *bytes, int64_t n, uint8_t *planes)
{
    const int64_t apart = n / 8, even = n - n % 64;
    for (int64_t i = 0; i < even; i += 64) {
        __m512i x = _mm512_loadu_si512(bytes + i);
        GT_UNROLL
        for (int b = 7; b >= 0; b--, x = _mm512_add_epi8(x, x)) {
            const uint64_t bits = _mm512_movepi8_mask(x);
            memcpy(planes + b * apart + i / 8, &bits, 8);
        }
    }
    gt_bits8_apart(bytes, even, n, planes);
}

void gt_bits_together_avx512(const uint8_t *planes, int64_t n, uint8_t *bytes)
{
    const int64_t apart = n / 8, even = n - n % 64;
    for (int64_t i = 0; i < even; i += 64) {
        __m512i x = _mm512_setzero_si512();
        GT_UNROLL
        for (int b = 0; b < 8; b++) {
            uint64_t bits;
            memcpy(&bits, planes + b * apart + i / 8, 8);
            x = _mm512_mask_add_epi8(x, bits, x, _mm512_set1_epi8((char)(1 << b)));
        }
        _mm512_storeu_si512(bytes + i, x);
    }
    gt_bits8_together(planes, even, n, bytes);
}
