/* Bit planes, counted by VPOPCNTQ: four instructions for 512 pairs and sites, six for DOT. */
#include "kernels/avx512/planes.h"

/* Samples of a against strips of b: 16 sums, or 2 x 8 for DOT, stay in registers, with
 * the words of the strips and of one sample. */
enum { SAMPLES = 4 };

/* As an instruction of its own the sum stays in its register. */
#define ADD(sum, more) __asm__("vpaddq %1, %0, %0" : "+v"(sum) : "v"(more))

struct totals {
    vec plus[SAMPLES][STRIPS], minus[SAMPLES][STRIPS];
};

GT_INLINE void add_word(const enum gt_pair_product form, const int strips, const uint64_t *a, const uint64_t *b, size_t strip,
                        struct totals *sum)
{
    struct word y[STRIPS];
    GT_UNROLL
    for (int v = 0; v < strips; v++)
        y[v] = load_strip(b + (size_t)v * strip);
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        struct word x = load_sample(a + i);
        GT_UNROLL
        for (int v = 0; v < strips; v++) {
            vec plus = plus_sites(form, x, y[v]);
            if (form == GT_PAIR_DOT)
                ADD(sum->minus[i][v], _mm512_popcnt_epi64(minus_sites(plus, x, y[v])));
            ADD(sum->plus[i][v], _mm512_popcnt_epi64(plus));
        }
    }
}

GT_INLINE void count(const enum gt_pair_product form, const int strips, const uint64_t *a, const uint64_t *b, size_t strip, int64_t words,
                     uint32_t *sums)
{
    struct totals sum;
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int v = 0; v < strips; v++)
            sum.plus[i][v] = sum.minus[i][v] = _mm512_setzero_si512();
    }
    for (; words > 0; words--, a += WORD, b += WORD)
        add_word(form, strips, a, b, strip, &sum);
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int v = 0; v < strips; v++) {
            vec twice = _mm512_add_epi64(sum.minus[i][v], sum.minus[i][v]);
            add_counts(sums + i * GT_PANEL + v * LANES, form == GT_PAIR_DOT ? _mm512_sub_epi64(sum.plus[i][v], twice) : sum.plus[i][v]);
        }
    }
}

enum { WORD_STEP = 1, WORDS_IN_CACHE = 32 };
#define STRIPS_OF(form) ((form) == GT_PAIR_DOT ? STRIPS / 2 : STRIPS)

#include "kernels/avx512/planes_tile.h"

void gt_pair_tile_avx512vbmi(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    tiles(form, n_sites, a, b, n_b, sums);
}
