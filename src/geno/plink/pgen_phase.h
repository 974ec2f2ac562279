/* The phases of a .pgen record (track 2): which heterozygous calls are phased, and which of those have the larger allele first. */
#ifndef GT_GENO_PLINK_PGEN_PHASE_H
#define GT_GENO_PLINK_PGEN_PHASE_H

#include "core/base/budget.h"
#include "geno/plink/pgen_list.h"

/* Reads the track into `phases`, a row of two bits a sample as gt_block.phases has them, which is 0 before.  row: codes; alleles: two
 * bytes per sample as gt_block.calls has them, NULL if no call has an allele above 1.  Returns NULL, or an error description (static
 * text). */
const char *gt_pgen_read_phase(struct gt_pgen_bytes *r, int64_t n_samples, const uint8_t *row, const uint8_t *alleles, uint8_t *phases);

/* Appends the track to `bytes` and sets *any, unless no heterozygous call is phased.  phases: as above; NULL: none is. */
int gt_pgen_put_phase(const uint8_t *row, const uint8_t *alleles, const uint8_t *phases, int64_t n_samples, struct gt_buf *bytes, bool *any,
                      struct gt_err *err);

#endif
