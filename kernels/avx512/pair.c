/* Bit planes, counted by trees of carry-save adders, for cpus without VPOPCNTQ: a
 * full adder is two instructions and takes a word off those that are left to count,
 * so that only every eighth word is counted by table lookup. */
#include "kernels/avx512/planes.h"

GT_INLINE vec majority(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0xe8);
}
GT_INLINE vec parity(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/* Set bits in each quadword: those of the nibbles from a table, added up. */
GT_INLINE vec ones_in(vec x)
{
    const vec table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)), low = _mm512_set1_epi8(15);
    vec a = _mm512_shuffle_epi8(table, _mm512_and_si512(x, low));
    vec b = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(x, 4), low));
    return _mm512_sad_epu8(_mm512_add_epi8(a, b), _mm512_setzero_si512());
}

/* Words of weight 1, 2 and 4 that are not counted yet, and how many eights were. */
struct tree {
    vec ones, twos, fours, eights;
};

/* *kept + a + b: its bits of double weight are returned, the others kept. */
GT_INLINE vec carry(vec *kept, vec a, vec b)
{
    vec out = majority(*kept, a, b);
    *kept = parity(*kept, a, b);
    return out;
}

GT_INLINE void add_eight(struct tree *t, const vec w[WORDS_AT_ONCE])
{
    vec two = carry(&t->ones, w[0], w[1]), four = carry(&t->twos, two, carry(&t->ones, w[2], w[3]));
    two = carry(&t->ones, w[4], w[5]);
    vec other = carry(&t->twos, two, carry(&t->ones, w[6], w[7]));
    t->eights = _mm512_add_epi64(t->eights, ones_in(carry(&t->fours, four, other)));
}

GT_INLINE vec count_tree(const struct tree *t)
{
    vec odd = _mm512_add_epi64(ones_in(t->ones), _mm512_slli_epi64(ones_in(t->twos), 1));
    return _mm512_add_epi64(odd, _mm512_add_epi64(_mm512_slli_epi64(ones_in(t->fours), 2), _mm512_slli_epi64(t->eights, 3)));
}

/* One sample of a against a strip of b. */
GT_INLINE void count(const enum gt_pair_product form, int strips, const uint64_t *a, const uint64_t *b, size_t strip, int64_t words,
                     uint32_t *sums)
{
    struct tree plus = {0}, minus = {0};
    (void)strips;
    (void)strip;
    for (; words > 0; words -= WORDS_AT_ONCE) {
        vec p[WORDS_AT_ONCE], m[WORDS_AT_ONCE];
        GT_UNROLL
        for (int w = 0; w < WORDS_AT_ONCE; w++, a += WORD, b += WORD) {
            struct word x = load_sample(a), y = load_strip(b);
            p[w] = plus_sites(form, x, y);
            m[w] = minus_sites(p[w], x, y);
        }
        add_eight(&plus, p);
        if (form == GT_PAIR_DOT)
            add_eight(&minus, m);
    }
    vec counts = count_tree(&plus);
    if (form == GT_PAIR_DOT)
        counts = _mm512_sub_epi64(counts, _mm512_slli_epi64(count_tree(&minus), 1));
    add_counts(sums, counts);
}

enum { SAMPLES = 1, WORD_STEP = WORDS_AT_ONCE, WORDS_IN_CACHE = 64 };
#define STRIPS_OF(form) 1

#include "kernels/avx512/planes_tile.h"

int64_t gt_pair_bytes_avx512(int64_t n_sites)
{
    return (int64_t)(STRIPS * strip_size(n_sites) * sizeof(uint64_t));
}

void gt_pair_encode_avx512(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    encode_planes(rows, stride, n_sites, n_samples, out);
}

void gt_pair_tile_avx512(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    tiles(form, n_sites, a, b, n_b, sums);
}
