/* Tiles of AMX, all of them 16 rows of 64 bytes. */
#ifndef GT_KERNELS_TILES_H
#define GT_KERNELS_TILES_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/unroll.h"

enum { TILE = 1024 };

/* The compiler does not know that tiles are loaded from memory and stored to it. */
#define MEMORY() __asm__ volatile("" ::: "memory")

/* Before tiles are used on a thread; _tile_release() after. */
static inline void configure_tiles(void)
{
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    _Static_assert(sizeof config == 64, "as LDTILECFG reads it");
    _tile_loadconfig(&config);
}

GT_INLINE void clear_tiles(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

#endif
