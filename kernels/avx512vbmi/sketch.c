/* Sketch products with VPDPBUSD: four codes of a row times a panel's sixteen fours of bytes. */
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/avx512/sketch512.h"
#include "kernels/impl.h"

typedef __m512i vec;

/* Rows and panels at a time, and codes that are bytes at a time. */
enum { ROWS = 8, PANELS = 3, CODES = 256 };

/* n codes, a byte each. */
GT_INLINE void expand(const uint8_t *row, int64_t n, uint8_t out[CODES])
{
    for (int64_t k = 0; k < n; k += 64)
        _mm512_store_si512(out + k, sketch_codes(row + k / 4));
}

/* Of the intrinsic gcc 12 makes copies of all sums. */
#define ADD_PRODUCTS(sum, codes, numbers) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(codes), "v"(numbers))

GT_INLINE void multiply(uint8_t codes[ROWS][CODES], int64_t n, const int8_t *panels, size_t panel_bytes, int n_panels,
                        vec sums[ROWS][PANELS])
{
    vec sum[ROWS][PANELS];
    GT_UNROLL
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < n_panels; p++)
            sum[r][p] = sums[r][p];
    for (int64_t k = 0; k < n; k += 4, panels += 64) {
        vec four[PANELS];
        GT_UNROLL
        for (int p = 0; p < n_panels; p++)
            four[p] = _mm512_load_si512(panels + (size_t)p * panel_bytes);
        GT_UNROLL
        for (int r = 0; r < ROWS; r++) {
            const vec code = _mm512_set1_epi32(*(const int *)(const void *)(codes[r] + k));
            GT_UNROLL
            for (int p = 0; p < n_panels; p++)
                ADD_PRODUCTS(sum[r][p], code, four[p]);
        }
    }
    GT_UNROLL
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < n_panels; p++)
            sums[r][p] = sum[r][p];
}

/* Rows that are not there are the first one once more. */
GT_INLINE void some_rows(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                         int n_panels, int shift, int64_t *sums, int64_t sums_stride)
{
    _Alignas(64) uint8_t codes[ROWS][CODES];
    vec all[ROWS][PANELS];
    GT_UNROLL
    for (int r = 0; r < ROWS; r++)
        all[r][0] = all[r][1] = all[r][2] = _mm512_setzero_si512();
    for (int64_t s = 0; s < n_codes; s += CODES) {
        const int64_t left = (n_codes - s + 63) / 64 * 64, n = left < CODES ? left : CODES;
        for (int r = 0; r < ROWS; r++)
            expand(rows + (r < n_rows ? (size_t)r * stride : 0) + s / 4, n, codes[r]);
        multiply(codes, n, panels + s * 16, panel_bytes, n_panels, all);
    }
    for (int64_t r = 0; r < n_rows && r < ROWS; r++)
        for (int p = 0; p < n_panels; p++)
            put_sketch(all[r][p], shift, sums + r * sums_stride + p * GT_SKETCH);
}

static void three_panels(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                         int shift, int64_t *sums, int64_t sums_stride)
{
    some_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, 3, shift, sums, sums_stride);
}

static void pair_of_panels(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                           int shift, int64_t *sums, int64_t sums_stride)
{
    some_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, 2, shift, sums, sums_stride);
}

static void one_panel(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                      int shift, int64_t *sums, int64_t sums_stride)
{
    some_rows(rows, stride, n_rows, n_codes, panels, panel_bytes, 1, shift, sums, sums_stride);
}

/* Of so many that are left; two and two are better than three and one. */
static int64_t panels_at_a_time(int64_t left)
{
    return left < PANELS ? left : left == 4 ? 2 : PANELS;
}

void gt_sketch_avx512vbmi(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                          int64_t n_panels, int shift, int64_t *sums)
{
    for (int64_t r = 0; r < n_rows; r += ROWS)
        for (int64_t p = 0, n; p < n_panels; p += n) {
            n = panels_at_a_time(n_panels - p);
            (n == 3   ? three_panels
             : n == 2 ? pair_of_panels
                      : one_panel)(rows + (size_t)r * stride, stride, n_rows - r, n_codes, panels + (size_t)p * panel_bytes, panel_bytes,
                                   shift, sums + (r * n_panels + p) * GT_SKETCH, n_panels * GT_SKETCH);
        }
}

/* --- gaps -------------------------------------------------------------------------- */

/* Codes that are looked through before their numbers are added: a loop over few of many codes ends
 * where no cpu foresees it. */
enum { GAP_CODES = 4096 };

#define LOW UINT64_C(0x5555555555555555) /* the low bit of each code */

/* Words of 32 codes of which some are missing: the low bits of those, and which words they are. */
struct gap_words {
    uint64_t gaps[GAP_CODES / 32 + 8], word[GAP_CODES / 32 + 8];
};

/* How many they are. */
static int64_t find_words(const uint8_t *row, int64_t n, struct gap_words *words)
{
    vec number = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    int64_t found = 0;
    for (int64_t s = 0; s < n; s += 256) {
        const vec codes = _mm512_loadu_si512(row + s / 4);
        vec gaps = _mm512_ternarylogic_epi64(codes, _mm512_srli_epi64(codes, 1), _mm512_set1_epi64((int64_t)LOW), 0x80); /* and */
        if (n - s < 256) {
            const vec bits =
                _mm512_max_epi64(_mm512_sub_epi64(_mm512_set1_epi64(2 * n), _mm512_slli_epi64(number, 6)), _mm512_setzero_si512());
            gaps = _mm512_andnot_si512(_mm512_sllv_epi64(_mm512_set1_epi64(-1), bits), gaps);
        }
        const __mmask8 some = _mm512_test_epi64_mask(gaps, gaps);
        _mm512_storeu_si512(words->gaps + found, _mm512_maskz_compress_epi64(some, gaps));
        _mm512_storeu_si512(words->word + found, _mm512_maskz_compress_epi64(some, number));
        found += __builtin_popcount(some);
        number = _mm512_add_epi64(number, _mm512_set1_epi64(8));
    }
    return found;
}

static int64_t find_gaps(const uint8_t *row, int64_t n, uint16_t at[GAP_CODES + 32])
{
    const vec places = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
                                        5, 4, 3, 2, 1, 0);
    struct gap_words words;
    const int64_t n_words = find_words(row, n, &words);
    int64_t found = 0;
    for (int64_t w = 0; w < n_words; w++) {
        const uint32_t gaps = (uint32_t)_pext_u64(words.gaps[w], LOW);
        const vec of_word = _mm512_add_epi16(places, _mm512_set1_epi16((short)(words.word[w] * 32)));
        _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi16(gaps, of_word));
        found += __builtin_popcount(gaps);
    }
    return found;
}

GT_INLINE void add_gaps(const uint16_t *at, int64_t n, const int16_t *numbers, int64_t columns, int n_panels, int shift, int64_t *sums)
{
    __m256i sum[PANELS];
    GT_UNROLL
    for (int p = 0; p < n_panels; p++)
        sum[p] = _mm256_setzero_si256();
    for (int64_t i = 0; i < n; i++) {
        const __m128i *number = (const __m128i *)(const void *)(numbers + at[i] * columns);
        GT_UNROLL
        for (int p = 0; p < n_panels; p++)
            sum[p] = _mm256_add_epi32(sum[p], _mm256_cvtepi16_epi32(_mm_loadu_si128(number + p)));
    }
    GT_UNROLL
    for (int p = 0; p < n_panels; p++) {
        const vec wide = _mm512_sll_epi64(_mm512_cvtepi32_epi64(sum[p]), _mm_cvtsi32_si128(shift));
        _mm512_storeu_si512(sums + p * GT_SKETCH, _mm512_add_epi64(_mm512_loadu_si512(sums + p * GT_SKETCH), wide));
    }
}

void gt_sketch_gaps_avx512vbmi(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int16_t *numbers,
                               int64_t n_panels, int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    uint16_t at[GAP_CODES + 32];
    for (int64_t r = 0; r < n_rows; r++, rows += stride, sums += columns)
        for (int64_t s = 0; s < n_codes; s += GAP_CODES) {
            const int64_t found = find_gaps(rows + s / 4, n_codes - s < GAP_CODES ? n_codes - s : GAP_CODES, at);
            for (int64_t p = 0, n; p < n_panels && found; p += n) {
                const int16_t *from = numbers + s * columns + p * GT_SKETCH;
                n = panels_at_a_time(n_panels - p);
                if (n == 3)
                    add_gaps(at, found, from, columns, 3, shift, sums + p * GT_SKETCH);
                else if (n == 2)
                    add_gaps(at, found, from, columns, 2, shift, sums + p * GT_SKETCH);
                else
                    add_gaps(at, found, from, columns, 1, shift, sums + p * GT_SKETCH);
            }
        }
}
