/* Genotype text, 16 calls "a|b\t" at a time: first alleles, separators, second alleles and tabs are loaded apart. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/neon/pack_codes.h"
#include "kernels/unroll.h"

enum { CALLS = 16, TEXT = 4 * CALLS };

struct calls {
    uint8x16_t first, second; /* alleles, what is no digit wrapped */
    uint8x16_t phased, missing;
    uint8x16_t valid;
};

GT_INLINE struct calls look(const char *text, int n_alleles)
{
    const uint8x16x4_t of = vld4q_u8((const uint8_t *)text);
    const uint8x16_t zero = vdupq_n_u8('0'), dot = vdupq_n_u8('.'), n = vdupq_n_u8((uint8_t)n_alleles);
    struct calls c = {
        .first = vsubq_u8(of.val[0], zero), .second = vsubq_u8(of.val[2], zero), .phased = vceqq_u8(of.val[1], vdupq_n_u8('|'))};
    c.missing = vandq_u8(vceqq_u8(of.val[0], dot), vceqq_u8(of.val[2], dot));
    const uint8x16_t digits = vandq_u8(vcltq_u8(c.first, n), vcltq_u8(c.second, n));
    const uint8x16_t separator = vorrq_u8(c.phased, vceqq_u8(of.val[1], vdupq_n_u8('/')));
    c.valid = vandq_u8(vandq_u8(vorrq_u8(digits, c.missing), separator), vceqq_u8(of.val[3], vdupq_n_u8('\t')));
    return c;
}

/* Codes of 16 calls. */
GT_INLINE uint32_t codes_of(const struct calls *c)
{
    const uint8x16_t one = vdupq_n_u8(1);
    const uint8x16_t alt = vaddq_u8(vminq_u8(c->first, one), vminq_u8(c->second, one));
    const uint8x16_t none = vdupq_n_u8(0);
    const uint8x16_t codes[4] = {vorrq_u8(alt, vandq_u8(c->missing, vdupq_n_u8(3))), none, none, none};
    return vgetq_lane_u32(vreinterpretq_u32_u8(pack_codes(codes)), 0);
}

struct gt_scan_result gt_scan_gt_neon(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                      uint8_t *row)
{
    const int64_t room = (text_end - text) / 4, most = n_samples < room ? n_samples : room;
    int64_t done = 0;
    row += first_sample / 4;
    for (;; done += CALLS) {
        char last[TEXT] = {0};
        const bool whole = most - done >= CALLS;
        if (!whole)
            memcpy(last, text + 4 * done, 4 * (size_t)(most - done));
        const struct calls c = look(whole ? text + 4 * done : last, n_alleles);
        const uint32_t codes = codes_of(&c);
        const uint64_t bad = ~mask_nibbles(c.valid);
        if (bad) {
            const int64_t good = __builtin_ctzll(bad) / 16; /* fours */
            memcpy(row + done / 4, &codes, (size_t)good);
            done += 4 * good;
            return (struct gt_scan_result){text + 4 * done, done};
        }
        memcpy(row + done / 4, &codes, sizeof codes);
    }
}

/* --- alleles --------------------------------------------------------------------------- */

GT_INLINE uint8x16_t split(const char *text, int8_t *alleles, uint8_t *phased)
{
    const struct calls c = look(text, 10);
    vst2q_u8((uint8_t *)alleles, (uint8x16x2_t){{vorrq_u8(c.first, c.missing), vorrq_u8(c.second, c.missing)}});
    vst1q_u8(phased, vandq_u8(c.phased, vdupq_n_u8(1)));
    return c.valid;
}

bool gt_scan_alleles_neon(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased)
{
    uint8x16_t valid = vdupq_n_u8(255);
    int64_t s = 0;
    for (; s + CALLS <= n_samples; s += CALLS)
        valid = vandq_u8(valid, split(text + 4 * s, alleles + 2 * s, phased + s));
    if (s < n_samples) {
        const size_t left = (size_t)(n_samples - s);
        char last[TEXT];
        int8_t last_alleles[2 * CALLS];
        uint8_t last_phased[CALLS];
        for (int i = 0; i < TEXT; i += 4)
            memcpy(last + i, "0/0\t", 4);
        memcpy(last, text + 4 * s, 4 * left);
        valid = vandq_u8(valid, split(last, last_alleles, last_phased));
        memcpy(alleles + 2 * s, last_alleles, 2 * left);
        memcpy(phased + s, last_phased, left);
    }
    return vminvq_u8(valid) == 255;
}

GT_INLINE uint8x16_t digit_of(uint8x16_t allele)
{
    return vbslq_u8(vceqq_u8(allele, vdupq_n_u8(255)), vdupq_n_u8('.'), vaddq_u8(allele, vdupq_n_u8('0')));
}

/* Bytes that are no allele from -1 to 9. */
GT_INLINE uint8x16_t write_some(const int8_t *alleles, const uint8_t *phased, char *text)
{
    const uint8x16x2_t pair = vld2q_u8((const uint8_t *)alleles);
    const uint8x16_t one = vdupq_n_u8(1), most = vdupq_n_u8(10);
    const uint8x16_t separator = vbslq_u8(vceqq_u8(vld1q_u8(phased), vdupq_n_u8(0)), vdupq_n_u8('/'), vdupq_n_u8('|'));
    vst4q_u8((uint8_t *)text, (uint8x16x4_t){{digit_of(pair.val[0]), separator, digit_of(pair.val[1]), vdupq_n_u8('\t')}});
    return vorrq_u8(vcgtq_u8(vaddq_u8(pair.val[0], one), most), vcgtq_u8(vaddq_u8(pair.val[1], one), most));
}

bool gt_write_alleles_neon(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text)
{
    static const uint8_t unphased[CALLS];
    uint8x16_t bad = vdupq_n_u8(0);
    int64_t s = 0;
    for (; s + CALLS <= n_samples; s += CALLS)
        bad = vorrq_u8(bad, write_some(alleles + 2 * s, phased ? phased + s : unphased, text + 4 * s));
    if (s < n_samples) {
        const size_t left = (size_t)(n_samples - s);
        int8_t last[2 * CALLS] = {0};
        uint8_t last_phased[CALLS] = {0};
        char last_text[TEXT];
        memcpy(last, alleles + 2 * s, 2 * left);
        if (phased)
            memcpy(last_phased, phased + s, left);
        bad = vorrq_u8(bad, write_some(last, last_phased, last_text));
        memcpy(text + 4 * s, last_text, 4 * left);
    }
    return vmaxvq_u8(bad) == 0;
}
