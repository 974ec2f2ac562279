/* The tracks after the hard calls of a .pgen record: ALT numbers, phase, dosages.  They are not used, but parsed, so that a record
 * that is damaged or was decoded wrongly is detected by its length. */
#ifndef GT_GENO_PLINK_PGEN_TRACKS_H
#define GT_GENO_PLINK_PGEN_TRACKS_H

#include "geno/plink/pgen_list.h"

/* Parses from the end of the hard calls `row` to the end of the record.  n_alleles: 0 if not known; then a multiallelic record is
 * only checked as far as possible.  Returns NULL, or an error description (static text). */
const char *gt_pgen_check_tracks(struct gt_pgen_bytes *r, uint8_t type, int64_t n_samples, uint32_t n_alleles, const uint8_t *row);

#endif
