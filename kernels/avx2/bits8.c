#include <immintrin.h>
#include <string.h>

#include "kernels/bits8.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;

void gt_bits_apart_avx2(const uint8_t *bytes, int64_t n, uint8_t *planes)
{
    const int64_t apart = n / 8, even = n - n % 32;
    for (int64_t i = 0; i < even; i += 32) {
        vec x = _mm256_loadu_si256((const vec *)(bytes + i));
        GT_UNROLL
        for (int b = 7; b >= 0; b--, x = _mm256_add_epi8(x, x)) {
            const int bits = _mm256_movemask_epi8(x);
            memcpy(planes + b * apart + i / 8, &bits, 4);
        }
    }
    gt_bits8_apart(bytes, even, n, planes);
}

#define SWAP_BITS(x, distance, mask)                                                                                                       \
    do {                                                                                                                                   \
        vec t_ = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, distance)), _mm256_set1_epi64x(mask));                          \
        x = _mm256_xor_si256(x, _mm256_xor_si256(t_, _mm256_slli_epi64(t_, distance)));                                                    \
    } while (0)

GT_INLINE vec turn_squares(vec x)
{
    SWAP_BITS(x, 7, 0x00aa00aa00aa00aa);
    SWAP_BITS(x, 14, 0x0000cccc0000cccc);
    SWAP_BITS(x, 28, 0x00000000f0f0f0f0);
    return x;
}

/* Byte i of two planes, then of four, side by side. */
GT_INLINE __m128i two_planes(const uint8_t *planes, int64_t apart)
{
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)planes), _mm_loadl_epi64((const __m128i *)(planes + apart)));
}

/* Eight bytes of each of eight planes: 64 bytes. */
GT_INLINE void join_64(const uint8_t *planes, int64_t apart, uint8_t *bytes)
{
    const __m128i a = two_planes(planes, apart), b = two_planes(planes + 2 * apart, apart), c = two_planes(planes + 4 * apart, apart),
                  d = two_planes(planes + 6 * apart, apart);
    const __m128i low[2] = {_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)};
    const __m128i high[2] = {_mm_unpacklo_epi16(c, d), _mm_unpackhi_epi16(c, d)};
    GT_UNROLL
    for (int k = 0; k < 2; k++) {
        const vec x =
            _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi32(low[k], high[k])), _mm_unpackhi_epi32(low[k], high[k]), 1);
        _mm256_storeu_si256((vec *)(bytes + 32 * k), turn_squares(x));
    }
}

void gt_bits_together_avx2(const uint8_t *planes, int64_t n, uint8_t *bytes)
{
    const int64_t apart = n / 8, even = n - n % 64;
    for (int64_t i = 0; i < even; i += 64)
        join_64(planes + i / 8, apart, bytes + i);
    gt_bits8_together(planes, even, n, bytes);
}
