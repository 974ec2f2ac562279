/* One BGZF block: a gzip member that says how long it is (SAM specification, 4.1). */
#ifndef GT_GENO_BGZF_H
#define GT_GENO_BGZF_H

#include <stddef.h>
#include <stdint.h>

#define GT_BGZF_HEADER 18 /* bytes before the data when there is no other extra field */

struct libdeflate_decompressor;

/* Size of the block that begins at data: > 0 (it may be more than n; *text is its
 * size inflated when it is not), 0 when n bytes are too few to tell, -1 when this
 * is no BGZF block. */
int64_t gt_bgzf_block(const uint8_t *data, size_t n, size_t *text);
/* Inflate the whole block at data; NULL, or what is wrong with it. */
const char *gt_bgzf_inflate(struct libdeflate_decompressor *inflater, const uint8_t *data, size_t n, void *text, size_t text_len);

#endif
