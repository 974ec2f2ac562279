/* BGZF: gzip in blocks of at most 64 KiB that can be made side by side. */
#ifndef GT_OUT_BGZF_H
#define GT_OUT_BGZF_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/budget.h"

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
