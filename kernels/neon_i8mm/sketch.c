/* Sketch products by SMMLA: eight codes of two rows, two columns. */
enum { ROWS = 4 };
#include "kernels/neon/sketch_rows.h"

/* sums of two rows: of[pair][j] is columns 2 j and 2 j + 1, low bytes then high ones, of the first row, then of the second one. */
struct products {
    int32x4_t of[ROWS / 2][8];
};

GT_INLINE void multiply_eight(int8_t codes[ROWS][SKETCH_CODES], int64_t k, const int8_t *panel, struct products *sums)
{
    int8x16_t rows[ROWS / 2];
    GT_UNROLL
    for (int r = 0; r < ROWS / 2; r++)
        rows[r] = vcombine_s8(vld1_s8(codes[2 * r] + k), vld1_s8(codes[2 * r + 1] + k));
    GT_UNROLL
    for (int q = 0; q < 4; q++) {
        const int32x4_t first = vreinterpretq_s32_s8(vld1q_s8(panel + 16 * q)),
                        second = vreinterpretq_s32_s8(vld1q_s8(panel + 64 + 16 * q));
        const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(first, second)), high = vreinterpretq_s8_s32(vzip2q_s32(first, second));
        GT_UNROLL
        for (int r = 0; r < ROWS / 2; r++) {
            sums->of[r][2 * q] = vmmlaq_s32(sums->of[r][2 * q], rows[r], low);
            sums->of[r][2 * q + 1] = vmmlaq_s32(sums->of[r][2 * q + 1], rows[r], high);
        }
    }
}

GT_INLINE void multiply(int8_t codes[ROWS][SKETCH_CODES], int64_t n, const int8_t *panel, struct sketch_sums *sums)
{
    struct products all;
    GT_UNROLL
    for (int r = 0; r < ROWS / 2; r++) {
        GT_UNROLL
        for (int j = 0; j < 8; j++)
            all.of[r][j] = vdupq_n_s32(0);
    }
    for (int64_t k = 0; k < n; k += 8, panel += 128)
        multiply_eight(codes, k, panel, &all);
    GT_UNROLL
    for (int r = 0; r < ROWS / 2; r++) {
        GT_UNROLL
        for (int q = 0; q < 4; q++) {
            const int64x2_t low = vreinterpretq_s64_s32(all.of[r][2 * q]), high = vreinterpretq_s64_s32(all.of[r][2 * q + 1]);
            sums->of[2 * r][q] = vaddq_s32(sums->of[2 * r][q], vreinterpretq_s32_s64(vzip1q_s64(low, high)));
            sums->of[2 * r + 1][q] = vaddq_s32(sums->of[2 * r + 1][q], vreinterpretq_s32_s64(vzip2q_s64(low, high)));
        }
    }
}

void gt_sketch_neon_i8mm(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                         int64_t n_panels, int shift, int64_t *sums)
{
    sketch_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, n_panels, shift, sums);
}
