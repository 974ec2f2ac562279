/* Numbers of FORMAT in VCF text.  After a record's text there is GT_KERNEL_PAD. */
#ifndef GT_CALC_FIELDS_VALUE_H
#define GT_CALC_FIELDS_VALUE_H

#include "core/base/le.h"
#include "geno/model/vcf_number.h"
#include "kernels/digits.h"

/* What stands after the values that a sample has. */
static inline uint32_t fields_end_of(bool whole)
{
    return whole ? (uint32_t)GT_VCF_INT_END : GT_VCF_FLOAT_END;
}

/* A whole number of one to seven digits, as nearly all are, of which there are so many that no branch guesses their
 * lengths: eight bytes are looked at in one, and the first that is no digit ends the number.  They can be read, as there is
 * GT_KERNEL_PAD after a record. */
static inline bool fields_few_digits(const char **p, uint32_t *x)
{
    uint64_t s = gt_le64((const uint8_t *)*p) ^ GT_BYTES('0');
    const uint64_t others = gt_no_digits(s);
    if (!others || others & 0x80)
        return false;
    const int digits = __builtin_ctzll(others) / 8;
    const char stop = (*p)[digits];
    if (stop != ',' && stop != ':' && stop != '\t')
        return false;
    *x = gt_eight_digits(s << (64 - 8 * digits));
    *p += digits;
    return true;
}

/* One value at *p, which moves past it; where nothing stands it is missing.  False: it is none, or what stands after it
 * cannot. */
static inline bool fields_value(const char **p, const char *end, bool whole, uint32_t *x)
{
    const char *s = *p, *stop;
    if (whole && fields_few_digits(p, x))
        return true;
    if (*s == '.' && (s[1] == ',' || s[1] == ':' || s[1] == '\t')) {
        *x = whole ? (uint32_t)GT_VCF_INT_MISSING : GT_VCF_FLOAT_MISSING;
        *p = s + 1;
        return true;
    }
    *x = whole ? (uint32_t)gt_vcf_int(s, end, &stop) : gt_vcf_float(s, end, &stop);
    *p = stop;
    return *stop == ',' || *stop == ':' || *stop == '\t';
}

#endif
