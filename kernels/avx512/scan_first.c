/* Calls at the front of sample columns, sixteen at a time: where columns begin is found 64 bytes at a time. */
#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

/* Codes of sixteen calls of four bytes, with the tab or colon after them, into four bytes.  False: one of them is another. */
GT_INLINE bool put_codes(__m512i w, unsigned n_alleles, uint8_t *row)
{
    const __m512i one = _mm512_set1_epi32(1), byte = _mm512_set1_epi32(0xff);
    const __m512i a = _mm512_sub_epi32(_mm512_and_si512(w, byte), _mm512_set1_epi32('0'));
    const __m512i b = _mm512_sub_epi32(_mm512_and_si512(_mm512_srli_epi32(w, 16), byte), _mm512_set1_epi32('0'));
    const __m512i bar = _mm512_and_si512(w, _mm512_set1_epi32(0xff00)), last = _mm512_srli_epi32(w, 24);
    const __m512i n = _mm512_set1_epi32((int)n_alleles);
    const __mmask16 delims =
        (_mm512_cmpeq_epi32_mask(bar, _mm512_set1_epi32('|' << 8)) | _mm512_cmpeq_epi32_mask(bar, _mm512_set1_epi32('/' << 8))) &
        (_mm512_cmpeq_epi32_mask(last, _mm512_set1_epi32(':')) | _mm512_cmpeq_epi32_mask(last, _mm512_set1_epi32('\t')));
    const __mmask16 known = _mm512_cmplt_epu32_mask(a, n) & _mm512_cmplt_epu32_mask(b, n);
    const __mmask16 none = _mm512_cmpeq_epi32_mask(_mm512_and_si512(w, _mm512_set1_epi32(0xff00ff)), _mm512_set1_epi32('.' | '.' << 16));
    if ((delims & (known | none)) != 0xffff)
        return false;
    __m512i code = _mm512_add_epi32(_mm512_min_epu32(a, one), _mm512_min_epu32(b, one));
    code = _mm512_mask_mov_epi32(code, none, _mm512_set1_epi32(3));
    const __m128i bytes = _mm512_cvtepi32_epi8(code);
    const uint64_t low = _pext_u64((uint64_t)_mm_cvtsi128_si64(bytes), UINT64_C(0x0303030303030303));
    const uint64_t high = _pext_u64((uint64_t)_mm_extract_epi64(bytes, 1), UINT64_C(0x0303030303030303));
    const uint32_t all = (uint32_t)(low | high << 16);
    memcpy(row, &all, sizeof all);
    return true;
}

struct gt_scan_result gt_scan_gt_first_avx512(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample,
                                              int n_alleles, uint8_t *row)
{
    const int64_t n = text_end - text < INT32_MAX / 2 ? text_end - text : INT32_MAX / 2;
    int32_t begin[16 + 64] = {0}; /* of columns that are whole, and of the one after them */
    int64_t sample = 0, whole = 0;
    bool good = true;
    row += first_sample / 4;
    for (int64_t at = 0; good && at + 64 <= n && n_samples - sample >= 16; at += 64) {
        uint64_t tabs = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + at), _mm512_set1_epi8('\t'));
        for (; tabs; tabs &= tabs - 1)
            begin[++whole] = (int32_t)(at + __builtin_ctzll(tabs) + 1);
        while (whole >= 16 && n_samples - sample >= 16 && begin[15] + 4 <= n) { /* no byte after the text is looked at */
            good = put_codes(_mm512_i32gather_epi32(_mm512_loadu_si512(begin), text, 1), (unsigned)n_alleles, row + sample / 4);
            if (!good)
                break;
            whole -= 16;
            sample += 16;
            memmove(begin, begin + 16, (size_t)(whole + 1) * sizeof *begin);
        }
    }
    struct gt_scan_result r =
        gt_scan_gt_first_avx2(text + begin[0], text_end, n_samples - sample, first_sample + sample, n_alleles, row - first_sample / 4);
    r.done += sample;
    return r;
}
