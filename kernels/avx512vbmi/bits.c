#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m512i vec;

enum { ROW_BYTES = GT_BIT_ROW / 8 };

GT_INLINE vec add_bits(vec sum, vec bits)
{
    return _mm512_add_epi64(sum, _mm512_popcnt_epi64(bits));
}

/* gaps is a constant where this is called. */
GT_INLINE void count(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR])
{
    vec n[GT_BITS_PAIR];
    for (int i = 0; i < GT_BITS_PAIR; i++)
        n[i] = _mm512_setzero_si512();
    for (size_t at = 0; at < bits; at += ROW_BYTES) {
        const vec x_hom = _mm512_loadu_si512(x + at), y_hom = _mm512_loadu_si512(y + at), both = _mm512_and_si512(x_hom, y_hom);
        const vec x_alt = _mm512_loadu_si512(x + bits + at), y_alt = _mm512_loadu_si512(y + bits + at);
        n[GT_BITS_HOM] = add_bits(n[GT_BITS_HOM], both);
        n[GT_BITS_UNLIKE] = add_bits(n[GT_BITS_UNLIKE], _mm512_and_si512(both, _mm512_xor_si512(x_alt, y_alt)));
        if (!gaps)
            continue;
        const vec x_gap = _mm512_loadu_si512(x + 2 * bits + at), y_gap = _mm512_loadu_si512(y + 2 * bits + at);
        n[GT_BITS_GAPS] = add_bits(n[GT_BITS_GAPS], _mm512_or_si512(x_gap, y_gap));
        n[GT_BITS_X_HOM] = add_bits(n[GT_BITS_X_HOM], _mm512_and_si512(x_hom, y_gap));
        n[GT_BITS_X_ALT] = add_bits(n[GT_BITS_X_ALT], _mm512_and_si512(x_alt, y_gap));
        n[GT_BITS_Y_HOM] = add_bits(n[GT_BITS_Y_HOM], _mm512_and_si512(y_hom, x_gap));
        n[GT_BITS_Y_ALT] = add_bits(n[GT_BITS_Y_ALT], _mm512_and_si512(y_alt, x_gap));
    }
    for (int i = 0; i < GT_BITS_PAIR; i++)
        counts[i] = gaps || i <= GT_BITS_UNLIKE ? _mm512_reduce_add_epi64(n[i]) : 0;
}

void gt_bits_pair_avx512vbmi(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR])
{
    if (gaps)
        count(x, y, bits, true, counts);
    else
        count(x, y, bits, false, counts);
}
