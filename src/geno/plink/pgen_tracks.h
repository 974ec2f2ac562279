/* What follows the hard calls in a .pgen record: which ALTs, phase, dosages.  None of it is used; it is walked, so that
 * a record whose hard calls were read wrongly, or that is damaged, is noticed by its length. */
#ifndef GT_GENO_PLINK_PGEN_TRACKS_H
#define GT_GENO_PLINK_PGEN_TRACKS_H

#include "geno/plink/pgen_list.h"

/* From the end of the hard calls `row` to the end of the record.  n_alleles: 0 where it is not known; of a
 * multiallelic record only what does not depend on it is checked then.  NULL, or what is wrong, static text. */
const char *gt_pgen_check_tracks(struct gt_pgen_bytes *r, uint8_t type, int64_t n_samples, uint32_t n_alleles, const uint8_t *row);

#endif
