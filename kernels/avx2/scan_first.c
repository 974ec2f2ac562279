/* Calls at the front of sample columns: tabs are found 64 bytes at a time, and after each stands a call. */
#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

GT_INLINE uint64_t tabs_at(const char *p)
{
    const __m256i tab = _mm256_set1_epi8('\t');
    const uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)p), tab));
    const uint32_t high =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(p + 32)), tab));
    return low | (uint64_t)high << 32;
}

/* Tabs among the n bytes at p, of 64 at most. */
GT_INLINE uint64_t tabs_of(const char *p, int64_t n)
{
    char near[64] = {0};
    if (n >= 64)
        return tabs_at(p);
    memcpy(near, p, (size_t)n);
    return tabs_at(near);
}

/* The code of a column of n bytes and its tab, or 4. */
GT_INLINE unsigned code_at(const char *p, int64_t n, unsigned n_alleles)
{
    uint32_t w;
    if (n < 3)
        return 4;
    memcpy(&w, p, sizeof w);
    const unsigned a = (w & 0xff) - '0', b = (w >> 16 & 0xff) - '0', bar = w >> 8 & 0xff, behind = w >> 24;
    if ((bar != '|' && bar != '/') || (behind != ':' && n > 3))
        return 4;
    if (a < n_alleles && b < n_alleles)
        return (a != 0) + (b != 0);
    return (w & 0xff00ff) == ('.' | '.' << 16) ? 3 : 4;
}

struct gt_scan_result gt_scan_gt_first_avx2(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                            uint8_t *row)
{
    const int64_t n = text_end - text, most = n_samples / 4 * 4;
    int64_t from = 0, fours = 0, sample = 0;
    unsigned byte = 0;
    row += first_sample / 4;
    for (int64_t at = 0; at < n && sample < most; at += 64)
        for (uint64_t tabs = tabs_of(text + at, n - at); tabs && sample < most; tabs &= tabs - 1) {
            const int64_t tab = at + __builtin_ctzll(tabs);
            const unsigned code = code_at(text + from, tab - from, (unsigned)n_alleles);
            if (code > 3)
                return (struct gt_scan_result){text + fours, sample / 4 * 4};
            byte |= code << 2 * (sample & 3);
            from = tab + 1;
            if ((sample++ & 3) == 3) {
                row[sample / 4 - 1] = (uint8_t)byte;
                byte = 0;
                fours = from;
            }
        }
    return (struct gt_scan_result){text + fours, sample / 4 * 4};
}
