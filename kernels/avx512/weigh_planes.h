/* Weighted pairs over bit planes (planes.h): a byte of a word is the GT_WEIGHT_SITES sites of
 * one weight.  The including file gives
 *     WORDS_AT_A_TIME                whose sums fit, and stay in the first cache
 *     struct sum                     of 8 pairs
 *     add_word(sum, x, y, weights)   the words of one sample and of a strip
 *     total(sum)                     as quadwords */
#ifndef GT_KERNELS_WEIGH_PLANES_H
#define GT_KERNELS_WEIGH_PLANES_H

#include "kernels/avx512/planes.h"

/* Samples of a against strips of b, whose sums stay in registers. */
enum { SAMPLES = 4, AT_ONCE = 2 };

/* Sums of 8 pairs, shifted, onto theirs. */
GT_INLINE void add_shifted(int64_t *sums, vec counts, __m128i shift)
{
    _mm512_storeu_si512(sums, _mm512_add_epi64(_mm512_loadu_si512(sums), _mm512_sll_epi64(counts, shift)));
}

GT_INLINE void weigh_words(const uint64_t *a, const uint64_t *b, size_t strip, const uint8_t *weights, int64_t words, __m128i shift,
                           int64_t *sums)
{
    struct sum sum[SAMPLES][AT_ONCE];
    memset(sum, 0, sizeof sum);
    for (; words > 0; words--, a += WORD, b += WORD, weights += LANES) {
        struct word y[AT_ONCE];
        int64_t eight;
        memcpy(&eight, weights, sizeof eight);
        GT_UNROLL
        for (int v = 0; v < AT_ONCE; v++)
            y[v] = load_strip(b + (size_t)v * strip);
        GT_UNROLL
        for (int i = 0; i < SAMPLES; i++) {
            struct word x = load_sample(a + i);
            GT_UNROLL
            for (int v = 0; v < AT_ONCE; v++)
                add_word(&sum[i][v], x, y[v], _mm512_set1_epi64(eight));
        }
    }
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int v = 0; v < AT_ONCE; v++)
            add_shifted(sums + i * GT_PANEL + v * LANES, total(&sum[i][v]), shift);
    }
}

GT_INLINE void weigh_panel(int64_t n_sites, const uint8_t *weights, int shift, const uint64_t *a, const uint64_t *b, int64_t *sums)
{
    const __m128i by = _mm_cvtsi32_si128(shift);
    const size_t strip = strip_size(n_sites);
    for (int64_t w = 0; w < n_sites / 64; w += WORDS_AT_A_TIME) {
        int64_t words = n_sites / 64 - w < WORDS_AT_A_TIME ? n_sites / 64 - w : WORDS_AT_A_TIME;
        for (int v = 0; v < STRIPS; v += AT_ONCE)
            for (int i = 0; i < GT_PANEL; i += SAMPLES)
                weigh_words(a + (size_t)(i / LANES) * strip + w * WORD + i % LANES, b + (size_t)v * strip + w * WORD, strip,
                            weights + w * LANES, words, by, sums + i * GT_PANEL + v * LANES);
    }
}

GT_INLINE void weigh_panels(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b,
                            int64_t *sums)
{
    const uint64_t *x = (const uint64_t *)(const void *)a, *y = (const uint64_t *)(const void *)b;
    for (int64_t p = 0; p < n_b; p++, y += STRIPS * strip_size(n_sites), sums += GT_PANEL * GT_PANEL)
        weigh_panel(n_sites, weights, shift, x, y, sums);
}

#endif
