/* Genotype text, 64 bytes (16 calls "a|b\t") at a time, for the including
 * file, which defines look, look_at and split.
 *
 * Per byte, by its place in the call, the text minus {'0', '/', '0', '\t'} (wrapping)
 * is at most {n - 1, 0, n - 1, 0} for digits below n, '/' and the tab; '.', '|' and again the tab are
 * found by equality.  That gives three bit masks, a bit a byte, from which all codes
 * are put together in general registers; alleles are the bytes of that difference. */
#ifndef GT_KERNELS_SCAN_MASKS_H
#define GT_KERNELS_SCAN_MASKS_H

#include <immintrin.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/unroll.h"

struct masks {
    uint64_t valid; /* a byte that may stand there */
    uint64_t other; /* an allele that is not '0' ('.' too); anything at separators */
    uint64_t dots;  /* '.' at an allele, '|' at a separator */
};

GT_INLINE struct masks look(const char *p, int most);               /* 64 bytes; most: what the text less TEXT_ZERO may be */
GT_INLINE struct masks look_at(const char *p, int64_t n, int most); /* n of 0..63; padding is invalid */

/* 64 bytes: 32 alleles, of what is no digit -1, and 16 bytes, 1 where '|' stands. */
GT_INLINE struct masks split(const char *p, int8_t *alleles, uint8_t *phased);

#define PLACES(a, separator, b, tab) (int)((unsigned)(a) | (unsigned)(separator) << 8 | (unsigned)(b) << 16 | (unsigned)(tab) << 24)
#define TEXT_ZERO PLACES('0', '/', '0', '\t')
#define TEXT_MOST(n_alleles) PLACES((n_alleles)-1, 0, (n_alleles)-1, 0)
#define TEXT_ALSO PLACES('.', '|', '.', '\t')

/* First allele of each call; the second one's bit stands two higher. */
#define FIRST UINT64_C(0x1111111111111111)

GT_INLINE uint32_t codes_of(struct masks m)
{
    uint64_t a = m.other & FIRST, b = m.other >> 2 & FIRST, missing = m.dots & m.dots >> 2 & FIRST;
    return (uint32_t)_pext_u64((a ^ b) | missing | (a & b) << 1, FIRST * 3);
}

GT_INLINE uint64_t bad_of(struct masks m)
{
    return ~m.valid | ((m.dots ^ m.dots >> 2) & FIRST);
}

GT_INLINE struct gt_scan_result scan(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                     uint8_t *row)
{
    const int allowed = TEXT_MOST(n_alleles);
    int64_t room = text_end - text, most = n_samples > room / 4 ? room / 4 * 4 : n_samples * 4, at = 0;
    row += first_sample / 4;
    for (;;) {
        struct masks m = most - at >= 64 ? look(text + at, allowed) : look_at(text + at, most - at, allowed);
        uint64_t bad = bad_of(m);
        uint32_t codes = codes_of(m);
        if (bad) {
            int bytes = __builtin_ctzll(bad) / 16;
            memcpy(row + at / 16, &codes, (size_t)bytes);
            at += bytes * 16;
            return (struct gt_scan_result){text + at, at / 4};
        }
        memcpy(row + at / 16, &codes, sizeof codes);
        at += 64;
    }
}

GT_INLINE bool scan_alleles(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased)
{
    int64_t s = 0;
    uint64_t bad = 0;
    for (; s + 16 <= n_samples; s += 16)
        bad |= bad_of(split(text + 4 * s, alleles + 2 * s, phased + s));
    if (s < n_samples) {
        const size_t left = (size_t)(n_samples - s);
        char near[64];
        int8_t near_alleles[32];
        uint8_t near_phased[16];
        for (int i = 0; i < 64; i += 4)
            memcpy(near + i, "0/0\t", 4);
        memcpy(near, text + 4 * s, 4 * left);
        bad |= bad_of(split(near, near_alleles, near_phased));
        memcpy(alleles + 2 * s, near_alleles, 2 * left);
        memcpy(phased + s, near_phased, left);
    }
    return !bad;
}

#endif
