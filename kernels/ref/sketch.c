#include <string.h>

#include "kernels/impl.h"
#include "kernels/ref/code.h"

static void add_number(const int8_t *panel, int64_t s, int code, int64_t sums[GT_SKETCH])
{
    for (int c = 0; c < GT_SKETCH; c++) {
        const int8_t *low = panel + GT_SKETCH_AT(s, c);
        sums[c] += code * (low[0] + 128 * low[4 * GT_SKETCH]);
    }
}

void gt_sketch_ref(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                   int64_t n_panels, int shift, int64_t *sums)
{
    for (int64_t r = 0; r < n_rows; r++, rows += stride)
        for (int64_t p = 0; p < n_panels; p++, sums += GT_SKETCH) {
            int64_t more[GT_SKETCH] = {0};
            for (int64_t s = 0; s < n_codes; s++)
                add_number(panels + (size_t)p * panel_bytes, s, code_of(rows, s) % 3, more);
            for (int c = 0; c < GT_SKETCH; c++)
                sums[c] = (int64_t)((uint64_t)sums[c] + ((uint64_t)more[c] << shift));
        }
}

void gt_sketch_gaps_ref(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int16_t *numbers, int64_t n_panels,
                        int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, rows += stride, sums += columns)
        for (int64_t s = 0; s < n_codes; s++)
            for (int64_t c = 0; c < columns && code_of(rows, s) == 3; c++)
                sums[c] = (int64_t)((uint64_t)sums[c] + ((uint64_t)numbers[s * columns + c] << shift));
}

void gt_sketch_lists_ref(const uint32_t *entries, const uint32_t *starts, int64_t n_rows, const int16_t *numbers, int64_t n_panels,
                         int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, sums += columns)
        for (uint32_t i = starts[r]; i < starts[r + 1]; i++) {
            const int16_t *number = numbers + (int64_t)GT_SKETCH_INDEX(entries[i]) * columns;
            for (int64_t c = 0; c < columns; c++)
                sums[c] = (int64_t)((uint64_t)sums[c] + ((uint64_t)((int64_t)GT_SKETCH_TIMES(entries[i]) * number[c]) << shift));
        }
}

void gt_turn_codes_ref(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    for (int64_t s = 0; s < n_codes; s++, out += out_stride) {
        memset(out, 0, (size_t)(n_rows + 63) / 64 * 16);
        for (int64_t r = 0; r < n_rows; r++)
            put_code(out, r, code_of(rows + (size_t)r * stride, s));
    }
}
