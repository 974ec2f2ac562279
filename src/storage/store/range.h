/* Ranges of values.  Private to src/store. */
#ifndef GT_STORE_RANGE_H
#define GT_STORE_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* Converts *offset to an offset from the start of a value of this size; GT_INPUT if the range of n bytes exceeds it. */
int gt_range_resolve(const char *store, const char *key, int64_t size, int64_t *offset, size_t n, struct gt_err *err);

#endif
