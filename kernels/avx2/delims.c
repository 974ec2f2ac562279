/* Marks 64 bytes at a time; numbers as eight bytes in a register. */
#include <immintrin.h>
#include <string.h>

#include "kernels/delims.h"
#include "kernels/digits.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

/* All marks but '|' stand in a table at the lower four bits of theirs. */
GT_INLINE uint32_t marks_of(__m256i text)
{
    const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, 0, 0, 0, 0, 0, 0, 0, 0, '\t', ':', 0, ',', 0, 0, '/'));
    const __m256i is =
        _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, text), text), _mm256_cmpeq_epi8(text, _mm256_set1_epi8('|')));
    return (uint32_t)_mm256_movemask_epi8(is);
}

GT_INLINE uint64_t marks_at(const char *p)
{
    return marks_of(_mm256_loadu_si256((const __m256i *)(const void *)p)) |
           (uint64_t)marks_of(_mm256_loadu_si256((const __m256i *)(const void *)(p + 32))) << 32;
}

int64_t gt_split_delims_avx2(const char *text, int64_t n, int32_t *delims)
{
    int64_t found = 0, i = 0;
    for (; i + 64 <= n; i += 64)
        for (uint64_t bits = marks_at(text + i); bits; bits &= bits - 1) {
            const int64_t at = i + __builtin_ctzll(bits);
            delims[found++] = (int32_t)(at << 8 | text[at]);
        }
    for (; i < n; i++)
        if (gt_is_delim(text[i]))
            delims[found++] = (int32_t)(i << 8 | text[i]);
    return found;
}

/* The n characters before p; what stands before these is read too. */
GT_INLINE int32_t int_before(const char *p, int64_t n)
{
    uint64_t s;
    if ((uint64_t)(n - 1) >= 8)
        return GT_MARKED_OTHER;
    memcpy(&s, p - 8, sizeof s);
    const int none = (int)(64 - 8 * n);
    s = ((s ^ GT_BYTES('0')) >> none) << none;
    if (gt_no_digits(s))
        return gt_marked_int(p - n, n);
    return (int32_t)gt_eight_digits(s);
}

int64_t gt_marked_ints_avx2(const char *text, const int32_t *delims, int64_t n, int32_t *values)
{
    int64_t others = 0, i = 0;
    for (; i < n && GT_DELIM_AT(delims[i]) < 8; i++)
        others += (values[i] = gt_marked_int_at(text, delims, i)) == GT_MARKED_OTHER;
    for (; i < n; i++) {
        const int64_t at = GT_DELIM_AT(delims[i]);
        values[i] = int_before(text + at, at - GT_DELIM_AT(delims[i - 1]) - 1);
        others += values[i] == GT_MARKED_OTHER;
    }
    return others;
}

void gt_fix_ints_avx2(int32_t *x, int64_t n, int32_t range[2])
{
    const __m256i none = _mm256_set1_epi32(INT32_MIN), end = _mm256_set1_epi32(INT32_MIN + 1);
    __m256i minimum = _mm256_set1_epi32(range[0]), most = _mm256_set1_epi32(range[1]);
    int64_t i = 0;
    int32_t each[2][8];
    for (; i + 8 <= n; i += 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(x + i));
        v = _mm256_blendv_epi8(v, _mm256_set1_epi32(-1), _mm256_cmpeq_epi32(v, none));
        v = _mm256_blendv_epi8(v, _mm256_set1_epi32(-2), _mm256_cmpeq_epi32(v, end));
        _mm256_storeu_si256((__m256i *)(void *)(x + i), v);
        minimum = _mm256_min_epi32(minimum, v);
        most = _mm256_max_epi32(most, v);
    }
    _mm256_storeu_si256((__m256i *)(void *)each[0], minimum);
    _mm256_storeu_si256((__m256i *)(void *)each[1], most);
    for (int k = 0; k < 8; k++) {
        range[0] = each[0][k] < range[0] ? each[0][k] : range[0];
        range[1] = each[1][k] > range[1] ? each[1][k] : range[1];
    }
    gt_fix_ints_ref(x + i, n - i, range);
}
