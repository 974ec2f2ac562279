/* Two sites to a code, looked up with VPSHUFB (kernels/pair_table.h): a code of sample i chooses a row of 16 entries, the codes of 32
 * samples j look it up. */
#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/pair_table.h"
#include "kernels/unroll.h"

/* 8 sums, the codes of two panels, a row and a temporary stay in registers. */
enum { SAMPLES = 4, PANELS = 2 };

typedef __m256i vec;

static const _Alignas(16) uint8_t tables[GT_PAIR_PRODUCTS][16][16] = {
    [GT_PAIR_AGREE] = PAIR_TABLE(PAIR_AGREE), [GT_PAIR_DOT] = PAIR_TABLE(PAIR_DOT), [GT_PAIR_ALT] = PAIR_TABLE(PAIR_ALT)};

/* Bytes are emptied, as 16-bit lanes, into `whole` (low byte + 256 * high byte, modulo
 * 2^16) and, shifted down, into `odd`; the low bytes' sum is whole - 256 * odd, which
 * saves masking them off each time. */
struct words {
    vec whole[SAMPLES][PANELS], odd[SAMPLES][PANELS];
};

/* As an instruction of its own the sum stays in its register. */
#define ADD_BYTES(sum, more) __asm__("vpaddb %1, %0, %0" : "+x"(sum) : "x"(more))

GT_INLINE void add_groups(const uint8_t table[16][16], const int panels, const uint8_t *a, const uint8_t *b, size_t panel, int64_t groups,
                          struct words *w)
{
    vec sum[SAMPLES][PANELS];
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int p = 0; p < panels; p++)
            sum[i][p] = _mm256_setzero_si256();
    }
    for (; groups > 0; groups--, a += GT_PANEL, b += GT_PANEL) {
        GT_UNROLL
        for (int i = 0; i < SAMPLES; i++) {
            vec row = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)table[a[i]]));
            GT_UNROLL
            for (int p = 0; p < panels; p++)
                ADD_BYTES(sum[i][p], _mm256_shuffle_epi8(row, _mm256_load_si256((const vec *)(b + (size_t)p * panel))));
        }
    }
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int p = 0; p < panels; p++) {
            w->whole[i][p] = _mm256_add_epi16(w->whole[i][p], sum[i][p]);
            w->odd[i][p] = _mm256_add_epi16(w->odd[i][p], _mm256_srli_epi16(sum[i][p], 8));
        }
    }
}

GT_INLINE void add_words(uint32_t *sums, __m128i words, vec less)
{
    vec *to = (vec *)sums, more = _mm256_sub_epi32(_mm256_cvtepu16_epi32(words), less);
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), more));
}

/* 32 words onto their sums, less what was added to each entry. */
GT_INLINE void flush(uint32_t *sums, vec whole, vec odd, vec less)
{
    vec even = _mm256_sub_epi16(whole, _mm256_slli_epi16(odd, 8));
    vec lo = _mm256_unpacklo_epi16(even, odd), hi = _mm256_unpackhi_epi16(even, odd);
    add_words(sums, _mm256_castsi256_si128(lo), less);
    add_words(sums + 8, _mm256_castsi256_si128(hi), less);
    add_words(sums + 16, _mm256_extracti128_si256(lo, 1), less);
    add_words(sums + 24, _mm256_extracti128_si256(hi, 1), less);
}

/* SAMPLES samples against `panels` panels; groups <= PAIR_WORD_GROUPS. */
GT_INLINE void count(const uint8_t table[16][16], const int panels, const uint8_t *a, const uint8_t *b, size_t panel, int64_t groups,
                     int extra, uint32_t *sums)
{
    struct words w;
    const vec less = _mm256_set1_epi32((int)groups * extra);
    memset(&w, 0, sizeof w);
    while (groups > 0) {
        int64_t n = groups < PAIR_BYTE_GROUPS ? groups : PAIR_BYTE_GROUPS;
        add_groups(table, panels, a, b, panel, n, &w);
        groups -= n;
        a += n * GT_PANEL;
        b += n * GT_PANEL;
    }
    for (int i = 0; i < SAMPLES; i++)
        for (int p = 0; p < panels; p++)
            flush(sums + (p * GT_PANEL + i) * GT_PANEL, w.whole[i][p], w.odd[i][p], less);
}

/* All samples of a against `panels` panels. */
GT_INLINE void tile(enum gt_pair_product form, const int panels, const uint8_t *a, const uint8_t *b, int64_t groups, uint32_t *sums)
{
    size_t panel = (size_t)groups * GT_PANEL;
    for (int64_t g = 0; g < groups; g += PAIR_WORD_GROUPS) {
        int64_t n = groups - g < PAIR_WORD_GROUPS ? groups - g : PAIR_WORD_GROUPS;
        for (int i = 0; i < GT_PANEL; i += SAMPLES)
            count(tables[form], panels, a + g * GT_PANEL + i, b + g * GT_PANEL, panel, n, form == GT_PAIR_DOT ? PAIR_DOT_EXTRA : 0,
                  sums + i * GT_PANEL);
    }
}

int64_t gt_pair_bytes_avx2(int64_t n_sites)
{
    return pair_groups(n_sites) * GT_PANEL;
}

void gt_pair_tile_avx2(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    int64_t groups = pair_groups(n_sites), p = 0;
    for (; n_b - p >= PANELS; p += PANELS)
        tile(form, PANELS, a, b + p * groups * GT_PANEL, groups, sums + p * GT_PANEL * GT_PANEL);
    for (; p < n_b; p++)
        tile(form, 1, a, b + p * groups * GT_PANEL, groups, sums + p * GT_PANEL * GT_PANEL);
}

/* --- encoding ------------------------------------------------------------------ */

/* From 32 bytes of two rows, the codes of 128 samples.  x: nibbles of samples 0 and 2 of
 * each byte, y: 1 and 3; the interleavings put them in order, given that lane L of the
 * rows has its dword t from samples 32t + 16L. */
GT_INLINE void encode_bytes(vec r0, vec r1, vec out[4])
{
    const vec turned = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const vec even = _mm256_set1_epi8(0x33), low = _mm256_set1_epi8(0x0f);
    r0 = _mm256_permutevar8x32_epi32(r0, turned);
    r1 = _mm256_permutevar8x32_epi32(r1, turned);
    vec x = _mm256_or_si256(_mm256_and_si256(r0, even), _mm256_slli_epi16(_mm256_and_si256(r1, even), 2));
    vec y = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(r0, 2), even), _mm256_andnot_si256(even, r1));
    vec lo = _mm256_unpacklo_epi8(x, y), hi = _mm256_unpackhi_epi8(x, y);
    vec lo01 = _mm256_and_si256(lo, low), lo23 = _mm256_and_si256(_mm256_srli_epi16(lo, 4), low);
    vec hi01 = _mm256_and_si256(hi, low), hi23 = _mm256_and_si256(_mm256_srli_epi16(hi, 4), low);
    out[0] = _mm256_unpacklo_epi16(lo01, lo23);
    out[1] = _mm256_unpackhi_epi16(lo01, lo23);
    out[2] = _mm256_unpacklo_epi16(hi01, hi23);
    out[3] = _mm256_unpackhi_epi16(hi01, hi23);
}

/* 32 bytes of a row; samples after the n-th are heterozygous.  NULL: all are. */
static vec load_row(const uint8_t *row, int64_t n)
{
    uint8_t filled[32];
    if (row && n >= 128)
        return _mm256_loadu_si256((const vec *)row);
    memset(filled, 0x55, sizeof filled);
    if (row) {
        int bits = (int)(n % 4) * 2;
        memcpy(filled, row, (size_t)(n / 4));
        if (bits)
            filled[n / 4] = (uint8_t)((row[n / 4] & ((1 << bits) - 1)) | (0x55 & 0xff << bits));
    }
    return _mm256_loadu_si256((const vec *)filled);
}

void gt_pair_encode_avx2(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    int64_t groups = pair_groups(n_sites);
    for (int64_t s = 0; s < n_samples; s += 128) {
        int64_t n = n_samples - s < 128 ? n_samples - s : 128;
        for (int64_t g = 0; g < groups; g++) {
            const uint8_t *row = rows + (size_t)(2 * g) * stride + s / 4;
            vec codes[4];
            encode_bytes(load_row(2 * g < n_sites ? row : NULL, n), load_row(2 * g + 1 < n_sites ? row + stride : NULL, n), codes);
            for (int64_t p = 0; p * GT_PANEL < n; p++)
                _mm256_store_si256((vec *)(out + ((s / GT_PANEL + p) * groups + g) * GT_PANEL), codes[p]);
        }
    }
}
