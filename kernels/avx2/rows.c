#include <immintrin.h>
#include <string.h>

#include "kernels/carriers.h"
#include "kernels/impl.h"
#include "kernels/missing.h"
#include "kernels/unroll.h"

#define LOW UINT64_C(0x5555555555555555) /* the low bit of each code */

GT_INLINE uint64_t word_at(const uint8_t *row, int64_t s)
{
    uint64_t w;
    memcpy(&w, row + s / 4, sizeof w);
    return w;
}

/* The word of samples s.. with those from n_samples on cleared. */
GT_INLINE uint64_t last_word(const uint8_t *row, int64_t s, int64_t n_samples)
{
    return word_at(row, s) & ((UINT64_C(1) << (n_samples - s) * 2) - 1);
}

void gt_count_codes_avx2(const uint8_t *row, int64_t n_samples, int64_t counts[4])
{
    int64_t low = 0, high = 0, both = 0, s = 0;
    for (; s < n_samples; s += 32) {
        uint64_t w = n_samples - s >= 32 ? word_at(row, s) : last_word(row, s, n_samples);
        uint64_t l = w & LOW, h = w >> 1 & LOW;
        low += __builtin_popcountll(l);
        high += __builtin_popcountll(h);
        both += __builtin_popcountll(l & h);
    }
    counts[0] = n_samples - low - high + both;
    counts[1] = low - both;
    counts[2] = high - both;
    counts[3] = both;
}

int64_t gt_list_carriers_avx2(const uint8_t *row, int64_t n_samples, int major, int64_t most, uint32_t *out)
{
    const __m256i plain = _mm256_set1_epi8((char)(major * 0x55));
    int64_t n = 0;
    for (int64_t s = 0; s < n_samples / 4 * 4; s += 128) {
        const int64_t left = n_samples / 4 - s / 4;
        const __m256i same = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(row + s / 4)), plain);
        const uint32_t there = left < 32 ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
        const uint32_t bytes = ~(uint32_t)_mm256_movemask_epi8(same) & there;
        if (n + __builtin_popcount(bytes) > most)
            return n + __builtin_popcount(bytes);
        n = carriers_of_bytes(row + s / 4, bytes, (unsigned)major, s, out, n);
    }
    const int64_t last = n_samples / 4 * 4;
    return last < n_samples ? carriers_at_end(row + last / 4, n_samples - last, (unsigned)major, last, out, n) : n;
}

void gt_add_missing_avx2(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing)
{
    add_missing(rows, stride, n_rows, n_samples, missing);
}

GT_INLINE unsigned code_of(const uint8_t *row, uint32_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

void gt_gather_samples_avx2(const uint8_t *row, const uint32_t *index, int64_t n_out, uint8_t *out)
{
    for (; n_out >= 4; n_out -= 4, index += 4)
        *out++ =
            (uint8_t)(code_of(row, index[0]) | code_of(row, index[1]) << 2 | code_of(row, index[2]) << 4 | code_of(row, index[3]) << 6);
    if (n_out > 0) {
        unsigned last = 0;
        for (int k = 0; k < n_out; k++)
            last |= code_of(row, index[k]) << 2 * k;
        *out = (uint8_t)last;
    }
}

/* Values of samples 0 (or 2) and 1 (or 3) by nibble; then interleaved within each
 * lane, for which the 8-byte quarters of the row are first put in the order 0 2 1 3. */
GT_INLINE void unpack128(const uint8_t *row, int8_t *out)
{
    const __m256i first = _mm256_set1_epi32((int)0xff020100), low = _mm256_set1_epi8(0x0f);
    const __m256i second = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, -1, -1, -1, -1));
    __m256i x = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)row), 0xd8);
    __m256i lo = _mm256_and_si256(x, low), hi = _mm256_and_si256(_mm256_srli_epi16(x, 4), low);
    __m256i s0 = _mm256_shuffle_epi8(first, lo), s1 = _mm256_shuffle_epi8(second, lo);
    __m256i s2 = _mm256_shuffle_epi8(first, hi), s3 = _mm256_shuffle_epi8(second, hi);
    __m256i a = _mm256_unpacklo_epi8(s0, s1), b = _mm256_unpacklo_epi8(s2, s3);
    __m256i c = _mm256_unpackhi_epi8(s0, s1), d = _mm256_unpackhi_epi8(s2, s3);
    __m256i ab = _mm256_unpacklo_epi16(a, b), ba = _mm256_unpackhi_epi16(a, b);
    __m256i cd = _mm256_unpacklo_epi16(c, d), dc = _mm256_unpackhi_epi16(c, d);
    __m256i *to = (__m256i *)out;
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(ab, ba, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(ab, ba, 0x31));
    _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(cd, dc, 0x20));
    _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(cd, dc, 0x31));
}

void gt_unpack_i8_avx2(const uint8_t *row, int64_t n_samples, int8_t *out)
{
    for (; n_samples >= 128; n_samples -= 128, row += 32, out += 128)
        unpack128(row, out);
    if (n_samples > 0) {
        int8_t last[128];
        unpack128(row, last);
        memcpy(out, last, (size_t)n_samples);
    }
}

/* The high bit is inverted, the low one is high xor low. */
GT_INLINE __m256i recode_bed(__m256i x)
{
    const __m256i high = _mm256_set1_epi8((char)0xaa);
    return _mm256_or_si256(_mm256_andnot_si256(x, high), _mm256_andnot_si256(high, _mm256_xor_si256(x, _mm256_srli_epi16(x, 1))));
}

/* Rows of codes, each byte made anew by itself; pad bits 0. */
GT_INLINE void recode_row(__m256i (*recode)(__m256i), const uint8_t *from, int64_t n_samples, uint8_t *row)
{
    for (; n_samples >= 128; n_samples -= 128, from += 32, row += 32)
        _mm256_storeu_si256((__m256i *)row, recode(_mm256_loadu_si256((const __m256i *)from)));
    if (n_samples > 0) {
        size_t n = (size_t)(n_samples + 3) / 4;
        uint8_t last[32] = {0};
        memcpy(last, from, n);
        _mm256_storeu_si256((__m256i *)last, recode(_mm256_loadu_si256((const __m256i *)last)));
        if (n_samples % 4)
            last[n - 1] &= (uint8_t)((1 << n_samples % 4 * 2) - 1);
        memcpy(row, last, n);
    }
}

void gt_bed_to_packed_avx2(const uint8_t *bed, int64_t n_samples, uint8_t *row)
{
    recode_row(recode_bed, bed, n_samples, row);
}

/* Two codes c, d of a nibble 4 c + d become 2 - c and 2 - d, the other way round, but 3 stays. */
GT_INLINE __m256i recode_geno(__m256i geno)
{
    const __m256i turned = _mm256_broadcastsi128_si256(_mm_setr_epi8(10, 6, 2, 14, 9, 5, 1, 13, 8, 4, 0, 12, 11, 7, 3, 15));
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i first = _mm256_shuffle_epi8(turned, _mm256_and_si256(_mm256_srli_epi16(geno, 4), nibble));
    const __m256i second = _mm256_shuffle_epi8(turned, _mm256_and_si256(geno, nibble));
    return _mm256_or_si256(first, _mm256_slli_epi16(second, 4));
}

void gt_geno_to_packed_avx2(const uint8_t *geno, int64_t n_samples, uint8_t *row)
{
    recode_row(recode_geno, geno, n_samples, row);
}
