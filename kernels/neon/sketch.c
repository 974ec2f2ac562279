/* Sketch products by multiplication of bytes into 16 bits, and packed rows turned. */
#include <string.h>

enum { ROWS = 2 };
#include "kernels/neon/sketch_rows.h"

GT_INLINE void multiply(int8_t codes[ROWS][SKETCH_CODES], int64_t n, const int8_t *panel, struct sketch_sums *sums)
{
    int16x8_t few[ROWS][4][2]; /* columns 0 and 1, columns 2 and 3 */
    GT_UNROLL
    for (int r = 0; r < ROWS; r++) {
        GT_UNROLL
        for (int q = 0; q < 4; q++)
            few[r][q][0] = few[r][q][1] = vdupq_n_s16(0);
    }
    for (int64_t k = 0; k < n; k += 4, panel += 64) {
        GT_UNROLL
        for (int q = 0; q < 4; q++) {
            const int8x16_t numbers = vld1q_s8(panel + 16 * q);
            GT_UNROLL
            for (int r = 0; r < ROWS; r++) {
                const int8x16_t four = vreinterpretq_s8_s32(vld1q_dup_s32((const int32_t *)(const void *)(codes[r] + k)));
                few[r][q][0] = vmlal_s8(few[r][q][0], vget_low_s8(numbers), vget_low_s8(four));
                few[r][q][1] = vmlal_high_s8(few[r][q][1], numbers, four);
            }
        }
    }
    GT_UNROLL
    for (int r = 0; r < ROWS; r++) {
        GT_UNROLL
        for (int q = 0; q < 4; q++)
            sums->of[r][q] = vaddq_s32(sums->of[r][q], vpaddq_s32(vpaddlq_s16(few[r][q][0]), vpaddlq_s16(few[r][q][1])));
    }
}

void gt_sketch_neon(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                    int64_t n_panels, int shift, int64_t *sums)
{
    sketch_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, n_panels, shift, sums);
}

/* --- gaps ------------------------------------------------------------------------- */

/* Codes whose numbers are added in 32 bits. */
enum { GAP_CODES = 1 << 16 };

static uint64_t gaps_of(const uint8_t *row, int64_t s, int64_t n_codes)
{
    uint64_t codes;
    memcpy(&codes, row + s / 4, sizeof codes);
    codes &= codes >> 1 & 0x5555555555555555;
    return n_codes - s < 32 ? codes & ((UINT64_C(1) << 2 * (n_codes - s)) - 1) : codes;
}

static void gaps_of_panel(const uint8_t *row, int64_t from, int64_t to, const int16_t *numbers, int64_t columns, int shift, int64_t *sums)
{
    int32x4_t low = vdupq_n_s32(0), high = low;
    for (int64_t s = from; s < to; s += 32)
        for (uint64_t gaps = gaps_of(row, s, to); gaps; gaps &= gaps - 1) {
            const int16x8_t more = vld1q_s16(numbers + (s + __builtin_ctzll(gaps) / 2) * columns);
            low = vaddw_s16(low, vget_low_s16(more));
            high = vaddw_high_s16(high, more);
        }
    const int32x4_t all[4] = {low, high, vdupq_n_s32(0), vdupq_n_s32(0)};
    put(all, shift, sums);
}

void gt_sketch_gaps_neon(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int16_t *numbers, int64_t n_panels,
                         int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, rows += stride, sums += columns)
        for (int64_t s = 0; s < n_codes; s += GAP_CODES)
            for (int64_t p = 0; p < n_panels; p++)
                gaps_of_panel(rows, s, n_codes - s < GAP_CODES ? n_codes : s + GAP_CODES, numbers + p * GT_SKETCH, columns, shift,
                              sums + p * GT_SKETCH);
}

/* --- rows turned ------------------------------------------------------------------ */

typedef uint8x16_t vec;

GT_INLINE vec low_bytes(vec a, vec b)
{
    return vzip1q_u8(a, b);
}

GT_INLINE vec high_bytes(vec a, vec b)
{
    return vzip2q_u8(a, b);
}

GT_INLINE vec choose(vec x, vec y, int mask)
{
    return vbslq_u8(vdupq_n_u8((uint8_t)mask), y, x);
}

#define SHIFT_LEFT vshlq_n_u8
#define SHIFT_RIGHT vshrq_n_u8
#include "kernels/turn.h"
#include "kernels/turn_codes.h"

/* 64 rows of 64 codes; those from n_rows on are 0, those from n_codes on are not written. */
static void turn_some(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    vec v[16][4], turned[16];
    for (int q = 0; q < 16; q++) {
        for (int r = 0; r < 4; r++)
            v[q][r] = 4 * q + r < n_rows ? vld1q_u8(rows + (size_t)(4 * q + r) * stride) : vdupq_n_u8(0);
        turn_codes(v[q]);
    }
    for (int r = 0; r < 4; r++) {
        for (int q = 0; q < 16; q++)
            turned[q] = v[q][r];
        turn_bytes(turned);
        for (int64_t k = 0; k < 16 && 4 * k + r < n_codes; k++)
            vst1q_u8(out + (size_t)(4 * k + r) * out_stride, turned[k]);
    }
}

void gt_turn_codes_neon(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    for (int64_t s = 0; s < n_codes; s += 64)
        for (int64_t r = 0; r < n_rows; r += 64)
            turn_some(rows + (size_t)r * stride + s / 4, stride, n_rows - r, n_codes - s, out + (size_t)s * out_stride + r / 4, out_stride);
}
