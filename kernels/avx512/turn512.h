/* 64 rows of 64 bytes as columns of bits. */
#ifndef GT_KERNELS_TURN512_H
#define GT_KERNELS_TURN512_H

#include "kernels/avx512/lanes512.h"

typedef __m512i vec;

GT_INLINE vec low_bytes(vec a, vec b)
{
    return _mm512_unpacklo_epi8(a, b);
}
GT_INLINE vec high_bytes(vec a, vec b)
{
    return _mm512_unpackhi_epi8(a, b);
}

#include "kernels/turn.h"

/* 16 bytes at `column` of rows r, r + 16, r + 32, r + 48: one to a lane. */
GT_INLINE vec load_lanes(const uint8_t *const rows[64], int r, int column)
{
    return lanes_at(rows[r] + column, rows[r + 16] + column, rows[r + 32] + column, rows[r + 48] + column);
}

/* Bits that lie `apart` from each other change places: those in `mask` with those above. */
#define SWAP_BITS(x, apart, mask)                                                                                                          \
    do {                                                                                                                                   \
        vec t_ = _mm512_ternarylogic_epi64(x, _mm512_srli_epi64(x, apart), _mm512_set1_epi64(mask), 0x28); /* (x ^ shifted) & mask */      \
        x = _mm512_ternarylogic_epi64(x, t_, _mm512_slli_epi64(t_, apart), 0x96);                                                          \
    } while (0)

/* 64 rows of 8 bits -> 8 columns of 64: each quadword as a square of bits is turned, then
 * the bytes of a column, one from each, come together. */
GT_INLINE vec turn_bits(vec x)
{
    const vec in_lane = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const vec lanes = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9,
                                       1, 24, 16, 8, 0);
    SWAP_BITS(x, 7, 0x00aa00aa00aa00aa);
    SWAP_BITS(x, 14, 0x0000cccc0000cccc);
    SWAP_BITS(x, 28, 0x00000000f0f0f0f0);
    return _mm512_permutexvar_epi16(lanes, _mm512_shuffle_epi8(x, in_lane));
}

/* out[c]: bit c of the first `bytes` of the 64 rows, row 0 lowest; up to 16 bytes more are
 * turned.  Where a bit of `absent` is set the rows have those of `instead`. */
GT_INLINE void turn_rows(const uint8_t *const rows[64], int64_t bytes, vec absent, vec instead, uint64_t out[512])
{
    _Alignas(64) uint8_t mask[2][64];
    _mm512_store_si512(mask[0], absent);
    _mm512_store_si512(mask[1], instead);
    for (int column = 0; column < bytes; column += 16) {
        const vec away = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(mask[0] + column)));
        const vec put = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(mask[1] + column)));
        vec v[16];
        GT_UNROLL
        for (int r = 0; r < 16; r++)
            v[r] = _mm512_ternarylogic_epi64(load_lanes(rows, r, column), away, put, 0xba); /* (row & ~away) | put */
        turn_bytes(v);
        GT_UNROLL
        for (int c = 0; c < 16; c++)
            _mm512_storeu_si512(out + (column + c) * 8, turn_bits(v[c]));
    }
}

#endif
