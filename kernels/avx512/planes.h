/* Panels as bit planes, for the AVX-512 levels.  A panel is four strips of 8 samples; a strip has, for each word of 64 sites, two
 * vectors with a quadword per sample:
 *     h   1 = the lower bit of the code is 0: codes 0 and 2
 *     q   1 = the upper bit is 1: codes 2 and 3
 * A heterozygote, and padding, thus has neither; missing has q alone.  A word of one sample is broadcast and combined with the
 * words of 8 others in one vector. */
#ifndef GT_KERNELS_PLANES_H
#define GT_KERNELS_PLANES_H

#include <string.h>

#include "kernels/avx512/turn512.h"
#include "kernels/impl.h"

enum { LANES = 8, STRIPS = GT_PANEL / LANES, WORD = 2 * LANES /* uint64_t of a strip and word */ };
/* Words come in eights, for the adder trees of pair_avx512.c. */
enum { WORDS_AT_ONCE = 8 };

static inline int64_t plane_words(int64_t n_sites)
{
    return (n_sites + 64 * WORDS_AT_ONCE - 1) / (64 * WORDS_AT_ONCE) * WORDS_AT_ONCE;
}

/* uint64_t from strip to strip. */
static inline size_t strip_size(int64_t n_sites)
{
    return (size_t)plane_words(n_sites) * WORD;
}

/* Columns of bits, two a sample -> word w of the strips. */
GT_INLINE void put_words(const uint64_t columns[512], int64_t samples, size_t strip, uint64_t *out)
{
    const vec low = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), high = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    for (int64_t s = 0; s < samples; s += LANES, columns += 2 * LANES, out += strip) {
        vec x = _mm512_loadu_si512(columns), y = _mm512_loadu_si512(columns + LANES), l = _mm512_permutex2var_epi64(x, low, y);
        _mm512_store_si512(out, _mm512_xor_si512(l, _mm512_set1_epi64(-1)));
        _mm512_store_si512(out + LANES, _mm512_permutex2var_epi64(x, high, y));
    }
}

/* Which bits of 64 bytes of a row are those of samples from n_samples on. */
static inline vec absent_bits(int64_t n_samples)
{
    uint8_t mask[64] = {0};
    if (n_samples < 256) {
        mask[n_samples / 4] = (uint8_t)(0xff << n_samples % 4 * 2);
        memset(mask + n_samples / 4 + 1, 0xff, (size_t)(63 - n_samples / 4));
    }
    return _mm512_loadu_si512(mask);
}

/* Word w of the strips of up to 256 samples; those that are not there are heterozygous. */
static void encode_word(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t strip, uint64_t *out)
{
    const vec absent = absent_bits(n_samples), het = _mm512_set1_epi8(0x55);
    _Alignas(64) uint64_t columns[512];
    uint8_t het_row[64];
    const uint8_t *at[64];
    _mm512_storeu_si512(het_row, het);
    for (int r = 0; r < 64; r++)
        at[r] = r < n_rows ? rows + (size_t)r * stride : het_row;
    turn_rows(at, (n_samples + 3) / 4, absent, _mm512_and_si512(absent, het), columns);
    put_words(columns, (n_samples + GT_PANEL - 1) / GT_PANEL * GT_PANEL, strip, out);
}

/* Words after the last site: nothing in them. */
static void clear_words(int64_t words, int64_t samples, size_t strip, uint64_t *out)
{
    for (int64_t s = 0; s < samples; s += LANES, out += strip)
        memset(out, 0, (size_t)words * WORD * sizeof *out);
}

static inline void encode_planes(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    enum { WIDTH = 256 };
    size_t strip = strip_size(n_sites);
    for (int64_t s = 0; s < n_samples; s += WIDTH) {
        uint64_t *to = (uint64_t *)(void *)out + (size_t)(s / LANES) * strip;
        int64_t samples = n_samples - s < WIDTH ? n_samples - s : WIDTH, w = 0;
        for (; w * 64 < n_sites; w++)
            encode_word(rows + (size_t)w * 64 * stride + s / 4, stride, n_sites - w * 64 < 64 ? n_sites - w * 64 : 64, samples, strip,
                        to + w * WORD);
        clear_words(plane_words(n_sites) - w, (samples + GT_PANEL - 1) / GT_PANEL * GT_PANEL, strip, to + w * WORD);
    }
}

/* --- what the words of two samples give ------------------------------------- */

struct word {
    vec h, q;
};

/* The sites that add one; of DOT, those at which both are homozygous. */
GT_INLINE vec plus_sites(const enum gt_pair_product form, struct word a, struct word b)
{
    vec homs = _mm512_and_si512(a.h, b.h);
    if (form == GT_PAIR_AGREE)
        return _mm512_ternarylogic_epi64(homs, a.q, b.q, 0x90); /* homs & ~(a.q ^ b.q) */
    return form == GT_PAIR_ALT ? _mm512_ternarylogic_epi64(homs, a.q, b.q, 0x80) : homs;
}

/* Of DOT: those of plus_sites that take one off, and so count minus two. */
GT_INLINE vec minus_sites(vec homs, struct word a, struct word b)
{
    return _mm512_ternarylogic_epi64(homs, a.q, b.q, 0x60); /* homs & (a.q ^ b.q) */
}

GT_INLINE struct word load_strip(const uint64_t *p)
{
    return (struct word){_mm512_load_si512(p), _mm512_load_si512(p + LANES)};
}

GT_INLINE struct word load_sample(const uint64_t *p)
{
    return (struct word){_mm512_set1_epi64((long long)p[0]), _mm512_set1_epi64((long long)p[LANES])};
}

/* Counts of 8 pairs onto their sums. */
GT_INLINE void add_counts(uint32_t *sums, vec counts)
{
    __m256i *to = (__m256i *)sums;
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm512_cvtepi64_epi32(counts)));
}

#endif
