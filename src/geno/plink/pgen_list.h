/* The bytes of a .pgen record and its sample lists (difflists). */
#ifndef GT_GENO_PLINK_PGEN_LIST_H
#define GT_GENO_PLINK_PGEN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const char GT_PGEN_TOO_SHORT[];

struct gt_pgen_bytes {
    const uint8_t *at, *end;
};

/* The next n bytes; NULL if the record is shorter. */
const uint8_t *gt_pgen_take(struct gt_pgen_bytes *r, uint64_t n);

/* Reads an ascending list of samples.  row: the list has a code per sample, which is written to this row of packed codes;
 * NULL: samples only.  marks: two bytes per sample, of which the first is set to 0 if the sample is listed, or NULL.  *n: number of
 * entries.  Returns NULL, or an error description (static text). */
const char *gt_pgen_read_list(struct gt_pgen_bytes *r, int64_t n_samples, uint8_t *row, uint8_t *marks, uint32_t *n);

/* Approximate size of the list of n samples that are evenly spread; codes: it has a code per sample. */
int64_t gt_pgen_list_bytes(int64_t n, int64_t n_samples, bool codes);
/* Writes the list of n ascending samples and, unless NULL, their codes, one per byte.  Returns its end.  It takes at most
 * GT_PGEN_LIST_ROOM(n) bytes. */
#define GT_PGEN_LIST_ROOM(n) ((size_t)(n)*6 + 16)
uint8_t *gt_pgen_write_list(uint8_t *to, const uint32_t *samples, const uint8_t *codes, uint32_t n, int64_t n_samples);
/* Writes n values of 0, 1, 2, 4 or 8 bits, the first in the lowest bits.  Returns their end. */
uint8_t *gt_pgen_write_packed(uint8_t *to, const uint8_t *values, int64_t n, unsigned bits);

#endif
