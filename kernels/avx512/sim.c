/* Sampling with AVX-512.
 *
 * Philox on eight counters a register: each 64-bit lane holds a 32-bit word in its
 * low half.  vpmuludq reads low halves only, so what stands in the high halves
 * never matters, and a product's two halves come out as "itself" and "shifted
 * right by 32": six instructions a round.  Register `a` carries the even groups and
 * `b` the odd ones, so that a | b << 32 has sixteen groups in order. */
#include <immintrin.h>

#include "kernels/sim.h"

struct state {
    __m512i x0, x1, x2, x3;
};

static inline __attribute__((always_inline)) struct state round512(struct state s, __m512i k0, __m512i k1)
{
    __m512i p0 = _mm512_mul_epu32(s.x0, _mm512_set1_epi64(GT_PHILOX_M0));
    __m512i p1 = _mm512_mul_epu32(s.x2, _mm512_set1_epi64(GT_PHILOX_M1));
    return (struct state){
        _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), s.x1, k0, 0x96),
        p1,
        _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), s.x3, k1, 0x96),
        p0,
    };
}

/* Words of sixteen groups from `group` on: w[i] lane g = word i of group + g. */
static inline __attribute__((always_inline)) void philox16(const uint32_t key[2], const uint32_t counter[3], uint32_t group, __m512i w[4])
{
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    __m512i at = _mm512_add_epi64(_mm512_set1_epi64(group), even);
    struct state a = {at, _mm512_set1_epi64(counter[0]), _mm512_set1_epi64(counter[1]), _mm512_set1_epi64(counter[2])};
    struct state b = a;
    uint32_t k0 = key[0], k1 = key[1];

    b.x0 = _mm512_add_epi64(at, _mm512_set1_epi64(1));
#pragma GCC unroll 10
    for (int i = 0; i < GT_PHILOX_ROUNDS; i++) {
        __m512i v0 = _mm512_set1_epi64(k0), v1 = _mm512_set1_epi64(k1);
        a = round512(a, v0, v1);
        b = round512(b, v0, v1);
        k0 += GT_PHILOX_W0;
        k1 += GT_PHILOX_W1;
    }
    w[0] = _mm512_mask_blend_epi32(0xAAAA, a.x0, _mm512_slli_epi64(b.x0, 32));
    w[1] = _mm512_mask_blend_epi32(0xAAAA, a.x1, _mm512_slli_epi64(b.x1, 32));
    w[2] = _mm512_mask_blend_epi32(0xAAAA, a.x2, _mm512_slli_epi64(b.x2, 32));
    w[3] = _mm512_mask_blend_epi32(0xAAAA, a.x3, _mm512_slli_epi64(b.x3, 32));
}

void gt_sim_words_avx512(const uint32_t key[2], const uint32_t counter[3], uint32_t group, int64_t n_groups, uint32_t *out)
{
    int64_t g = 0;

    for (; g + 16 <= n_groups; g += 16) {
        __m512i w[4];
        philox16(key, counter, group + (uint32_t)g, w);
        __m512i t0 = _mm512_unpacklo_epi32(w[0], w[1]), t1 = _mm512_unpackhi_epi32(w[0], w[1]);
        __m512i t2 = _mm512_unpacklo_epi32(w[2], w[3]), t3 = _mm512_unpackhi_epi32(w[2], w[3]);
        /* r[i]: groups i, 4 + i, 8 + i, 12 + i, one in each 128-bit lane */
        __m512i r0 = _mm512_unpacklo_epi64(t0, t2), r1 = _mm512_unpackhi_epi64(t0, t2);
        __m512i r2 = _mm512_unpacklo_epi64(t1, t3), r3 = _mm512_unpackhi_epi64(t1, t3);
        __m512i a = _mm512_shuffle_i32x4(r0, r1, 0x44), b = _mm512_shuffle_i32x4(r2, r3, 0x44);
        __m512i c = _mm512_shuffle_i32x4(r0, r1, 0xEE), d = _mm512_shuffle_i32x4(r2, r3, 0xEE);
        _mm512_storeu_si512(out + 4 * g, _mm512_shuffle_i32x4(a, b, 0x88));
        _mm512_storeu_si512(out + 4 * g + 16, _mm512_shuffle_i32x4(a, b, 0xDD));
        _mm512_storeu_si512(out + 4 * g + 32, _mm512_shuffle_i32x4(c, d, 0x88));
        _mm512_storeu_si512(out + 4 * g + 48, _mm512_shuffle_i32x4(c, d, 0xDD));
    }
    gt_sim_words_ref(key, counter, group + (uint32_t)g, n_groups - g, out + 4 * g);
}

/* One code per 32-bit lane: how many of the thresholds the word is above. */
static inline __attribute__((always_inline)) __m512i codes(__m512i word, const __m512i above[3])
{
    const __m512i one = _mm512_set1_epi32(1);
    __m512i sum = _mm512_maskz_mov_epi32(_mm512_cmpgt_epu32_mask(word, above[0]), one);
    sum = _mm512_mask_add_epi32(sum, _mm512_cmpgt_epu32_mask(word, above[1]), sum, one);
    return _mm512_mask_add_epi32(sum, _mm512_cmpgt_epu32_mask(word, above[2]), sum, one);
}

static inline __attribute__((always_inline)) __m128i codes16(const uint32_t key[2], const uint32_t counter[3], uint32_t group,
                                                             const __m512i above[3])
{
    __m512i w[4];
    philox16(key, counter, group, w);
    __m512i low = _mm512_or_si512(codes(w[0], above), _mm512_slli_epi32(codes(w[1], above), 2));
    __m512i high = _mm512_or_si512(codes(w[2], above), _mm512_slli_epi32(codes(w[3], above), 2));
    return _mm512_cvtepi32_epi8(_mm512_or_si512(low, _mm512_slli_epi32(high, 4)));
}

void gt_sim_codes_avx512(const uint32_t key[2], const uint32_t counter[3], int64_t first, int64_t n, const uint32_t above[3], uint8_t *row)
{
    const __m512i v[3] = {_mm512_set1_epi32((int)above[0]), _mm512_set1_epi32((int)above[1]), _mm512_set1_epi32((int)above[2])};
    int64_t end = first + n, lead = (4 - first % 4) % 4;

    if (lead > n)
        lead = n;
    gt_sim_codes_ref(key, counter, first, lead, above, row);
    int64_t group = (first + lead) / 4, end_group = end / 4;
    if (lead == n)
        return;
    for (; group + 16 <= end_group; group += 16)
        _mm_storeu_si128((__m128i *)(row + group), codes16(key, counter, (uint32_t)group, v));
    if (group < end_group) {
        __mmask16 some = (__mmask16)((1u << (end_group - group)) - 1);
        _mm_mask_storeu_epi8(row + group, some, codes16(key, counter, (uint32_t)group, v));
    }
    gt_sim_codes_ref(key, counter, end_group * 4, end - end_group * 4, above, row);
}
