/* Sketch products of a few rows at a time.  The including file defines
 *     enum { ROWS }    rows at a time
 *     multiply()       below */
#ifndef GT_KERNELS_NEON_SKETCH_ROWS_H
#define GT_KERNELS_NEON_SKETCH_ROWS_H

#include <arm_neon.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

/* Panels at a time; codes that are bytes at a time, whose products, added one by one, fit 16 bits. */
enum { SKETCH_PANELS = 4, SKETCH_CODES = 256 };
_Static_assert(SKETCH_CODES / 4 * 2 * 128 <= INT16_MAX, "sums of 16 bits overflow");

/* Columns 0 to 3 and 4 to 7 of low bytes, then of high bytes. */
struct sketch_sums {
    int32x4_t of[ROWS][4];
};

/* sums += the products of n codes, a multiple of 64, of each row with the panel's numbers, from these codes on. */
GT_INLINE void multiply(int8_t codes[ROWS][SKETCH_CODES], int64_t n, const int8_t *panel, struct sketch_sums *sums);

/* n codes, a byte each, 0 for a 3. */
GT_INLINE void expand(const uint8_t *row, int64_t n, int8_t *out)
{
    const uint8x16_t low = vdupq_n_u8(0x55), two = vdupq_n_u8(3);
    for (int64_t k = 0; k < n; k += 64) {
        uint8x16_t x = vld1q_u8(row + k / 4);
        const uint8x16_t missing = vandq_u8(vandq_u8(x, vshrq_n_u8(x, 1)), low);
        x = vbicq_u8(x, vorrq_u8(missing, vshlq_n_u8(missing, 1)));
        vst4q_u8((uint8_t *)out + k,
                 (uint8x16x4_t){{vandq_u8(x, two), vandq_u8(vshrq_n_u8(x, 2), two), vandq_u8(vshrq_n_u8(x, 4), two), vshrq_n_u8(x, 6)}});
    }
}

static inline void put(const int32x4_t sums[4], int shift, int64_t out[GT_SKETCH])
{
    int32_t numbers[2][GT_SKETCH];
    for (int q = 0; q < 4; q++)
        vst1q_s32(numbers[q / 2] + q % 2 * 4, sums[q]);
    for (int c = 0; c < GT_SKETCH; c++) {
        const int64_t sum = numbers[0][c] + 128 * (int64_t)numbers[1][c];
        out[c] = (int64_t)((uint64_t)out[c] + ((uint64_t)sum << shift));
    }
}

/* Rows that are not there are the first one once more. */
GT_INLINE void some_rows(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                         int64_t n_panels, int shift, int64_t *sums, int64_t sums_stride)
{
    _Alignas(16) int8_t codes[ROWS][SKETCH_CODES];
    struct sketch_sums all[SKETCH_PANELS];
    for (int64_t p = 0; p < n_panels; p++)
        for (int r = 0; r < ROWS; r++)
            for (int q = 0; q < 4; q++)
                all[p].of[r][q] = vdupq_n_s32(0);
    for (int64_t s = 0; s < n_codes; s += SKETCH_CODES) {
        const int64_t left = (n_codes - s + 63) / 64 * 64, n = left < SKETCH_CODES ? left : SKETCH_CODES;
        for (int r = 0; r < ROWS; r++)
            expand(rows + (r < n_rows ? (size_t)r * stride : 0) + s / 4, n, codes[r]);
        for (int64_t p = 0; p < n_panels; p++)
            multiply(codes, n, panels + (size_t)p * panel_bytes + s * 16, &all[p]);
    }
    for (int64_t r = 0; r < n_rows && r < ROWS; r++)
        for (int64_t p = 0; p < n_panels; p++)
            put(all[p].of[r], shift, sums + r * sums_stride + p * GT_SKETCH);
}

GT_INLINE void sketch_rows(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                           int64_t n_panels, int shift, int64_t *sums)
{
    for (int64_t r = 0; r < n_rows; r += ROWS)
        for (int64_t p = 0; p < n_panels; p += SKETCH_PANELS)
            some_rows(rows + (size_t)r * stride, stride, n_rows - r, n_codes, panels + (size_t)p * panel_bytes, panel_bytes,
                      n_panels - p < SKETCH_PANELS ? n_panels - p : SKETCH_PANELS, shift, sums + (r * n_panels + p) * GT_SKETCH,
                      n_panels * GT_SKETCH);
}

#endif
