/* Numbers as text, the same bytes as printf would make, several times as fast. */
#ifndef GT_OUT_DECIMAL_H
#define GT_OUT_DECIMAL_H

#include <stdint.h>

/* The most that either function writes; there is no NUL at the end. */
#define GT_DECIMAL_LEN 25

/* A whole number; returns the end of what was written. */
char *gt_decimal_whole(char *at, uint64_t value);

/* A whole number below 2^53 with all its digits, else as "%.10g"; a NaN of either
 * sign is "nan".  Returns the end of what was written. */
char *gt_decimal_double(char *at, double value);

/* 6 significant digits as PLINK writes them: what is within 5e-9 of a half of the last
 * one goes to the even neighbour.  Infinities are "inf" and "-inf". */
char *gt_decimal_plink(char *at, double value);

/* What is not negative and below 1000 (as most numbers of a VCF are), else gt_decimal_whole with its sign. */
static inline char *gt_decimal_small(char *at, int64_t value)
{
    if (value < 0) {
        *at++ = '-';
        return gt_decimal_whole(at, 0 - (uint64_t)value);
    }
    if (value >= 1000)
        return gt_decimal_whole(at, (uint64_t)value);
    const unsigned v = (unsigned)value, hundreds = v / 100, tens = v / 10;
    *at = (char)('0' + hundreds);
    at += hundreds > 0;
    *at = (char)('0' + tens - 10 * hundreds);
    at += tens > 0;
    *at++ = (char)('0' + v - 10 * tens);
    return at;
}

/* 6 significant digits as htslib writes the numbers of a VCF (kputd), its roundings included. */
char *gt_decimal_vcf(char *at, double value);

#endif
