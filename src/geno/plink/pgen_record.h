/* One record of a PLINK 2 .pgen: the hard calls of a variant as packed codes. */
#ifndef GT_GENO_PGEN_RECORD_H
#define GT_GENO_PGEN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of a record's type.  The lowest three say how hard calls are stored. */
enum { GT_PGEN_HOW = 7, GT_PGEN_ALTS = 8, GT_PGEN_PHASE = 16, GT_PGEN_DOSAGE = 96 };

/* The calls are differences from those of the last record that is none such. */
static inline bool gt_pgen_is_difference(uint8_t type)
{
    return (type & 6) == 2;
}

/* The record of `type`, n bytes at data, into a row of (n_samples + 3) / 4 bytes, pad bits 0: 0, 1, 2 =
 * alleles that are not REF, 3 = missing.  n_alleles: REF too, 0 where it is not known.  base: row of the record that it
 * differs from, NULL where none is.  All n bytes must be used.  NULL, or what is wrong, static text. */
const char *gt_pgen_decode(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, uint32_t n_alleles, const uint8_t *base,
                           uint8_t *row);

#endif
