/* Numbers as text, the same bytes as printf would make, several times as fast. */
#ifndef GT_OUT_DECIMAL_H
#define GT_OUT_DECIMAL_H

#include <stdint.h>
#include <string.h>

/* The most that either function writes; there is no NUL at the end. */
#define GT_DECIMAL_LEN 25

/* A whole number; returns the end of what was written. */
char *gt_decimal_uint(char *at, uint64_t value);

/* A whole number below 2^53 with all its digits, else as "%.10g"; a NaN of either
 * sign is "nan".  Returns the end of what was written. */
char *gt_decimal_double(char *at, double value);

/* 6 significant digits as PLINK writes them: what is within 5e-9 of a half of the last
 * one goes to the even neighbour.  Infinities are "inf" and "-inf". */
char *gt_decimal_plink(char *at, double value);

/* What is not negative and below 1000 (as most numbers of a VCF are), else gt_decimal_uint with its sign. */
static inline char *gt_decimal_small(char *at, int64_t value)
{
    if (value < 0) {
        *at++ = '-';
        return gt_decimal_uint(at, 0 - (uint64_t)value);
    }
    if (value >= 1000)
        return gt_decimal_uint(at, (uint64_t)value);
    const unsigned v = (unsigned)value, hundreds = v / 100, tens = v / 10;
    *at = (char)('0' + hundreds);
    at += hundreds > 0;
    *at = (char)('0' + tens - 10 * hundreds);
    at += tens > 0;
    *at++ = (char)('0' + v - 10 * tens);
    return at;
}

/* The numbers below 1000 with a comma after each. */
extern const char gt_decimal_table[1000][4];

/* A whole number that is not negative with a comma after it; 4 bytes at `at` may be written over.  Returns the end of the comma. */
static inline char *gt_decimal_comma(char *at, uint32_t value)
{
    if (value < 1000) {
        memcpy(at, gt_decimal_table[value], 4);
        return at + 2 + (value > 9) + (value > 99);
    }
    if (value < 10000) {
        const uint32_t tens = value / 10, hundreds = value / 100, thousands = value / 1000;
        const char text[4] = {(char)('0' + thousands), (char)('0' + hundreds - 10 * thousands), (char)('0' + tens - 10 * hundreds),
                              (char)('0' + value - 10 * tens)};
        memcpy(at, text, 4);
        at += 4;
    } else {
        at = gt_decimal_uint(at, value);
    }
    *at = ',';
    return at + 1;
}

/* 6 significant digits as htslib writes the numbers of a VCF (kputd), its roundings included. */
char *gt_decimal_vcf(char *at, double value);

#endif
