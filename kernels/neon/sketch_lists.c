/* Sketch products of rows that are lists of entries. */
#include <arm_neon.h>

#include "kernels/impl.h"

/* Entries whose products are added in 32 bits. */
enum { ENTRIES = 1 << 14 };

static void add_entries(const uint32_t *entries, int64_t n, const int16_t *numbers, int64_t columns, int shift, int64_t *sums)
{
    int32x4_t low = vdupq_n_s32(0), high = low;
    for (int64_t i = 0; i < n; i++) {
        const int16x8_t number = vld1q_s16(numbers + GT_SKETCH_INDEX(entries[i]) * columns);
        const int16_t times = (int16_t)GT_SKETCH_TIMES(entries[i]);
        low = vmlal_n_s16(low, vget_low_s16(number), times);
        high = vmlal_high_n_s16(high, number, times);
    }
    const int32x2_t pairs[4] = {vget_low_s32(low), vget_high_s32(low), vget_low_s32(high), vget_high_s32(high)};
    for (int k = 0; k < 4; k++)
        vst1q_s64(sums + 2 * k, vaddq_s64(vld1q_s64(sums + 2 * k), vshlq_s64(vmovl_s32(pairs[k]), vdupq_n_s64(shift))));
}

void gt_sketch_lists_neon(const uint32_t *entries, const uint32_t *starts, int64_t n_rows, const int16_t *numbers, int64_t n_panels,
                          int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, sums += columns)
        for (int64_t i = starts[r], end = starts[r + 1]; i < end; i += ENTRIES)
            for (int64_t p = 0; p < n_panels; p++)
                add_entries(entries + i, end - i < ENTRIES ? end - i : ENTRIES, numbers + p * GT_SKETCH, columns, shift,
                            sums + p * GT_SKETCH);
}
