/* The ALTs of a multiallelic .pgen record (track 1): which calls of codes 1 and 2 have another ALT than the first. */
#ifndef GT_GENO_PLINK_PGEN_ALTS_H
#define GT_GENO_PLINK_PGEN_ALTS_H

#include "core/base/budget.h"
#include "geno/plink/pgen_list.h"

/* Bits of the index of an ALT of which `values` are possible. */
unsigned gt_pgen_alt_bits(int64_t values);
/* Likewise of each of the two ALTs of a call of code 2, where there are n_alleles >= 4 including REF. */
unsigned gt_pgen_pair_bits(int64_t n_alleles);

/* Reads the track into `alleles`, two bytes per sample as gt_block.calls has them, which are all GT_ALLELE_BY_CODE before.  Returns NULL,
 * or an error description (static text). */
const char *gt_pgen_read_alts(struct gt_pgen_bytes *r, int64_t n_samples, uint32_t n_alleles, const uint8_t *row, uint8_t *alleles);

/* Appends the track to `bytes` and sets *any, unless no call has another ALT than the first.  row: codes; alleles and n_alleles: as
 * gt_pgen_encode has them; scratch: any. */
int gt_pgen_put_alts(const uint8_t *row, const uint8_t *alleles, int64_t n_samples, int n_alleles, struct gt_buf *scratch,
                     struct gt_buf *bytes, bool *any, struct gt_err *err);

#endif
