/* BGZF: gzip in blocks of at most 64 KiB, each a member that says how long it is (SAM specification, 4.1), so that they can be made
 * and inflated side by side. */
#ifndef GT_GENO_BGZF_H
#define GT_GENO_BGZF_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"

#define GT_BGZF_HEADER 18 /* bytes before the data when there is no other extra field */

struct libdeflate_decompressor;

/* Size of the block that begins at data: > 0 (it may be more than n; *text is its
 * size inflated when it is not), 0 when n bytes are too few to tell, -1 when this
 * is no BGZF block. */
int64_t gt_bgzf_block(const uint8_t *data, size_t n, size_t *text);
/* Inflate the whole block at data; NULL, or what is wrong with it. */
const char *gt_bgzf_inflate(struct libdeflate_decompressor *inflater, const uint8_t *data, size_t n, void *text, size_t text_len);

/* The empty block that ends a file. */
extern const uint8_t gt_bgzf_end[28];

/* Bytes of data in a block. */
#define GT_BGZF_TEXT ((size_t)0xff00)

#define GT_BGZF_MOST 12 /* level of libdeflate */

/* Appends n bytes of data as whole blocks of GT_BGZF_TEXT; the last one may be short.  level: of
 * libdeflate, 1 to GT_BGZF_MOST.  Any thread.  GT_FAIL: no memory. */
int gt_bgzf_compress(const void *data, size_t n, int level, struct gt_buf *out, struct gt_err *err);
/* Size of the block that begins there. */
size_t gt_bgzf_size(const uint8_t *block);

#endif
