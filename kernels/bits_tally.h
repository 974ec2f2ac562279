/* bits_tally by means of a level's bits_sum and bits_together. */
#ifndef GT_KERNELS_BITS_TALLY_H
#define GT_KERNELS_BITS_TALLY_H

#include <string.h>

#include "kernels/impl.h"

#define GT_BITS_TALLY_BY(level)                                                                                                            \
    void gt_bits_tally_##level(const uint8_t *bits, const uint16_t *rows, int64_t n, int64_t from, int64_t to, uint32_t *sums)             \
    {                                                                                                                                      \
        enum { AT_ONCE = 255 /* so that a byte is enough */ };                                                                             \
        uint32_t offsets[AT_ONCE];                                                                                                         \
        for (; n > 0; n -= AT_ONCE, rows += AT_ONCE) {                                                                                     \
            const int64_t some = n < AT_ONCE ? n : AT_ONCE;                                                                                \
            _Alignas(64) uint8_t planes[GT_BIT_ROW] = {0}, bytes[GT_BIT_ROW];                                                              \
            for (int64_t r = 0; r < some; r++)                                                                                             \
                offsets[r] = rows[r] * (uint32_t)(GT_BIT_ROW / 8);                                                                         \
            gt_bits_sum_##level(bits, offsets, some, 0, 1, false, (struct gt_bit_counts){.at = planes});                                   \
            gt_bits_together_##level(planes, GT_BIT_ROW, bytes);                                                                           \
            for (int64_t p = from; p < to; p++)                                                                                            \
                for (int j = 0; j < GT_PANEL; j++)                                                                                         \
                    sums[(p - from) * GT_PANEL * GT_PANEL + j] += bytes[p * GT_PANEL + j];                                                 \
        }                                                                                                                                  \
    }

#endif
