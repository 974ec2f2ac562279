/* Rules for keys, shared by all kinds of store.  Private to src/store. */
#ifndef GT_STORE_KEY_H
#define GT_STORE_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

#define GT_MAX_KEY 4096

/* Is it a relative path shorter than GT_MAX_KEY without empty, "." or ".." components? */
bool gt_key_valid(const char *key, size_t n);
/* Fails with `status` if the key is not valid: GT_INPUT for names found in files, GT_USAGE for keys from
 * the user. */
int gt_key_check(const char *key, int status, const char *store, struct gt_err *err);
/* Is it .zgroup, .zarray, .zattrs, .zmetadata or zarr.json? */
bool gt_key_is_meta(const char *key);
/* The last path component. */
const char *gt_key_base(const char *key);
/* Is key below prefix ("" = all; "a" and "a/" contain "a/b" but not "ab")? */
bool gt_key_below(const char *key, const char *prefix);

#endif
