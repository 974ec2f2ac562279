/* Calls of int8 alleles, 64 samples at a time. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/neon/pack_codes.h"
#include "kernels/unroll.h"

enum { SAMPLES = 64 };

/* How bytes are alleles: as a store has them, or as BCF has them (n_alleles > 0). */
struct form {
    int n_alleles;
};

/* Numbers of alleles as a store has them; bytes that are none are found in *bad. */
GT_INLINE int8x16_t alleles_of(int8x16_t v, struct form form, uint8x16_t *bad)
{
    if (form.n_alleles == 0)
        return v;
    const uint8x16_t absent = vceqq_s8(v, vdupq_n_s8(-127));
    const int8x16_t number = vsubq_s8(vshrq_n_s8(v, 1), vdupq_n_s8(1));
    const uint8x16_t missing = vorrq_u8(vceqq_s8(v, vdupq_n_s8(-128)), vceqq_s8(number, vdupq_n_s8(-1)));
    const uint8x16_t over = vorrq_u8(vcltzq_s8(v), vcgeq_s8(number, vdupq_n_s8((int8_t)form.n_alleles)));
    *bad = vorrq_u8(*bad, vbicq_u8(over, vorrq_u8(absent, missing)));
    return vbslq_s8(absent, vdupq_n_s8(-2), vbslq_s8(missing, vdupq_n_s8(-1), number));
}

struct sixteen {
    uint8x16_t codes, alone, half, bad;
};

/* 16 calls. */
GT_INLINE struct sixteen call_codes(const int8_t *calls, struct form form, int haploid_alt)
{
    struct sixteen out = {.bad = vdupq_n_u8(0)};
    const int8x16x2_t pair = vld2q_s8(calls);
    const int8x16_t a = alleles_of(pair.val[0], form, &out.bad), b = alleles_of(pair.val[1], form, &out.bad);
    const int8x16_t absent = vdupq_n_s8(-2);
    const uint8x16_t one = veorq_u8(vcltzq_s8(a), vcltzq_s8(b)), none = vorrq_u8(vceqq_s8(a, absent), vceqq_s8(b, absent));
    const uint8x16_t one_bit = vdupq_n_u8(1), alt = vaddq_u8(vandq_u8(vcgtzq_s8(a), one_bit), vandq_u8(vcgtzq_s8(b), one_bit));
    const uint8x16_t missing = vorrq_u8(vcltzq_s8(a), vcltzq_s8(b));
    out.alone = vandq_u8(one, none);
    out.half = vbicq_u8(one, none);
    out.codes = vbslq_u8(out.alone, vmulq_u8(alt, vdupq_n_u8((uint8_t)haploid_alt)), vorrq_u8(alt, missing));
    out.codes = vandq_u8(out.codes, vdupq_n_u8(3));
    return out;
}

/* SAMPLES calls. */
GT_INLINE unsigned pack_some(const int8_t *calls, struct form form, int haploid_alt, uint8_t row[SAMPLES / 4], uint64_t *haploid,
                             uint64_t *half)
{
    uint8x16_t codes[4], alone[4], halves[4], bad = vdupq_n_u8(0);
    GT_UNROLL
    for (int k = 0; k < 4; k++) {
        const struct sixteen some = call_codes(calls + 32 * k, form, haploid_alt);
        codes[k] = some.codes;
        alone[k] = some.alone;
        halves[k] = some.half;
        bad = vorrq_u8(bad, some.bad);
    }
    vst1q_u8(row, pack_codes(codes));
    *haploid = mask_bits(alone);
    *half = mask_bits(halves);
    return (*haploid ? GT_CALLS_HAPLOID : 0u) | (*half ? GT_CALLS_HALF : 0u) | (vmaxvq_u8(bad) ? GT_CALLS_BAD : 0u);
}

/* ref: the byte of an allele that is REF. */
GT_INLINE unsigned pack_calls(const int8_t *calls, int64_t n_samples, struct form form, int ref, int haploid_alt, uint8_t *row,
                              uint64_t *haploid, uint64_t *half)
{
    unsigned met = 0;
    for (; n_samples >= SAMPLES; n_samples -= SAMPLES, calls += 2 * SAMPLES, row += SAMPLES / 4)
        met |= pack_some(calls, form, haploid_alt, row, haploid++, half++);
    if (n_samples > 0) {
        int8_t last[2 * SAMPLES];
        uint8_t codes[SAMPLES / 4];
        memset(last, ref, sizeof last);
        memcpy(last, calls, 2 * (size_t)n_samples);
        met |= pack_some(last, form, haploid_alt, codes, haploid, half);
        memcpy(row, codes, (size_t)(n_samples + 3) / 4);
    }
    return met;
}

unsigned gt_pack_calls_neon(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half)
{
    return pack_calls(calls, n_samples, (struct form){0}, 0, haploid_alt, row, haploid, half);
}

unsigned gt_pack_bcf_neon(const int8_t *gt, int64_t n_samples, int n_alleles, int haploid_alt, uint8_t *row, uint64_t *haploid,
                          uint64_t *half)
{
    return pack_calls(gt, n_samples, (struct form){n_alleles}, 2, haploid_alt, row, haploid, half);
}

/* --- one allele a sample --------------------------------------------------------------- */

GT_INLINE void pack_haploid_some(const int8_t *calls, int haploid_alt, uint8_t row[SAMPLES / 4], uint64_t *called)
{
    uint8x16_t codes[4], there[4];
    GT_UNROLL
    for (int k = 0; k < 4; k++) {
        const int8x16_t v = vld1q_s8(calls + 16 * k);
        codes[k] = vorrq_u8(vandq_u8(vcgtzq_s8(v), vdupq_n_u8((uint8_t)haploid_alt)), vandq_u8(vcltzq_s8(v), vdupq_n_u8(3)));
        there[k] = vcgezq_s8(v);
    }
    vst1q_u8(row, pack_codes(codes));
    *called = mask_bits(there);
}

void gt_pack_haploid_neon(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called)
{
    for (; n_samples >= SAMPLES; n_samples -= SAMPLES, calls += SAMPLES, row += SAMPLES / 4)
        pack_haploid_some(calls, haploid_alt, row, called++);
    if (n_samples > 0) {
        int8_t last[SAMPLES] = {0};
        uint8_t codes[SAMPLES / 4];
        memcpy(last, calls, (size_t)n_samples);
        pack_haploid_some(last, haploid_alt, codes, called);
        *called &= (UINT64_C(1) << n_samples) - 1;
        memcpy(row, codes, (size_t)(n_samples + 3) / 4);
    }
}

/* --- numbers ------------------------------------------------------------------------------ */

/* Of 64 numbers that stand `step` apart; not 0 if one is above 2. */
GT_INLINE uint8x16_t pack_numbers_some(const int8_t *values, const int step, const int which, uint8_t row[SAMPLES / 4])
{
    uint8x16_t codes[4], over = vdupq_n_u8(0);
    GT_UNROLL
    for (int k = 0; k < 4; k++) {
        const int8x16_t v = step == 1 ? vld1q_s8(values + 16 * k) : vld2q_s8(values + 32 * k).val[which];
        codes[k] = vminq_u8(vreinterpretq_u8_s8(v), vdupq_n_u8(3));
        over = vorrq_u8(over, vcgtq_s8(v, vdupq_n_s8(2)));
    }
    vst1q_u8(row, pack_codes(codes));
    return over;
}

GT_INLINE int pack_numbers(const int8_t *values, const int step, const int which, int64_t n_samples, uint8_t *row)
{
    uint8x16_t over = vdupq_n_u8(0);
    for (; n_samples >= SAMPLES; n_samples -= SAMPLES, values += SAMPLES * step, row += SAMPLES / 4)
        over = vorrq_u8(over, pack_numbers_some(values, step, which, row));
    if (n_samples > 0) {
        int8_t last[2 * SAMPLES] = {0};
        uint8_t codes[SAMPLES / 4];
        memcpy(last, values, (size_t)(n_samples * step));
        over = vorrq_u8(over, pack_numbers_some(last, step, which, codes));
        memcpy(row, codes, (size_t)(n_samples + 3) / 4);
    }
    return vmaxvq_u8(over) != 0;
}

int gt_pack_i8_neon(const int8_t *values, int64_t n_samples, uint8_t *row)
{
    return pack_numbers(values, 1, 0, n_samples, row);
}

int gt_pack_allele_neon(const int8_t *calls, int which, int64_t n_samples, uint8_t *row)
{
    return which ? pack_numbers(calls, 2, 1, n_samples, row) : pack_numbers(calls, 2, 0, n_samples, row);
}
