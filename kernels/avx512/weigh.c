/* For cpus without VPOPCNTB: the sites of a byte are counted by table lookup, those that take
 * one off below zero, VPMADDUBSW multiplies; and tables by site. */
#include "kernels/avx512/planes.h"

/* A word adds at most 2 * GT_WEIGHT_SITES * 127 to 16 bits. */
enum { WORDS_AT_A_TIME = 16 };
_Static_assert(WORDS_AT_A_TIME * 2 * GT_WEIGHT_SITES * 127 <= INT16_MAX, "sums overflow");

struct sum {
    vec products;
};

/* The set bits of each byte: those of its nibbles from a table. */
GT_INLINE vec bits_in(vec x)
{
    const vec table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)), low = _mm512_set1_epi8(15);
    vec a = _mm512_shuffle_epi8(table, _mm512_and_si512(x, low));
    return _mm512_add_epi8(a, _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(x, 4), low)));
}

GT_INLINE void add_word(struct sum *sum, struct word x, struct word y, vec weights)
{
    vec homs = plus_sites(GT_PAIR_DOT, x, y), agree = plus_sites(GT_PAIR_AGREE, x, y);
    vec counts = _mm512_sub_epi8(bits_in(agree), bits_in(minus_sites(homs, x, y)));
    sum->products = _mm512_add_epi16(sum->products, _mm512_maddubs_epi16(weights, counts));
}

GT_INLINE vec total(const struct sum *sum)
{
    vec four = _mm512_madd_epi16(sum->products, _mm512_set1_epi16(1));
    return _mm512_add_epi64(_mm512_srai_epi64(four, 32), _mm512_srai_epi64(_mm512_slli_epi64(four, 32), 32));
}

#include "kernels/avx512/weigh_planes.h"

void gt_weigh_tile_avx512(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b,
                          int64_t *sums)
{
    weigh_panels(n_sites, weights, shift, a, b, n_b, sums);
}

/* VPERMQ looks at three bits of an index: the table stands there twice, whatever the third is. */
void gt_look_up_avx512(const uint64_t *codes, const int64_t (*table)[4], const uint16_t *list, int64_t n, int64_t sums[GT_PANEL])
{
    enum { VECTORS = GT_PANEL / LANES };
    const vec shift = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    vec sum[VECTORS];
    for (int v = 0; v < VECTORS; v++)
        sum[v] = _mm512_loadu_si512(sums + v * LANES);
    for (int64_t k = 0; k < n; k++) {
        int64_t s = list ? list[k] : k;
        vec at = _mm512_srlv_epi64(_mm512_set1_epi64((long long)codes[s]), shift);
        vec entries = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)table[s]));
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[v] = _mm512_add_epi64(sum[v], _mm512_permutexvar_epi64(_mm512_srli_epi64(at, 16 * v), entries));
    }
    for (int v = 0; v < VECTORS; v++)
        _mm512_storeu_si512(sums + v * LANES, sum[v]);
}
