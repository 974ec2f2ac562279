#include "kernels/x86/calls_masks.h"
#include "kernels/x86/pack64.h"

/* n bytes, those that are not there `fill`. */
GT_INLINE __m512i some(const int8_t *p, int64_t n, int fill)
{
    return _mm512_mask_loadu_epi8(_mm512_set1_epi8((char)fill), n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1, p);
}

GT_INLINE uint64_t above(__m512i v, int than)
{
    return _mm512_cmpgt_epi8_mask(v, _mm512_set1_epi8((char)than));
}

GT_INLINE struct calls masks_of(__m512i v, struct form form)
{
    uint64_t negative = _mm512_movepi8_mask(v);
    if (!form.bcf)
        return (struct calls){negative, above(v, 0), 0};
    return (struct calls){~above(v, 1), above(v, 3), above(v, form.most) | (negative & above(v, form.none))};
}

GT_INLINE struct calls look(const int8_t *p, struct form form)
{
    return masks_of(_mm512_loadu_si512(p), form);
}
GT_INLINE struct calls look_at(const int8_t *p, int64_t n, struct form form)
{
    return masks_of(some(p, n, form.ref), form);
}
GT_INLINE uint64_t none_at(const int8_t *p, int64_t n, struct form form)
{
    return _mm512_cmpeq_epi8_mask(some(p, n, form.ref), _mm512_set1_epi8((char)form.none));
}

unsigned gt_pack_calls_avx512(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half)
{
    return pack_calls(calls, n_samples, STORE_FORM, haploid_alt, row, haploid, half);
}

unsigned gt_pack_bcf_avx512(const int8_t *gt, int64_t n_samples, int n_alleles, int haploid_alt, uint8_t *row, uint64_t *haploid,
                            uint64_t *half)
{
    return pack_calls(gt, n_samples, BCF_FORM(n_alleles), haploid_alt, row, haploid, half);
}

GT_INLINE struct numbers numbers_of(__m512i v)
{
    __m512i code = _mm512_min_epu8(v, _mm512_set1_epi8(3));
    return (struct numbers){_mm512_test_epi8_mask(code, _mm512_set1_epi8(1)), _mm512_test_epi8_mask(code, _mm512_set1_epi8(2)),
                            _mm512_cmpgt_epi8_mask(v, _mm512_set1_epi8(2))};
}

GT_INLINE struct numbers number(const int8_t *p)
{
    return numbers_of(_mm512_loadu_si512(p));
}
GT_INLINE struct numbers number_at(const int8_t *p, int64_t n)
{
    return numbers_of(some(p, n, 0));
}

int gt_pack_allele_avx512(const int8_t *calls, int which, int64_t n_samples, uint8_t *row)
{
    return pack_allele(calls, which, n_samples, row);
}

/* 64 codes of samples s.. of n_samples. */
GT_INLINE void put64(uint8_t *row, int64_t s, int64_t n_samples, __m512i codes)
{
    if (n_samples - s >= 64)
        _mm_storeu_si128((__m128i *)(row + s / 4), pack64(codes));
    else
        _mm_mask_storeu_epi8(row + s / 4, (__mmask16)((1u << (n_samples - s + 3) / 4) - 1), pack64(codes));
}

int gt_pack_i8_avx512(const int8_t *values, int64_t n_samples, uint8_t *row)
{
    __mmask64 over = 0;
    for (int64_t s = 0; s < n_samples; s += 64) {
        __m512i v = some(values + s, n_samples - s, 0);
        over |= _mm512_cmpgt_epi8_mask(v, _mm512_set1_epi8(2));
        put64(row, s, n_samples, _mm512_min_epu8(v, _mm512_set1_epi8(3)));
    }
    return over != 0;
}

void gt_pack_haploid_avx512(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called)
{
    const __m512i alt = _mm512_set1_epi8((char)haploid_alt), three = _mm512_set1_epi8(3), zero = _mm512_setzero_si512();
    for (int64_t s = 0; s < n_samples; s += 64) {
        __m512i v = some(calls + s, n_samples - s, 0);
        __mmask64 missing = _mm512_movepi8_mask(v);
        called[s / 64] = ~missing & (n_samples - s >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (n_samples - s)) - 1);
        put64(row, s, n_samples, _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(_mm512_cmpgt_epi8_mask(v, zero), alt), missing, three));
    }
}
