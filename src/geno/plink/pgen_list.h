/* The bytes of a .pgen record and its sample lists (difflists). */
#ifndef GT_GENO_PLINK_PGEN_LIST_H
#define GT_GENO_PLINK_PGEN_LIST_H

#include <stddef.h>
#include <stdint.h>

extern const char GT_PGEN_TOO_SHORT[];

struct gt_pgen_bytes {
    const uint8_t *at, *end;
};

/* The next n bytes; NULL if the record is shorter. */
const uint8_t *gt_pgen_take(struct gt_pgen_bytes *r, uint64_t n);

/* Reads an ascending list of samples.  row: the list has a code per sample, which is written to this row of packed codes;
 * NULL: samples only.  *n: number of entries.  Returns NULL, or an error description (static text). */
const char *gt_pgen_read_list(struct gt_pgen_bytes *r, int64_t n_samples, uint8_t *row, uint32_t *n);

#endif
