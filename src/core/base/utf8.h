/* UTF-8 validation of strings from Zarr stores and JSON. */
#ifndef GT_BASE_UTF8_H
#define GT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Bytes of the character at the start of `text`, which has n > 0 bytes; 0: it is none. */
size_t gt_utf8_length(const char *text, size_t n);
/* Is it well-formed UTF-8 (RFC 3629)? */
bool gt_is_utf8(const char *text, size_t n);
/* GT_INPUT if it is not.  what: subject of the message, such as "ID". */
int gt_check_utf8(const char *what, const char *text, size_t n, struct gt_err *err);

#endif
