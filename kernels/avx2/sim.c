/* Sampling with AVX2: as sim_avx512.c, four counters a register and eight groups a
 * step. */
#include <immintrin.h>
#include <string.h>

#include "kernels/sim.h"

struct state {
    __m256i x0, x1, x2, x3;
};

static inline __attribute__((always_inline)) struct state round256(struct state s, __m256i k0, __m256i k1)
{
    __m256i p0 = _mm256_mul_epu32(s.x0, _mm256_set1_epi64x(GT_PHILOX_M0));
    __m256i p1 = _mm256_mul_epu32(s.x2, _mm256_set1_epi64x(GT_PHILOX_M1));
    return (struct state){
        _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(s.x1, k0)),
        p1,
        _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(s.x3, k1)),
        p0,
    };
}

/* Words of eight groups from `group` on: w[i] lane g = word i of group + g. */
static inline __attribute__((always_inline)) void philox8(const uint32_t key[2], const uint32_t counter[3], uint32_t group, __m256i w[4])
{
    __m256i at = _mm256_add_epi64(_mm256_set1_epi64x(group), _mm256_set_epi64x(6, 4, 2, 0));
    struct state a = {at, _mm256_set1_epi64x(counter[0]), _mm256_set1_epi64x(counter[1]), _mm256_set1_epi64x(counter[2])};
    struct state b = a;
    uint32_t k0 = key[0], k1 = key[1];

    b.x0 = _mm256_add_epi64(at, _mm256_set1_epi64x(1));
#pragma GCC unroll 10
    for (int i = 0; i < GT_PHILOX_ROUNDS; i++) {
        __m256i v0 = _mm256_set1_epi64x(k0), v1 = _mm256_set1_epi64x(k1);
        a = round256(a, v0, v1);
        b = round256(b, v0, v1);
        k0 += GT_PHILOX_W0;
        k1 += GT_PHILOX_W1;
    }
    w[0] = _mm256_blend_epi32(a.x0, _mm256_slli_epi64(b.x0, 32), 0xAA);
    w[1] = _mm256_blend_epi32(a.x1, _mm256_slli_epi64(b.x1, 32), 0xAA);
    w[2] = _mm256_blend_epi32(a.x2, _mm256_slli_epi64(b.x2, 32), 0xAA);
    w[3] = _mm256_blend_epi32(a.x3, _mm256_slli_epi64(b.x3, 32), 0xAA);
}

void gt_sim_words_avx2(const uint32_t key[2], const uint32_t counter[3], uint32_t group, int64_t n_groups, uint32_t *out)
{
    int64_t g = 0;

    for (; g + 8 <= n_groups; g += 8) {
        __m256i w[4];
        philox8(key, counter, group + (uint32_t)g, w);
        __m256i t0 = _mm256_unpacklo_epi32(w[0], w[1]), t1 = _mm256_unpackhi_epi32(w[0], w[1]);
        __m256i t2 = _mm256_unpacklo_epi32(w[2], w[3]), t3 = _mm256_unpackhi_epi32(w[2], w[3]);
        /* r[i]: group i in the low half, 4 + i in the high one */
        __m256i r0 = _mm256_unpacklo_epi64(t0, t2), r1 = _mm256_unpackhi_epi64(t0, t2);
        __m256i r2 = _mm256_unpacklo_epi64(t1, t3), r3 = _mm256_unpackhi_epi64(t1, t3);
        __m256i *to = (__m256i *)(out + 4 * g);
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(r0, r1, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(r2, r3, 0x20));
        _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(r0, r1, 0x31));
        _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(r2, r3, 0x31));
    }
    gt_sim_words_ref(key, counter, group + (uint32_t)g, n_groups - g, out + 4 * g);
}

/* Minus the code per 32-bit lane; word and thresholds have their top bit flipped,
 * since AVX2 only compares signed numbers. */
static inline __attribute__((always_inline)) __m256i minus_codes(__m256i word, const __m256i above[3])
{
    word = _mm256_xor_si256(word, _mm256_set1_epi32(INT32_MIN));
    __m256i sum = _mm256_add_epi32(_mm256_cmpgt_epi32(word, above[0]), _mm256_cmpgt_epi32(word, above[1]));
    return _mm256_add_epi32(sum, _mm256_cmpgt_epi32(word, above[2]));
}

static inline __attribute__((always_inline)) uint64_t codes8(const uint32_t key[2], const uint32_t counter[3], uint32_t group,
                                                             const __m256i above[3])
{
    const __m256i pick = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1);
    __m256i w[4];
    philox8(key, counter, group, w);
    /* minus signs add up as the codes do: -(c0 + 4 c1 + 16 c2 + 64 c3) */
    __m256i low = _mm256_add_epi32(minus_codes(w[0], above), _mm256_slli_epi32(minus_codes(w[1], above), 2));
    __m256i high = _mm256_add_epi32(minus_codes(w[2], above), _mm256_slli_epi32(minus_codes(w[3], above), 2));
    __m256i bytes = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_add_epi32(low, _mm256_slli_epi32(high, 4)));
    bytes = _mm256_shuffle_epi8(bytes, pick);
    uint32_t lo = (uint32_t)_mm256_extract_epi32(bytes, 0), hi = (uint32_t)_mm256_extract_epi32(bytes, 4);
    return lo | (uint64_t)hi << 32;
}

void gt_sim_codes_avx2(const uint32_t key[2], const uint32_t counter[3], int64_t first, int64_t n, const uint32_t above[3], uint8_t *row)
{
    const uint32_t flip = 0x80000000u;
    const __m256i v[3] = {_mm256_set1_epi32((int)(above[0] ^ flip)), _mm256_set1_epi32((int)(above[1] ^ flip)),
                          _mm256_set1_epi32((int)(above[2] ^ flip))};
    int64_t end = first + n, lead = (4 - first % 4) % 4;

    if (lead > n)
        lead = n;
    gt_sim_codes_ref(key, counter, first, lead, above, row);
    int64_t group = (first + lead) / 4, end_group = end / 4;
    if (lead == n)
        return;
    for (; group + 8 <= end_group; group += 8) {
        uint64_t bytes = codes8(key, counter, (uint32_t)group, v);
        memcpy(row + group, &bytes, 8);
    }
    if (group < end_group) {
        uint64_t bytes = codes8(key, counter, (uint32_t)group, v);
        memcpy(row + group, &bytes, (size_t)(end_group - group));
    }
    gt_sim_codes_ref(key, counter, end_group * 4, end - end_group * 4, above, row);
}
