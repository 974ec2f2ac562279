/* Numbers in VCF text, with the values that htslib gives them. */
#ifndef GT_GENO_VCF_NUMBER_H
#define GT_GENO_VCF_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is no number, or does not fit, and what is after the values, as BCF has them; of floats signalling NaNs, as in
 * VCF Zarr: copied as bits, never as numbers. */
#define GT_VCF_INT_MISSING INT32_MIN
#define GT_VCF_INT_END (INT32_MIN + 1)
#define GT_VCF_INT_LEAST (INT32_MIN + 8) /* smaller ones are reserved */
#define GT_VCF_FLOAT_MISSING 0x7F800001u
#define GT_VCF_FLOAT_END 0x7F800002u

/* The whole number that [s, end) begins with; what is after its digits is *stop.  None, or one that
 * does not fit: GT_VCF_INT_MISSING. */
static inline int32_t gt_vcf_int(const char *s, const char *end, const char **stop)
{
    const char *p = s;
    int64_t x = 0;
    const int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *digits = p;
    for (; p < end && (unsigned)(*p - '0') < 10; p++)
        x = x < INT64_C(100000000000) ? x * 10 + (*p - '0') : x;
    *stop = p;
    x = negative ? -x : x;
    return p == digits || x > INT32_MAX || x < GT_VCF_INT_LEAST ? GT_VCF_INT_MISSING : (int32_t)x;
}

/* The bits of the float32 that [s, end) begins with, the double that is nearest to it rounded; what is
 * after it is *stop.  None: GT_VCF_FLOAT_MISSING. */
uint32_t gt_vcf_float(const char *s, const char *end, const char **stop);

/* The same of the column QUAL, [s, s + n): a number or "."; false: it is neither. */
bool gt_vcf_quality(const char *s, size_t n, uint32_t *bits);

/* POS, or END of INFO: digits alone, at most 18 of them; -1: it is not. */
int64_t gt_vcf_position(const char *s, size_t n);

/* END - POS + 1 where INFO, of n bytes, has an END that makes sense, else `length`, which is REF's. */
int64_t gt_vcf_length(const char *info, size_t n, int64_t position, int64_t length);

#endif
