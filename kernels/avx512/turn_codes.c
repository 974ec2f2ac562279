/* Packed rows turned, 256 rows of 64 codes at a time: a lane has the rows of a quarter of them, so that what is made of a
 * code is a whole line of its row.  The time goes to cache misses of rows that are far apart: lines are asked for early. */
#include "kernels/avx512/lanes512.h"
#include "kernels/impl.h"

typedef __m512i vec;

enum { ROWS = 256, CODES = 64, LINE = 64 };

GT_INLINE vec low_bytes(vec a, vec b)
{
    return _mm512_unpacklo_epi8(a, b);
}

GT_INLINE vec high_bytes(vec a, vec b)
{
    return _mm512_unpackhi_epi8(a, b);
}

#include "kernels/turn.h"

GT_INLINE vec choose(vec x, vec y, int mask)
{
    return _mm512_ternarylogic_epi64(_mm512_set1_epi8((char)mask), y, x, 0xca);
}

#define SHIFT_LEFT _mm512_slli_epi16
#define SHIFT_RIGHT _mm512_srli_epi16
#include "kernels/turn_codes.h"

static const uint8_t NO_ROW[16];

GT_INLINE const uint8_t *row_at(const uint8_t *rows, size_t stride, int64_t r, int64_t n_rows)
{
    return r < n_rows ? rows + (size_t)r * stride : NO_ROW;
}

/* Rows from n_rows on are 0. */
GT_INLINE vec load(const uint8_t *rows, size_t stride, int64_t r, int64_t n_rows)
{
    return lanes_at(row_at(rows, stride, r, n_rows), row_at(rows, stride, r + 64, n_rows), row_at(rows, stride, r + 128, n_rows),
                    row_at(rows, stride, r + 192, n_rows));
}

/* Codes from n_codes on are not written. */
GT_INLINE void turn_tile(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    const __mmask8 written = (__mmask8)_bzhi_u32(0xff, (unsigned)(n_rows + 63) / 64 * 2);
    vec v[16][4], turned[16];
    for (int q = 0; q < 16; q++) {
        for (int r = 0; r < 4; r++)
            v[q][r] = load(rows, stride, 4 * q + r, n_rows);
        turn_codes(v[q]);
    }
    for (int r = 0; r < 4; r++) {
        for (int q = 0; q < 16; q++)
            turned[q] = v[q][r];
        turn_bytes(turned);
        for (int64_t k = 0; k < 16 && 4 * k + r < n_codes; k++)
            _mm512_mask_storeu_epi64(out + (size_t)(4 * k + r) * out_stride, written, turned[k]);
    }
}

/* The line after the present one of a quarter of the rows, which are four tiles on. */
GT_INLINE void ask_for_lines(const uint8_t *rows, size_t stride, int64_t s)
{
    const uint8_t *next = rows + (size_t)(s / CODES % 4 * 64) * stride + s / 4 + LINE;
    for (int r = 0; r < 64; r++)
        _mm_prefetch((const char *)(next + (size_t)r * stride), _MM_HINT_T0);
}

void gt_turn_codes_avx512(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    for (int64_t r = 0; r < n_rows; r += ROWS, rows += ROWS * stride, out += ROWS / 4)
        for (int64_t s = 0; s < n_codes; s += CODES)
            if (n_rows - r >= ROWS) {
                ask_for_lines(rows, stride, s);
                turn_tile(rows + s / 4, stride, ROWS, n_codes - s, out + (size_t)s * out_stride, out_stride);
            } else {
                turn_tile(rows + s / 4, stride, n_rows - r, n_codes - s, out + (size_t)s * out_stride, out_stride);
            }
}
