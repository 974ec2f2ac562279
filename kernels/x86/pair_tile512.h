/* Pair tile for 512-bit registers, for the including file's
 *     GT_INLINE __m512i load_row(const uint8_t *rows, unsigned code)
 *     GT_INLINE __m512i look_up(__m512i row, __m512i codes)
 *
 * A strip is up to 6 samples of a against all 256 of b.  Per group and sample of
 * a: one table row, four lookups by the codes of b, four byte additions; 24
 * accumulators, four index vectors, the row and a temporary stay in registers.
 * On Intel the lookup runs on one port (p5) and the addition on the other (p0):
 * 64 pairs a cycle is the ceiling, and what the flushes cost comes off it.
 *
 * Bytes overflow after 255 / max_code groups.  They are added, as 16-bit lanes, to
 * `whole` (low byte + 256 * high byte, modulo 2^16) and, shifted down, to `odd`;
 * the even bytes' sum is whole - 256 * odd.  That saves masking them off each time. */
#include <immintrin.h>

#include "kernels/x86/unroll.h"

enum { STRIP = 6, VECTORS = GT_PANEL / 64 };

struct words {
    __m512i whole[STRIP][VECTORS], odd[STRIP][VECTORS];
};

GT_INLINE void add_groups(const uint8_t *rows, const uint8_t *a, const uint8_t *b, int64_t groups, struct words *w, const int strip)
{
    __m512i acc[STRIP][VECTORS];
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++)
            acc[i][v] = _mm512_setzero_si512();
    }
    for (int64_t g = 0; g < groups; g++, a += GT_PANEL, b += GT_PANEL) {
        __m512i codes[VECTORS];
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++)
            codes[v] = _mm512_load_si512(b + 64 * v);
        GT_UNROLL
        for (int i = 0; i < strip; i++) {
            __m512i row = load_row(rows, a[i]);
            GT_UNROLL
            for (int v = 0; v < VECTORS; v++)
                acc[i][v] = _mm512_add_epi8(acc[i][v], look_up(row, codes[v]));
        }
    }
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            w->whole[i][v] = _mm512_add_epi16(w->whole[i][v], acc[i][v]);
            w->odd[i][v] = _mm512_add_epi16(w->odd[i][v], _mm512_srli_epi16(acc[i][v], 8));
        }
    }
}

GT_INLINE void add_words(uint32_t *sums, __m512i words)
{
    __m512i lo = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
    __m512i hi = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), lo));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(_mm512_loadu_si512(sums + 16), hi));
}

/* Adds the words to sums and clears them. */
static void flush_words(struct words *w, int strip, uint32_t *sums)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++) {
            __m512i odd = w->odd[i][v], even = _mm512_sub_epi16(w->whole[i][v], _mm512_slli_epi16(odd, 8));
            __m512i lo = _mm512_unpacklo_epi16(even, odd), hi = _mm512_unpackhi_epi16(even, odd);
            add_words(sums + i * GT_PANEL + v * 64, _mm512_permutex2var_epi64(lo, first, hi));
            add_words(sums + i * GT_PANEL + v * 64 + 32, _mm512_permutex2var_epi64(lo, second, hi));
            w->whole[i][v] = w->odd[i][v] = _mm512_setzero_si512();
        }
    }
}

GT_INLINE void strip_of(const struct gt_pair_table *table, const uint8_t *a, const uint8_t *b, int64_t groups, uint32_t *sums,
                        const int strip)
{
    struct words w;
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++)
            w.whole[i][v] = w.odd[i][v] = _mm512_setzero_si512();
    }
    int max = table->max_code > 0 ? table->max_code : 1;
    int64_t per_bytes = 255 / max, per_words = 65535 / max / per_bytes, unflushed = 0;
    while (groups > 0) {
        int64_t n = groups < per_bytes ? groups : per_bytes;
        add_groups(table->rows, a, b, n, &w, strip);
        groups -= n;
        a += n * GT_PANEL;
        b += n * GT_PANEL;
        if (++unflushed == per_words || groups == 0) {
            flush_words(&w, strip, sums);
            unflushed = 0;
        }
    }
}

static inline void tile(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                        uint32_t *sums)
{
    int i = 0;
    a += i0;
    for (; ni - i >= 6; i += 6)
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 6);
    switch (ni - i) {
    case 5:
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 5);
        break;
    case 4:
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 4);
        break;
    case 3:
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 3);
        break;
    case 2:
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 2);
        break;
    case 1:
        strip_of(table, a + i, b, groups, sums + i * GT_PANEL, 1);
        break;
    }
}
