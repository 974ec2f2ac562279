/* Kinds of input by their first bytes.  Private to src/storage/input. */
#ifndef GT_STORE_SNIFF_H
#define GT_STORE_SNIFF_H

#include "storage/input/input.h"

/* *kind is GT_KIND_UNKNOWN when the n bytes are of no kind we know. */
int gt_sniff(const uint8_t *data, size_t n, enum gt_input_kind *kind, struct gt_err *err);
/* Is this a tar header block (512 bytes) with a right checksum? */
bool gt_sniff_tar(const uint8_t *data, size_t n);
/* Is it a line of EIGENSTRAT's digits, or what there is of it?  Any list of numbers may be. */
bool gt_sniff_geno(const uint8_t *data, size_t n);
/* The first bytes inside a gzip member, at most room; *got: how many came out. */
int gt_sniff_inflate(const uint8_t *data, size_t n, uint8_t *out, size_t room, size_t *got, struct gt_err *err);

#endif
