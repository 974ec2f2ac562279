/* Kinds told from first bytes.  Private to src/store. */
#ifndef GT_STORE_SNIFF_H
#define GT_STORE_SNIFF_H

#include "store/input.h"

/* GT_KIND_UNKNOWN when the n bytes are of no kind we know. */
enum gt_input_kind gt_sniff(const uint8_t *data, size_t n);
/* Is this a tar header block (512 bytes) with a right checksum? */
bool gt_sniff_tar(const uint8_t *data, size_t n);
/* The first bytes inside a gzip member, at most room: how many came out. */
size_t gt_sniff_inflate(const uint8_t *data, size_t n, uint8_t *out, size_t room);

#endif
