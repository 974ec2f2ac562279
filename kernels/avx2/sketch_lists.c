/* Sketch products of rows that are lists of entries. */
#include <immintrin.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;

/* Panels at a time, and entries whose products are added in 32 bits. */
enum { PANELS = 4, ENTRIES = 1 << 14 };

GT_INLINE void add_entries(const uint32_t *entries, int64_t n, const int16_t *numbers, int64_t columns, int n_panels, int shift,
                           int64_t *sums)
{
    vec sum[PANELS];
    GT_UNROLL
    for (int p = 0; p < n_panels; p++)
        sum[p] = _mm256_setzero_si256();
    for (int64_t i = 0; i < n; i++) {
        const int16_t *number = numbers + GT_SKETCH_INDEX(entries[i]) * columns;
        const __m128i times = _mm_set1_epi16((short)GT_SKETCH_TIMES(entries[i]));
        GT_UNROLL
        for (int p = 0; p < n_panels; p++) {
            const __m128i product = _mm_mullo_epi16(times, _mm_loadu_si128((const __m128i *)(const void *)(number + p * GT_SKETCH)));
            sum[p] = _mm256_add_epi32(sum[p], _mm256_cvtepi16_epi32(product));
        }
    }
    const __m128i by = _mm_cvtsi32_si128(shift);
    GT_UNROLL
    for (int p = 0; p < n_panels; p++)
        for (int half = 0; half < 2; half++) {
            vec *at = (vec *)(void *)(sums + p * GT_SKETCH + 4 * half);
            const __m128i four = half ? _mm256_extracti128_si256(sum[p], 1) : _mm256_castsi256_si128(sum[p]);
            _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), _mm256_sll_epi64(_mm256_cvtepi32_epi64(four), by)));
        }
}

/* A row of one to four panels. */
GT_INLINE void add_row(const uint32_t *entries, int64_t n, const int16_t *numbers, int64_t columns, int64_t n_panels, int shift,
                       int64_t *sums)
{
    switch (n_panels) {
    case 1:
        add_entries(entries, n, numbers, columns, 1, shift, sums);
        break;
    case 2:
        add_entries(entries, n, numbers, columns, 2, shift, sums);
        break;
    case 3:
        add_entries(entries, n, numbers, columns, 3, shift, sums);
        break;
    default:
        add_entries(entries, n, numbers, columns, 4, shift, sums);
    }
}

void gt_sketch_lists_avx2(const uint32_t *entries, const uint32_t *starts, int64_t n_rows, const int16_t *numbers, int64_t n_panels,
                          int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, sums += columns)
        for (int64_t i = starts[r], end = starts[r + 1]; i < end; i += ENTRIES)
            for (int64_t p = 0; p < n_panels; p += PANELS)
                add_row(entries + i, end - i < ENTRIES ? end - i : ENTRIES, numbers + p * GT_SKETCH, columns, n_panels - p, shift,
                        sums + p * GT_SKETCH);
}
