#include "kernels/x86/calls_masks.h"

struct pair {
    __m256i lo, hi;
};

GT_INLINE struct pair all(const int8_t *p)
{
    return (struct pair){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))};
}

/* n bytes, those that are not there `fill`. */
GT_INLINE struct pair some(const int8_t *p, int64_t n, int fill)
{
    int8_t copy[64];
    memset(copy, fill, sizeof copy);
    memcpy(copy, p, (size_t)(n < 64 ? n : 64));
    return all(copy);
}

GT_INLINE uint64_t bits(__m256i lo, __m256i hi)
{
    return (uint32_t)_mm256_movemask_epi8(lo) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

GT_INLINE uint64_t above(struct pair v, int than)
{
    __m256i x = _mm256_set1_epi8((char)than);
    return bits(_mm256_cmpgt_epi8(v.lo, x), _mm256_cmpgt_epi8(v.hi, x));
}

GT_INLINE struct calls masks_of(struct pair v, struct form form)
{
    uint64_t negative = bits(v.lo, v.hi);
    if (!form.bcf)
        return (struct calls){negative, above(v, 0), 0};
    return (struct calls){~above(v, 1), above(v, 3), above(v, form.most) | (negative & above(v, form.none))};
}

GT_INLINE struct calls look(const int8_t *p, struct form form)
{
    return masks_of(all(p), form);
}
GT_INLINE struct calls look_at(const int8_t *p, int64_t n, struct form form)
{
    return masks_of(some(p, n, form.ref), form);
}
GT_INLINE uint64_t none_at(const int8_t *p, int64_t n, struct form form)
{
    struct pair v = some(p, n, form.ref);
    __m256i none = _mm256_set1_epi8((char)form.none);
    return bits(_mm256_cmpeq_epi8(v.lo, none), _mm256_cmpeq_epi8(v.hi, none));
}

unsigned gt_pack_calls_avx2(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half)
{
    return pack_calls(calls, n_samples, STORE_FORM, haploid_alt, row, haploid, half);
}

unsigned gt_pack_bcf_avx2(const int8_t *gt, int64_t n_samples, int n_alleles, int haploid_alt, uint8_t *row, uint64_t *haploid,
                          uint64_t *half)
{
    return pack_calls(gt, n_samples, BCF_FORM(n_alleles), haploid_alt, row, haploid, half);
}

/* A code's bits are shifted to where movemask takes them from. */
GT_INLINE struct numbers numbers_of(struct pair v)
{
    const __m256i three = _mm256_set1_epi8(3);
    __m256i lo = _mm256_min_epu8(v.lo, three), hi = _mm256_min_epu8(v.hi, three);
    return (struct numbers){bits(_mm256_slli_epi16(lo, 7), _mm256_slli_epi16(hi, 7)),
                            bits(_mm256_slli_epi16(lo, 6), _mm256_slli_epi16(hi, 6)), above(v, 2)};
}

GT_INLINE struct numbers number(const int8_t *p)
{
    return numbers_of(all(p));
}
GT_INLINE struct numbers number_at(const int8_t *p, int64_t n)
{
    return numbers_of(some(p, n, 0));
}

int gt_pack_allele_avx2(const int8_t *calls, int which, int64_t n_samples, uint8_t *row)
{
    return pack_allele(calls, which, n_samples, row);
}

/* --- one byte a sample ------------------------------------------------------------ */

/* 32 codes -> eight dwords of one row byte each. */
GT_INLINE __m256i quads(__m256i codes)
{
    __m256i pairs = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x0401));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00100001));
}

/* 64 codes of samples s.. of n_samples. */
GT_INLINE void put64(uint8_t *row, int64_t s, int64_t n_samples, struct pair codes)
{
    __m256i words = _mm256_packus_epi32(quads(codes.lo), quads(codes.hi));
    __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(words, words), _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
    __m128i packed = _mm256_castsi256_si128(bytes);
    if (n_samples - s >= 64)
        _mm_storeu_si128((__m128i *)(row + s / 4), packed);
    else
        memcpy(row + s / 4, &packed, (size_t)(n_samples - s + 3) / 4);
}

int gt_pack_i8_avx2(const int8_t *values, int64_t n_samples, uint8_t *row)
{
    const __m256i two = _mm256_set1_epi8(2), three = _mm256_set1_epi8(3);
    __m256i over = _mm256_setzero_si256();
    for (int64_t s = 0; s < n_samples; s += 64) {
        struct pair v = n_samples - s >= 64 ? all(values + s) : some(values + s, n_samples - s, 0);
        over = _mm256_or_si256(over, _mm256_or_si256(_mm256_cmpgt_epi8(v.lo, two), _mm256_cmpgt_epi8(v.hi, two)));
        put64(row, s, n_samples, (struct pair){_mm256_min_epu8(v.lo, three), _mm256_min_epu8(v.hi, three)});
    }
    return _mm256_movemask_epi8(over) != 0;
}

GT_INLINE __m256i haploid_code(__m256i v, __m256i alt)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i code = _mm256_and_si256(_mm256_cmpgt_epi8(v, zero), alt);
    return _mm256_or_si256(code, _mm256_and_si256(_mm256_cmpgt_epi8(zero, v), _mm256_set1_epi8(3)));
}

void gt_pack_haploid_avx2(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called)
{
    const __m256i alt = _mm256_set1_epi8((char)haploid_alt);
    for (int64_t s = 0; s < n_samples; s += 64) {
        int whole = n_samples - s >= 64;
        struct pair v = whole ? all(calls + s) : some(calls + s, n_samples - s, 0);
        called[s / 64] = ~bits(v.lo, v.hi) & (whole ? ~UINT64_C(0) : (UINT64_C(1) << (n_samples - s)) - 1);
        put64(row, s, n_samples, (struct pair){haploid_code(v.lo, alt), haploid_code(v.hi, alt)});
    }
}
