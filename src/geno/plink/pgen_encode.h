/* Writes one record of a PLINK 2 .pgen: the hard calls of a variant with their phases, and with the ALTs of multiallelic ones. */
#ifndef GT_GENO_PLINK_PGEN_ENCODE_H
#define GT_GENO_PLINK_PGEN_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"

/* The records of a block of variants, in order. */
struct gt_pgen_encoder {
    int64_t n_samples;
    const uint8_t *base; /* the row that a difference may refer to, of an earlier call; set it to NULL where none is allowed */
    struct gt_buf list;  /* scratch */
};

/* The most alleles of a variant, including REF, that the rows of alleles below can store. */
#define GT_PGEN_MAX_ALLELES 128

/* Appends the record of a row to `bytes` and sets its type.  The hard calls take (n_samples + 3) / 4 bytes or less.  row: packed codes, pad
 * bits 0; it becomes the base of the next records unless it is a difference itself, and must stay valid until then.  alleles: two bytes per
 * sample as in gt_block.calls, of n_alleles including REF, 3 to GT_PGEN_MAX_ALLELES; NULL if no call has an allele above 1.  phases: two
 * bits per sample as in gt_block.phases; NULL if no call is phased. */
int gt_pgen_encode(struct gt_pgen_encoder *encoder, const uint8_t *row, const uint8_t *alleles, int n_alleles, const uint8_t *phases,
                   struct gt_buf *bytes, uint8_t *type, struct gt_err *err);

#endif
