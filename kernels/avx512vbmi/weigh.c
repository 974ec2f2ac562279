/* The sites of a byte are counted by VPOPCNTB, VPDPBUSD multiplies the counts by weights: six
 * instructions for 512 pairs and sites. */
#include "kernels/avx512/planes.h"

enum { WORDS_AT_A_TIME = 32 };

/* Both homozygous; those among them that take one off, and so count minus two. */
struct sum {
    vec homs, minus;
};

/* As an instruction of its own the sum stays in its register. */
#define ADD_PRODUCTS(sum, counts, weights) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(counts), "v"(weights))

GT_INLINE void add_word(struct sum *sum, struct word x, struct word y, vec weights)
{
    vec homs = plus_sites(GT_PAIR_DOT, x, y);
    ADD_PRODUCTS(sum->minus, _mm512_popcnt_epi8(minus_sites(homs, x, y)), weights);
    ADD_PRODUCTS(sum->homs, _mm512_popcnt_epi8(homs), weights);
}

/* The two halves of each quadword together. */
GT_INLINE vec halves(vec x)
{
    return _mm512_add_epi64(_mm512_srli_epi64(x, 32), _mm512_and_si512(x, _mm512_set1_epi64(UINT32_MAX)));
}

GT_INLINE vec total(const struct sum *sum)
{
    return _mm512_sub_epi64(halves(sum->homs), _mm512_slli_epi64(halves(sum->minus), 1));
}

#include "kernels/avx512/weigh_planes.h"

void gt_weigh_tile_avx512vbmi(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b,
                              int64_t *sums)
{
    weigh_panels(n_sites, weights, shift, a, b, n_b, sums);
}
