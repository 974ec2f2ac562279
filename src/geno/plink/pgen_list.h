/* The bytes of one .pgen record and the lists of samples (PLINK: difflists) in it. */
#ifndef GT_GENO_PLINK_PGEN_LIST_H
#define GT_GENO_PLINK_PGEN_LIST_H

#include <stddef.h>
#include <stdint.h>

extern const char GT_PGEN_TOO_SHORT[];

struct gt_pgen_bytes {
    const uint8_t *at, *end;
};

/* The next n bytes; NULL if the record ends before. */
const uint8_t *gt_pgen_take(struct gt_pgen_bytes *r, uint64_t n);

/* A list of samples in increasing order.  row: the list has a code for each sample, and sets it in this
 * row of packed codes; NULL: it has samples only.  *n: entries.  NULL, or what is wrong, static text. */
const char *gt_pgen_read_list(struct gt_pgen_bytes *r, int64_t n_samples, uint8_t *row, uint32_t *n);

#endif
