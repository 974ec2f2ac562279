/* One record of a PLINK 2 .pgen: the hard calls of a variant as packed codes. */
#ifndef GT_GENO_PGEN_RECORD_H
#define GT_GENO_PGEN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of the record type.  The lowest three are the storage mode of the hard calls. */
enum { GT_PGEN_HOW = 7, GT_PGEN_ALTS = 8, GT_PGEN_PHASE = 16, GT_PGEN_DOSAGE = 96 };

/* Is it stored as differences from the last record that is not? */
static inline bool gt_pgen_is_difference(uint8_t type)
{
    return (type & 6) == 2;
}

/* Decodes a record of n bytes into a row of (n_samples + 3) / 4 bytes, pad bits 0: 0, 1, 2 = number of non-reference alleles,
 * 3 = missing.  n_alleles: including REF, 0 if not known.  base: row of the record that differences refer to, or NULL.  All n
 * bytes must be used.  Returns NULL, or an error description (static text). */
const char *gt_pgen_decode(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, uint32_t n_alleles, const uint8_t *base,
                           uint8_t *row);

/* What else a record says of a variant of n_alleles that was decoded to `row`.  alleles: of the calls, two bytes per sample, as in
 * gt_block.calls, all of them GT_ALLELE_BY_CODE before; NULL: there are two alleles.  phases: of the calls, as in gt_block.phases, 0
 * before; NULL: not wanted.  scratch: a row.  Returns as gt_pgen_decode does. */
const char *gt_pgen_decode_tracks(uint8_t type, const uint8_t *data, size_t n, int64_t n_samples, uint32_t n_alleles, const uint8_t *row,
                                  uint8_t *scratch, uint8_t *alleles, uint8_t *phases);

#endif
