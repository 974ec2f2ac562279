/* Fast compression of items that this process writes and reads back itself (src/calc: what
 * rechunking spills): bytes from -1 to 2 in two bits each, others with blosc's lz4 and bits shuffled.  No format of a store. */
#ifndef GT_CODEC_QUICK_H
#define GT_CODEC_QUICK_H

#include <stddef.h>

#include "core/base/err.h"

/* n bytes, items of `item`, into `to`, which has room for n and does not overlap them.  The length, less than n; 0: they do
 * not get shorter, and nothing of use is in `to`. */
size_t gt_quick_encode(const void *data, size_t n, size_t item, void *to);
/* The n bytes that were encoded as `len`.  GT_FAIL: these are others. */
int gt_quick_decode(const void *data, size_t len, void *to, size_t n, struct gt_err *err);

#endif
