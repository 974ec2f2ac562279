/* Sketch products by SDOT: four codes of a row, four columns. */
enum { ROWS = 4 };
#include "kernels/neon/sketch_rows.h"

GT_INLINE void multiply(int8_t codes[ROWS][SKETCH_CODES], int64_t n, const int8_t *panel, struct sketch_sums *sums)
{
    struct sketch_sums all = *sums;
    for (int64_t k = 0; k < n; k += 16) {
        int8x16_t row[ROWS];
        GT_UNROLL
        for (int r = 0; r < ROWS; r++)
            row[r] = vld1q_s8(codes[r] + k);
#define FOUR(lane)                                                                                                                         \
    for (int q = 0; q < 4; q++, panel += 16) {                                                                                             \
        const int8x16_t numbers = vld1q_s8(panel);                                                                                         \
        GT_UNROLL                                                                                                                          \
        for (int r = 0; r < ROWS; r++)                                                                                                     \
            all.of[r][q] = vdotq_laneq_s32(all.of[r][q], numbers, row[r], lane);                                                           \
    }
        GT_UNROLL
        FOUR(0)
        GT_UNROLL
        FOUR(1)
        GT_UNROLL
        FOUR(2)
        GT_UNROLL
        FOUR(3)
#undef FOUR
    }
    *sums = all;
}

void gt_sketch_neon_dot(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                        int64_t n_panels, int shift, int64_t *sums)
{
    sketch_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, n_panels, shift, sums);
}
