/* Sketch products in the tiles of AMX.
 *
 *     left tile    a row a row, 64 codes, a byte each
 *     right tile   64 codes of a panel, as they stand there: a row of 4 codes, low and high bytes
 *
 * so that one instruction multiplies 16 rows with a panel.  Two left tiles and two right ones make
 * four of sums, and codes become bytes while others are multiplied. */
#include "kernels/avx512/sketch512.h"
#include "kernels/impl.h"
#include "kernels/x86/tiles.h"

/* Rows at a time, and codes; a ring of left tiles, which are made AHEAD. */
enum { ROWS = 32, STEP = 64, RING = 4, AHEAD = RING - 1 };

struct left {
    uint8_t codes[ROWS][STEP];
};

GT_INLINE void expand(const uint8_t *const rows[ROWS], int64_t step, struct left *left)
{
    for (int r = 0; r < ROWS; r++)
        _mm512_store_si512(left->codes[r], sketch_codes(rows[r] + step * (STEP / 4)));
}

/* Tiles 0 and 1 += the left ones times a panel, and 2 and 3 if there is a second. */
GT_INLINE void multiply(const struct left *left, const int8_t *panel, const int8_t *second)
{
    MEMORY();
    _tile_loadd(4, left->codes[0], 64);
    _tile_loadd(6, panel, 64);
    _tile_dpbusd(0, 4, 6);
    _tile_loadd(5, left->codes[16], 64);
    _tile_dpbusd(1, 5, 6);
    if (second) {
        _tile_loadd(7, second, 64);
        _tile_dpbusd(2, 4, 7);
        _tile_dpbusd(3, 5, 7);
    }
    MEMORY();
}

static void put(const int32_t sums[ROWS][16], int64_t n_rows, int shift, int64_t *out, int64_t stride)
{
    for (int64_t r = 0; r < ROWS && r < n_rows; r++)
        put_sketch(_mm512_load_si512(sums[r]), shift, out + r * stride);
}

/* Rows that are not there are the first one once more. */
GT_INLINE void some_rows(const uint8_t *first, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panel, const int8_t *second,
                         int shift, int64_t *sums, int64_t sums_stride)
{
    _Alignas(64) struct left ring[RING];
    _Alignas(64) int32_t all[2][ROWS][16];
    const uint8_t *rows[ROWS];
    const int64_t steps = (n_codes + STEP - 1) / STEP;
    for (int r = 0; r < ROWS; r++)
        rows[r] = first + (r < n_rows ? (size_t)r * stride : 0);
    clear_tiles();
    for (int64_t k = 0, made = 0; k < steps; k++, panel += TILE) {
        for (; made < steps && made <= k + AHEAD; made++)
            expand(rows, made, &ring[made % RING]);
        multiply(&ring[k % RING], panel, second ? second + k * TILE : NULL);
    }
    _tile_stored(0, all[0][0], 64);
    _tile_stored(1, all[0][16], 64);
    _tile_stored(2, all[1][0], 64);
    _tile_stored(3, all[1][16], 64);
    MEMORY();
    put(all[0], n_rows, shift, sums, sums_stride);
    if (second)
        put(all[1], n_rows, shift, sums + GT_SKETCH, sums_stride);
}

void gt_sketch_avx512amx(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                         int64_t n_panels, int shift, int64_t *sums)
{
    configure_tiles();
    for (int64_t r = 0; r < n_rows; r += ROWS)
        for (int64_t p = 0; p < n_panels; p += 2) {
            const uint8_t *first = rows + (size_t)r * stride;
            const int8_t *panel = panels + (size_t)p * panel_bytes;
            int64_t *out = sums + (r * n_panels + p) * GT_SKETCH;
            if (p + 1 < n_panels)
                some_rows(first, stride, n_rows - r, n_codes, panel, panel + panel_bytes, shift, out, n_panels * GT_SKETCH);
            else
                some_rows(first, stride, n_rows - r, n_codes, panel, NULL, shift, out, n_panels * GT_SKETCH);
        }
    _tile_release();
}
