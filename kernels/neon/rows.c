#include <arm_neon.h>
#include <string.h>

#include "kernels/carriers.h"
#include "kernels/impl.h"
#include "kernels/missing.h"
#include "kernels/neon/pack_codes.h"
#include "kernels/unroll.h"

/* --- counts ------------------------------------------------------------------------ */

/* Vectors whose low bits of codes are counted in bytes. */
enum { BYTES_HOLD = 255 / 4 };

struct bit_counts {
    int64_t low, high, both; /* of codes with the low bit, the high one, both */
};

GT_INLINE void count_vectors(const uint8_t *row, int64_t n, struct bit_counts *counts)
{
    const uint8x16_t mask = vdupq_n_u8(0x55);
    uint8x16_t low = vdupq_n_u8(0), high = low, both = low;
    for (int64_t k = 0; k < n; k++) {
        const uint8x16_t x = vld1q_u8(row + 16 * k), l = vandq_u8(x, mask), h = vandq_u8(vshrq_n_u8(x, 1), mask);
        low = vaddq_u8(low, vcntq_u8(l));
        high = vaddq_u8(high, vcntq_u8(h));
        both = vaddq_u8(both, vcntq_u8(vandq_u8(l, h)));
    }
    counts->low += vaddlvq_u8(low);
    counts->high += vaddlvq_u8(high);
    counts->both += vaddlvq_u8(both);
}

void gt_count_codes_neon(const uint8_t *row, int64_t n_samples, int64_t counts[4])
{
    struct bit_counts n = {0};
    int64_t s = 0;
    for (; s + 64 <= n_samples; s += 64 * BYTES_HOLD) {
        const int64_t left = (n_samples - s) / 64;
        count_vectors(row + s / 4, left < BYTES_HOLD ? left : BYTES_HOLD, &n);
    }
    s = n_samples / 64 * 64;
    if (s < n_samples) {
        uint8_t last[16] = {0};
        memcpy(last, row + s / 4, (size_t)(n_samples - s + 3) / 4);
        if (n_samples % 4)
            last[(n_samples - s) / 4] &= (uint8_t)((1 << n_samples % 4 * 2) - 1);
        count_vectors(last, 1, &n);
    }
    counts[0] = n_samples - n.low - n.high + n.both;
    counts[1] = n.low - n.both;
    counts[2] = n.high - n.both;
    counts[3] = n.both;
}

int64_t gt_list_carriers_neon(const uint8_t *row, int64_t n_samples, int major, int64_t most, uint32_t *out)
{
    const uint8x16_t plain = vdupq_n_u8((uint8_t)(major * 0x55));
    const int64_t whole = n_samples / 4;
    int64_t n = 0;
    for (int64_t at = 0; at < whole; at += 16) {
        uint64_t others = ~mask_nibbles(vceqq_u8(vld1q_u8(row + at), plain)) & UINT64_C(0x1111111111111111);
        if (whole - at < 16)
            others &= (UINT64_C(1) << 4 * (whole - at)) - 1;
        if (n + __builtin_popcountll(others) > most)
            return n + __builtin_popcountll(others);
        for (; others; others &= others - 1) {
            const int64_t byte = at + __builtin_ctzll(others) / 4;
            n = carriers_of_byte(row[byte], (unsigned)major, 4 * byte, out, n);
        }
    }
    return n_samples % 4 ? carriers_at_end(row + whole, n_samples % 4, (unsigned)major, 4 * whole, out, n) : n;
}

void gt_add_missing_neon(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing)
{
    add_missing(rows, stride, n_rows, n_samples, missing);
}

/* --- codes as bytes ---------------------------------------------------------------- */

GT_INLINE void unpack64(const uint8_t *row, int8_t *out)
{
    const int8x16_t values = {0, 1, 2, -1};
    const uint8x16_t three = vdupq_n_u8(3), x = vld1q_u8(row);
    vst4q_s8(out, (int8x16x4_t){{vqtbl1q_s8(values, vandq_u8(x, three)), vqtbl1q_s8(values, vandq_u8(vshrq_n_u8(x, 2), three)),
                                 vqtbl1q_s8(values, vandq_u8(vshrq_n_u8(x, 4), three)), vqtbl1q_s8(values, vshrq_n_u8(x, 6))}});
}

void gt_unpack_i8_neon(const uint8_t *row, int64_t n_samples, int8_t *out)
{
    for (; n_samples >= 64; n_samples -= 64, row += 16, out += 64)
        unpack64(row, out);
    if (n_samples > 0) {
        int8_t last[64];
        unpack64(row, last);
        memcpy(out, last, (size_t)n_samples);
    }
}

/* --- other formats ----------------------------------------------------------------- */

/* The high bit is inverted, the low one is high xor low. */
GT_INLINE uint8x16_t recode_bed(uint8x16_t x)
{
    return vbslq_u8(vdupq_n_u8(0xaa), vmvnq_u8(x), veorq_u8(x, vshrq_n_u8(x, 1)));
}

/* Two codes c, d of a nibble 4 c + d become 2 - c and 2 - d, the other way round, but 3 stays. */
GT_INLINE uint8x16_t recode_geno(uint8x16_t geno)
{
    const uint8x16_t turned = {10, 6, 2, 14, 9, 5, 1, 13, 8, 4, 0, 12, 11, 7, 3, 15};
    return vsliq_n_u8(vqtbl1q_u8(turned, vshrq_n_u8(geno, 4)), vqtbl1q_u8(turned, vandq_u8(geno, vdupq_n_u8(15))), 4);
}

/* Rows of codes, each byte made anew by itself; pad bits 0. */
GT_INLINE void recode_row(uint8x16_t (*recode)(uint8x16_t), const uint8_t *from, int64_t n_samples, uint8_t *row)
{
    for (; n_samples >= 64; n_samples -= 64, from += 16, row += 16)
        vst1q_u8(row, recode(vld1q_u8(from)));
    if (n_samples > 0) {
        const size_t n = (size_t)(n_samples + 3) / 4;
        uint8_t last[16] = {0};
        memcpy(last, from, n);
        vst1q_u8(last, recode(vld1q_u8(last)));
        if (n_samples % 4)
            last[n - 1] &= (uint8_t)((1 << n_samples % 4 * 2) - 1);
        memcpy(row, last, n);
    }
}

void gt_bed_to_packed_neon(const uint8_t *bed, int64_t n_samples, uint8_t *row)
{
    recode_row(recode_bed, bed, n_samples, row);
}

void gt_geno_to_packed_neon(const uint8_t *geno, int64_t n_samples, uint8_t *row)
{
    recode_row(recode_geno, geno, n_samples, row);
}
