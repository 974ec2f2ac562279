/* bits_tally by means of a level's bits_sum and bits_numbers. */
#ifndef GT_KERNELS_BITS_TALLY_H
#define GT_KERNELS_BITS_TALLY_H

#include <string.h>

#include "kernels/impl.h"

#define GT_BITS_TALLY_BY(level)                                                                                                            \
    void gt_bits_tally_##level(const uint8_t *bits, const uint16_t *rows, int64_t n, int64_t from, int64_t to, uint32_t *sums)             \
    {                                                                                                                                      \
        enum { AT_ONCE = 256 };                                                                                                            \
        _Alignas(64) uint32_t numbers[GT_BIT_ROW] = {0};                                                                                   \
        uint32_t offsets[AT_ONCE];                                                                                                         \
        for (int64_t k = 0; k < n; k += AT_ONCE) {                                                                                         \
            const int64_t some = n - k < AT_ONCE ? n - k : AT_ONCE;                                                                        \
            for (int64_t r = 0; r < some; r++)                                                                                             \
                offsets[r] = rows[k + r] * (uint32_t)(GT_BIT_ROW / 8);                                                                     \
            gt_bits_sum_##level(bits, offsets, some, 0, 1, false, (struct gt_bit_counts){.at = (uint8_t *)numbers, .apart = GT_BIT_ROW});  \
        }                                                                                                                                  \
        gt_bits_numbers_##level((uint8_t *)numbers, 1);                                                                                    \
        for (int64_t p = from; p < to; p++, sums += GT_PANEL * GT_PANEL)                                                                   \
            for (int j = 0; j < GT_PANEL; j++)                                                                                             \
                sums[j] += numbers[p * GT_PANEL + j];                                                                                      \
    }

#endif
