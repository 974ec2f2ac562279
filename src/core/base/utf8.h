/* UTF-8, which texts of Zarr stores and JSON are. */
#ifndef GT_BASE_UTF8_H
#define GT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Is it well-formed: no cut, overlong or surrogate sequence (RFC 3629)? */
bool gt_is_utf8(const char *text, size_t n);
/* GT_INPUT, with a hint, when it is not.  what: "the header", before the first bytes of the text in the message. */
int gt_check_utf8(const char *what, const char *text, size_t n, struct gt_err *err);

#endif
