/* Calls of two int8 alleles, 64 bytes (32 samples) at a time, for the including
 * file, which defines look and look_at.
 *
 * A bit mask over the bytes of 32 calls has the first allele of each at an even
 * place and the second one after it, which is where a packed row has the low and
 * the high bit of the sample's code: nothing needs to be moved far. */
#ifndef GT_KERNELS_CALLS_MASKS_H
#define GT_KERNELS_CALLS_MASKS_H

#include <immintrin.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

struct calls {
    uint64_t missing; /* no number of an allele */
    uint64_t alt;     /* a number above 0 */
    uint64_t bad;
};

/* How bytes are alleles: as a store has them, or as BCF has them. */
struct form {
    int bcf;
    int ref;  /* REF */
    int none; /* an allele that the call does not have */
    int most; /* BCF: above it there is no allele */
};
#define STORE_FORM ((struct form){0, 0, -2, 0})
#define BCF_FORM(n_alleles) ((struct form){1, 2, -127, 2 * (n_alleles) + 1})

GT_INLINE struct calls look(const int8_t *p, struct form form);               /* 64 bytes */
GT_INLINE struct calls look_at(const int8_t *p, int64_t n, struct form form); /* n of 0..63; padding is REF */
GT_INLINE uint64_t none_at(const int8_t *p, int64_t n, struct form form);     /* n of 0..64 */

#define FIRST UINT64_C(0x5555555555555555)

/* 32 calls, n of them there: their codes.  The bits of haploid and half calls into *alone, *half. */
GT_INLINE uint64_t codes_of(struct calls m, const int8_t *p, int64_t n, struct form form, int haploid_alt, uint32_t *alone, uint32_t *half)
{
    uint64_t odd = (m.missing ^ m.missing >> 1) & FIRST, low = (m.alt ^ m.alt >> 1) & FIRST, high = m.alt & m.alt >> 1 & FIRST;
    uint64_t both = m.missing & m.missing >> 1 & FIRST;
    *alone = *half = 0;
    if (__builtin_expect(odd != 0, 0)) {
        uint64_t none = none_at(p, 2 * n, form);
        uint64_t one = odd & (none | none >> 1);
        high |= haploid_alt == 2 ? low & one : 0;
        low &= haploid_alt == 2 ? ~one : ~UINT64_C(0);
        both |= odd & ~one;
        *alone = (uint32_t)_pext_u64(one, FIRST);
        *half = (uint32_t)_pext_u64(odd & ~one, FIRST);
    }
    return low | both | (high | both) << 1;
}

/* 64 calls, n of them there. */
GT_INLINE unsigned pack64_calls(const int8_t *calls, int64_t n, struct form form, int haploid_alt, uint8_t *row, uint64_t *haploid,
                                uint64_t *half)
{
    const int64_t first = n < 32 ? n : 32, second = n - first;
    const int8_t *next = calls + 2 * first;
    struct calls m = n >= 32 ? look(calls, form) : look_at(calls, 2 * n, form);
    struct calls m2 = n >= 64 ? look(next, form) : look_at(next, 2 * second, form);
    uint32_t alone[2], halves[2];
    uint64_t codes[2] = {codes_of(m, calls, first, form, haploid_alt, &alone[0], &halves[0]),
                         codes_of(m2, next, second, form, haploid_alt, &alone[1], &halves[1])};
    memcpy(row, codes, n >= 64 ? sizeof codes : (size_t)(n + 3) / 4);
    *haploid = alone[0] | (uint64_t)alone[1] << 32;
    *half = halves[0] | (uint64_t)halves[1] << 32;
    return (*haploid ? GT_CALLS_HAPLOID : 0u) | (*half ? GT_CALLS_HALF : 0u) | (m.bad | m2.bad ? GT_CALLS_BAD : 0u);
}

GT_INLINE unsigned pack_calls(const int8_t *calls, int64_t n_samples, struct form form, int haploid_alt, uint8_t *row, uint64_t *haploid,
                              uint64_t *half)
{
    unsigned met = 0;
    for (; n_samples >= 64; n_samples -= 64, calls += 128, row += 16)
        met |= pack64_calls(calls, 64, form, haploid_alt, row, haploid++, half++);
    if (n_samples > 0)
        met |= pack64_calls(calls, n_samples, form, haploid_alt, row, haploid, half);
    return met;
}

/* Bytes as numbers: those below 0 count as 3, as those above 2 do. */
struct numbers {
    uint64_t low, high; /* bits of the codes */
    uint64_t over;      /* above 2 */
};

GT_INLINE struct numbers number(const int8_t *p);
GT_INLINE struct numbers number_at(const int8_t *p, int64_t n);

GT_INLINE int pack_allele(const int8_t *calls, int which, int64_t n_samples, uint8_t *row)
{
    uint64_t over = 0;
    for (; n_samples > 0; n_samples -= 32, calls += 64, row += 8) {
        struct numbers v = n_samples >= 32 ? number(calls) : number_at(calls, 2 * n_samples);
        uint64_t codes = (v.low >> which & FIRST) | (v.high >> which & FIRST) << 1;
        over |= v.over >> which & FIRST;
        memcpy(row, &codes, n_samples >= 32 ? sizeof codes : (size_t)(n_samples + 3) / 4);
    }
    return over != 0;
}

#endif
