/* Weighted pairs over the panels of pair_avx2.c, two sites to a code; and tables by site. */
#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/pair_table.h"
#include "kernels/unroll.h"

typedef __m256i vec;

/* Codes of a weight, and sites of a time: their products fit 16 bits. */
enum { CODES = GT_WEIGHT_SITES / 2, STEP = 128 };
_Static_assert(STEP * 2 * 127 <= INT16_MAX, "sums overflow");

static const _Alignas(16) uint8_t table[16][16] = PAIR_TABLE(PAIR_DOT);

/* Of the sites of one weight. */
GT_INLINE vec look_up_codes(const uint8_t *a, const uint8_t *b)
{
    vec sum = _mm256_setzero_si256();
    GT_UNROLL
    for (int k = 0; k < CODES; k++) {
        vec row = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)table[a[k * GT_PANEL]]));
        sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(row, _mm256_load_si256((const vec *)(b + k * GT_PANEL))));
    }
    return sum;
}

/* STEP sites, or fewer, of one sample against a panel: sums[j]. */
GT_INLINE void add_step(int64_t weights, const uint8_t *weight, const uint8_t *a, const uint8_t *b, uint32_t sums[GT_PANEL])
{
    vec lo = _mm256_setzero_si256(), hi = lo;
    for (int64_t w = 0; w < weights; w += 2, a += 2 * CODES * GT_PANEL, b += 2 * CODES * GT_PANEL) {
        vec x = look_up_codes(a, b), y = look_up_codes(a + CODES * GT_PANEL, b + CODES * GT_PANEL);
        vec by = _mm256_set1_epi16((short)(weight[w] | weight[w + 1] << 8));
        lo = _mm256_add_epi16(lo, _mm256_maddubs_epi16(_mm256_unpacklo_epi8(x, y), by));
        hi = _mm256_add_epi16(hi, _mm256_maddubs_epi16(_mm256_unpackhi_epi8(x, y), by));
    }
    const __m128i words[4] = {_mm256_castsi256_si128(lo), _mm256_castsi256_si128(hi), _mm256_extracti128_si256(lo, 1),
                              _mm256_extracti128_si256(hi, 1)};
    GT_UNROLL
    for (int v = 0; v < 4; v++) {
        vec *to = (vec *)(sums + 8 * v);
        _mm256_store_si256(to, _mm256_add_epi32(_mm256_load_si256(to), _mm256_cvtepu16_epi32(words[v])));
    }
}

static void weigh_sample(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t more,
                         int64_t sums[GT_PANEL])
{
    enum { WEIGHTS = STEP / GT_WEIGHT_SITES, BYTES = STEP / 2 * GT_PANEL };
    _Alignas(32) uint32_t sum[GT_PANEL] = {0};
    for (int64_t w = 0; w < n_sites / GT_WEIGHT_SITES; w += WEIGHTS, a += BYTES, b += BYTES)
        add_step(n_sites / GT_WEIGHT_SITES - w < WEIGHTS ? n_sites / GT_WEIGHT_SITES - w : WEIGHTS, weights + w, a, b, sum);
    for (int j = 0; j < GT_PANEL; j++)
        sums[j] = (int64_t)((uint64_t)sums[j] + ((uint64_t)(sum[j] - more) << shift));
}

void gt_weigh_tile_avx2(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b, int64_t *sums)
{
    int64_t more = 0; /* that all entries together have too much */
    for (int64_t w = 0; w < n_sites / GT_WEIGHT_SITES; w++)
        more += GT_WEIGHT_SITES * weights[w];
    for (int64_t p = 0; p < n_b; p++, b += gt_pair_bytes_avx2(n_sites))
        for (int i = 0; i < GT_PANEL; i++, sums += GT_PANEL)
            weigh_sample(n_sites, weights, shift, a + i, b, more, sums);
}

/* Four samples: the lower bit of a code chooses within pairs of entries, the upper one a pair. */
GT_INLINE vec four_entries(const __m256d low, const __m256d high, vec codes)
{
    vec lower = _mm256_slli_epi64(codes, 1);
    __m256d upper = _mm256_castsi256_pd(_mm256_slli_epi64(codes, 62));
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_permutevar_pd(low, lower), _mm256_permutevar_pd(high, lower), upper));
}

void gt_look_up_avx2(const uint64_t *codes, const int64_t (*entries)[4], const uint16_t *list, int64_t n, int64_t sums[GT_PANEL])
{
    const vec shift = _mm256_setr_epi64x(0, 2, 4, 6);
    vec *to = (vec *)sums;
    for (int64_t k = 0; k < n; k++) {
        int64_t s = list ? list[k] : k;
        const double *entry = (const double *)(const void *)entries[s];
        __m256d low = _mm256_broadcast_pd((const __m128d *)(const void *)entry),
                high = _mm256_broadcast_pd((const __m128d *)(const void *)(entry + 2));
        vec at = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)codes[s]), shift);
        GT_UNROLL
        for (int v = 0; v < GT_PANEL / 4; v++, at = _mm256_srli_epi64(at, 8))
            _mm256_storeu_si256(to + v, _mm256_add_epi64(_mm256_loadu_si256(to + v), four_entries(low, high, at)));
    }
}
