/* Pair tiles over bit planes.  The including file gives
 *     SAMPLES             of a, and STRIPS_OF(form) of b, that are counted at once
 *     WORD_STEP           words that are
 *     WORDS_IN_CACHE      words of them that stay in the first cache while all of a pass
 *     count(form, strips, a, b, strip, words, sums)
 *                         their sums over `words` words of strips that lie `strip` apart */
#ifndef GT_KERNELS_PLANES_TILE_H
#define GT_KERNELS_PLANES_TILE_H

#include "kernels/avx512/planes.h"

GT_INLINE void tile(const enum gt_pair_product form, int64_t n_sites, const uint64_t *a, const uint64_t *b, uint32_t *sums)
{
    size_t strip = strip_size(n_sites);
    int64_t all = (n_sites + 64 * WORD_STEP - 1) / (64 * WORD_STEP) * WORD_STEP;
    for (int64_t w = 0; w < all; w += WORDS_IN_CACHE, a += WORDS_IN_CACHE * WORD, b += WORDS_IN_CACHE * WORD) {
        int64_t words = all - w < WORDS_IN_CACHE ? all - w : WORDS_IN_CACHE;
        for (int v = 0; v < STRIPS; v += STRIPS_OF(form))
            for (int i = 0; i < GT_PANEL; i += SAMPLES)
                count(form, STRIPS_OF(form), a + (size_t)(i / LANES) * strip + i % LANES, b + (size_t)v * strip, strip, words,
                      sums + i * GT_PANEL + v * LANES);
    }
}

#define TILE_CASE(form)                                                                                                                    \
    case form:                                                                                                                             \
        tile(form, n_sites, x, y, sums);                                                                                                   \
        break

/* Each form has its own loops. */
GT_INLINE void tiles(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    const uint64_t *x = (const uint64_t *)(const void *)a, *y = (const uint64_t *)(const void *)b;
    for (int64_t p = 0; p < n_b; p++, y += STRIPS * strip_size(n_sites), sums += GT_PANEL * GT_PANEL) {
        switch (form) {
            TILE_CASE(GT_PAIR_AGREE);
            TILE_CASE(GT_PAIR_DOT);
        default:
            tile(GT_PAIR_ALT, n_sites, x, y, sums);
        }
    }
}

#endif
