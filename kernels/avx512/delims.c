/* Marks 64 bytes at a time, numbers sixteen at a time. */
#include <immintrin.h>

#include "kernels/delims.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m512i vec;

/* All marks but '|' stand in a table at the lower four bits of theirs. */
GT_INLINE uint64_t marks_of(vec text)
{
    const vec table = _mm512_broadcast_i32x4(_mm_setr_epi8(-1, 0, 0, 0, 0, 0, 0, 0, 0, '\t', ':', 0, ',', 0, 0, '/'));
    return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table, text), text) | _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('|'));
}

/* Sixteen bytes from `at` on, those that are marks. */
GT_INLINE int32_t *put_marks(__m128i text, uint64_t is, int64_t at, int32_t *out)
{
    const vec place = _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 8);
    const vec delims = _mm512_add_epi32(_mm512_add_epi32(_mm512_cvtepu8_epi32(text), place), _mm512_set1_epi32((int)(at << 8)));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)is, delims));
    return out + _mm_popcnt_u32((unsigned)(is & 0xffff));
}

/* Where 16 lanes would reach after `found`, there is room: see GT_DELIMS_ROOM. */
int64_t gt_split_delims_avx512(const char *text, int64_t n, int32_t *delims)
{
    int32_t *out = delims;
    for (int64_t i = 0; i < n; i += 64) {
        const __mmask64 here = n - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (n - i)) - 1;
        const vec v = _mm512_maskz_loadu_epi8(here, text + i);
        const uint64_t is = marks_of(v) & here;
        out = put_marks(_mm512_castsi512_si128(v), is, i, out);
        out = put_marks(_mm512_extracti32x4_epi32(v, 1), is >> 16, i + 16, out);
        out = put_marks(_mm512_extracti32x4_epi32(v, 2), is >> 32, i + 32, out);
        out = put_marks(_mm512_extracti32x4_epi32(v, 3), is >> 48, i + 48, out);
    }
    return out - delims;
}

int64_t gt_same_delims_avx512(const int32_t *delims, int64_t n, const uint8_t *pattern, const uint8_t *other, int64_t period)
{
    if (period < 1 || period > 16)
        return gt_same_delims_ref(delims, n, pattern, other, period);
    const __mmask16 here = (__mmask16)_bzhi_u32(0xffff, (unsigned)period);
    const vec a = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(here, pattern)), b = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(here, other));
    for (int64_t r = 0; r < n; r++) {
        const vec c = _mm512_and_si512(_mm512_maskz_loadu_epi32(here, delims + r * period), _mm512_set1_epi32(0xff));
        if (_mm512_mask_cmpneq_epi32_mask(_mm512_cmpneq_epi32_mask(c, a), c, b))
            return r;
    }
    return n;
}

/* Eight numbers of n characters each, before text[at]: as two fours of digits each.  *odd: those with other bytes than digits. */
GT_INLINE vec fours(const char *text, __m256i at, __m256i n, unsigned *odd)
{
    const vec first = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(_mm512_cvtepi32_epi64(n), 3));
    const vec digits = _mm512_and_si512(_mm512_sub_epi8(_mm512_i32gather_epi64(at, text - 8, 1), _mm512_set1_epi8('0')),
                                        _mm512_sllv_epi64(_mm512_set1_epi64(-1), first));
    const vec bytes = _mm512_movm_epi8(_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)));
    *odd = _mm512_test_epi64_mask(bytes, bytes);
    const vec pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
}

GT_INLINE vec at_and_behind(const int32_t *delims)
{
    return _mm512_srai_epi32(_mm512_loadu_si512(delims), 8);
}

int64_t gt_marked_ints_avx512(const char *text, const int32_t *delims, int64_t n, int32_t *values)
{
    /* packs go lane by lane */
    const vec order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    int64_t others = 0, i = 0;
    for (; i < n && GT_DELIM_AT(delims[i]) < 8; i++)
        others += (values[i] = gt_marked_int_at(text, delims, i)) == GT_MARKED_OTHER;
    for (; i + 16 <= n; i += 16) {
        const vec at = at_and_behind(delims + i), before = at_and_behind(delims + i - 1);
        const vec length = _mm512_sub_epi32(_mm512_sub_epi32(at, before), _mm512_set1_epi32(1));
        unsigned odd[2];
        const vec a = fours(text, _mm512_castsi512_si256(at), _mm512_castsi512_si256(length), &odd[0]);
        const vec b = fours(text, _mm512_extracti64x4_epi64(at, 1), _mm512_extracti64x4_epi64(length, 1), &odd[1]);
        const vec x = _mm512_madd_epi16(_mm512_packus_epi32(a, b), _mm512_set1_epi32(0x00012710));
        _mm512_storeu_si512(values + i, _mm512_permutexvar_epi32(order, x));
        unsigned bad = odd[0] | odd[1] << 8 | _mm512_cmpge_epu32_mask(_mm512_sub_epi32(length, _mm512_set1_epi32(1)), _mm512_set1_epi32(8));
        for (; bad; bad &= bad - 1) {
            const int64_t j = i + __builtin_ctz(bad);
            others += (values[j] = gt_marked_int_at(text, delims, j)) == GT_MARKED_OTHER;
        }
    }
    for (; i < n; i++)
        others += (values[i] = gt_marked_int_at(text, delims, i)) == GT_MARKED_OTHER;
    return others;
}

void gt_fix_ints_avx512(int32_t *x, int64_t n, int32_t range[2])
{
    vec minimum = _mm512_set1_epi32(range[0]), most = _mm512_set1_epi32(range[1]);
    for (int64_t i = 0; i < n; i += 16) {
        const __mmask16 here = (__mmask16)_bzhi_u32(0xffff, n - i < 16 ? (unsigned)(n - i) : 16);
        vec v = _mm512_maskz_loadu_epi32(here, x + i);
        v = _mm512_mask_mov_epi32(v, _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(INT32_MIN)), _mm512_set1_epi32(-1));
        v = _mm512_mask_mov_epi32(v, _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(INT32_MIN + 1)), _mm512_set1_epi32(-2));
        _mm512_mask_storeu_epi32(x + i, here, v);
        minimum = _mm512_mask_min_epi32(minimum, here, minimum, v);
        most = _mm512_mask_max_epi32(most, here, most, v);
    }
    range[0] = _mm512_reduce_min_epi32(minimum);
    range[1] = _mm512_reduce_max_epi32(most);
}
