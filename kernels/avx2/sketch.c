/* Sketch products with bytes that are multiplied in pairs into 16 bits, and packed rows turned. */
#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

typedef __m256i vec;

GT_INLINE vec low_bytes(vec a, vec b)
{
    return _mm256_unpacklo_epi8(a, b);
}

GT_INLINE vec high_bytes(vec a, vec b)
{
    return _mm256_unpackhi_epi8(a, b);
}

#include "kernels/turn.h"

/* --- products ------------------------------------------------------------------- */

/* Rows and panels at a time, and codes that are bytes at a time: sums of that many products of two
 * numbers just fit 16 bits. */
enum { ROWS = 4, PANELS = 4, CODES = 256 };

struct sums {
    vec of[ROWS][2]; /* of low and of high bytes */
};

/* n codes, a byte each, 0 for a 3. */
GT_INLINE void expand(const uint8_t *row, int64_t n, uint8_t out[CODES])
{
    const vec low = _mm256_set1_epi32(0x03030303), numbers = _mm256_set1_epi32(0x00020100);
    for (int64_t k = 0; k < n; k += 32) {
        vec b = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(row + k / 4)));
        b = _mm256_or_si256(b, _mm256_slli_epi32(b, 12)); /* pairs of bits at 0, 6, 12 and 18 become bytes */
        b = _mm256_and_si256(_mm256_or_si256(b, _mm256_slli_epi32(b, 6)), low);
        _mm256_store_si256((vec *)(void *)(out + k), _mm256_shuffle_epi8(numbers, b));
    }
}

GT_INLINE void multiply(uint8_t codes[ROWS][CODES], int64_t n, const int8_t *panel, struct sums *sums)
{
    vec few[ROWS][2];
    GT_UNROLL
    for (int r = 0; r < ROWS; r++)
        few[r][0] = few[r][1] = _mm256_setzero_si256();
    for (int64_t k = 0; k < n; k += 4, panel += 64) {
        const vec low = _mm256_load_si256((const vec *)(const void *)panel),
                  high = _mm256_load_si256((const vec *)(const void *)(panel + 32));
        GT_UNROLL
        for (int r = 0; r < ROWS; r++) {
            const vec four = _mm256_set1_epi32(*(const int *)(const void *)(codes[r] + k));
            few[r][0] = _mm256_add_epi16(few[r][0], _mm256_maddubs_epi16(four, low));
            few[r][1] = _mm256_add_epi16(few[r][1], _mm256_maddubs_epi16(four, high));
        }
    }
    GT_UNROLL
    for (int r = 0; r < ROWS; r++)
        for (int h = 0; h < 2; h++)
            sums->of[r][h] = _mm256_add_epi32(sums->of[r][h], _mm256_madd_epi16(few[r][h], _mm256_set1_epi16(1)));
}

static void put(const vec sum[2], int shift, int64_t out[GT_SKETCH])
{
    for (int h = 0; h < 2; h++) {
        const vec low = _mm256_cvtepi32_epi64(h ? _mm256_extracti128_si256(sum[0], 1) : _mm256_castsi256_si128(sum[0]));
        const vec high = _mm256_cvtepi32_epi64(h ? _mm256_extracti128_si256(sum[1], 1) : _mm256_castsi256_si128(sum[1]));
        const vec all = _mm256_add_epi64(low, _mm256_slli_epi64(high, 7));
        vec *to = (vec *)(void *)(out + 4 * h);
        _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_sll_epi64(all, _mm_cvtsi32_si128(shift))));
    }
}

/* Rows that are not there are the first one once more. */
static void some_rows(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                      int64_t n_panels, int shift, int64_t *sums, int64_t sums_stride)
{
    _Alignas(32) uint8_t codes[ROWS][CODES];
    struct sums all[PANELS] = {0};
    for (int64_t s = 0; s < n_codes; s += CODES) {
        const int64_t left = (n_codes - s + 63) / 64 * 64, n = left < CODES ? left : CODES;
        for (int r = 0; r < ROWS; r++)
            expand(rows + (r < n_rows ? (size_t)r * stride : 0) + s / 4, n, codes[r]);
        for (int64_t p = 0; p < n_panels; p++)
            multiply(codes, n, panels + (size_t)p * panel_bytes + s * 16, &all[p]);
    }
    for (int64_t r = 0; r < n_rows && r < ROWS; r++)
        for (int64_t p = 0; p < n_panels; p++)
            put(all[p].of[r], shift, sums + r * sums_stride + p * GT_SKETCH);
}

void gt_sketch_avx2(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                    int64_t n_panels, int shift, int64_t *sums)
{
    for (int64_t r = 0; r < n_rows; r += ROWS)
        for (int64_t p = 0; p < n_panels; p += PANELS)
            some_rows(rows + (size_t)r * stride, stride, n_rows - r, n_codes, panels + (size_t)p * panel_bytes, panel_bytes,
                      n_panels - p < PANELS ? n_panels - p : PANELS, shift, sums + (r * n_panels + p) * GT_SKETCH, n_panels * GT_SKETCH);
}

/* --- gaps ------------------------------------------------------------------------- */

/* Codes whose numbers are added in 32 bits. */
enum { GAP_CODES = 1 << 16 };

static uint64_t gaps_of(const uint8_t *row, int64_t s, int64_t n_codes)
{
    uint64_t codes;
    memcpy(&codes, row + s / 4, sizeof codes);
    codes &= codes >> 1 & 0x5555555555555555;
    return n_codes - s < 32 ? _bzhi_u64(codes, (unsigned)(2 * (n_codes - s))) : codes;
}

GT_INLINE void add_gaps(const uint8_t *row, int64_t from, int64_t to, const int16_t *numbers, int64_t columns, int n_panels,
                        vec sums[PANELS])
{
    for (int64_t s = from; s < to; s += 32)
        for (uint64_t gaps = gaps_of(row, s, to); gaps; gaps &= gaps - 1) {
            const int16_t *at = numbers + (s + __builtin_ctzll(gaps) / 2) * columns;
            GT_UNROLL
            for (int p = 0; p < n_panels; p++)
                sums[p] =
                    _mm256_add_epi32(sums[p], _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(at + p * GT_SKETCH))));
        }
}

static void put_gaps(vec sum, int shift, int64_t out[GT_SKETCH])
{
    const vec sums[2] = {sum, _mm256_setzero_si256()};
    put(sums, shift, out);
}

GT_INLINE void gaps_of_panels(const uint8_t *row, int64_t n_codes, const int16_t *numbers, int64_t columns, int n_panels, int shift,
                              int64_t *sums)
{
    for (int64_t s = 0; s < n_codes; s += GAP_CODES) {
        vec some[PANELS] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
        add_gaps(row, s, n_codes - s < GAP_CODES ? n_codes : s + GAP_CODES, numbers, columns, n_panels, some);
        GT_UNROLL
        for (int p = 0; p < n_panels; p++)
            put_gaps(some[p], shift, sums + p * GT_SKETCH);
    }
}

void gt_sketch_gaps_avx2(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int16_t *numbers, int64_t n_panels,
                         int shift, int64_t *sums)
{
    const int64_t columns = n_panels * GT_SKETCH;
    for (int64_t r = 0; r < n_rows; r++, rows += stride, sums += columns) {
        int64_t p = 0;
        for (; p + 2 <= n_panels; p += 2)
            gaps_of_panels(rows, n_codes, numbers + p * GT_SKETCH, columns, 2, shift, sums + p * GT_SKETCH);
        if (p < n_panels)
            gaps_of_panels(rows, n_codes, numbers + p * GT_SKETCH, columns, 1, shift, sums + p * GT_SKETCH);
    }
}

/* --- rows turned ------------------------------------------------------------------ */

GT_INLINE vec choose(vec x, vec y, int mask)
{
    const vec m = _mm256_set1_epi8((char)mask);
    return _mm256_or_si256(_mm256_andnot_si256(m, x), _mm256_and_si256(m, y));
}

#define SHIFT_LEFT _mm256_slli_epi16
#define SHIFT_RIGHT _mm256_srli_epi16
#include "kernels/turn_codes.h"

/* 64 rows of 128 codes; those from n_rows on are 0, those from n_codes on are not written. */
static void turn_some(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    vec v[16][4], turned[16];
    for (int q = 0; q < 16; q++) {
        for (int r = 0; r < 4; r++)
            v[q][r] = 4 * q + r < n_rows ? _mm256_loadu_si256((const vec *)(const void *)(rows + (size_t)(4 * q + r) * stride))
                                         : _mm256_setzero_si256();
        turn_codes(v[q]);
    }
    for (int r = 0; r < 4; r++) {
        for (int q = 0; q < 16; q++)
            turned[q] = v[q][r];
        turn_bytes(turned);
        for (int64_t k = 0; k < 16 && 4 * k + r < n_codes; k++) {
            _mm_storeu_si128((__m128i *)(void *)(out + (size_t)(4 * k + r) * out_stride), _mm256_castsi256_si128(turned[k]));
            if (64 + 4 * k + r < n_codes)
                _mm_storeu_si128((__m128i *)(void *)(out + (size_t)(64 + 4 * k + r) * out_stride), _mm256_extracti128_si256(turned[k], 1));
        }
    }
}

void gt_turn_codes_avx2(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride)
{
    for (int64_t s = 0; s < n_codes; s += 128)
        for (int64_t r = 0; r < n_rows; r += 64)
            turn_some(rows + (size_t)r * stride + s / 4, stride, n_rows - r, n_codes - s, out + (size_t)s * out_stride + r / 4, out_stride);
}
