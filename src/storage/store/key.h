/* Rules for keys, shared by all kinds of store.  Private to src/store. */
#ifndef GT_STORE_KEY_H
#define GT_STORE_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

#define GT_MAX_KEY 4096

/* A relative path without empty, "." or ".." parts and shorter than GT_MAX_KEY. */
bool gt_key_valid(const char *key, size_t n);
/* As a check before a key is used; `kind` of error is the caller's: GT_INPUT
 * for names found in files, GT_USAGE for keys asked for. */
int gt_key_check(const char *key, int status, const char *store, struct gt_err *err);
/* .zgroup, .zarray, .zattrs, .zmetadata and zarr.json. */
bool gt_key_is_meta(const char *key);
/* The part after the last '/'. */
const char *gt_key_base(const char *key);
/* Is key below prefix ("" = all; "a" and "a/" hold "a/b", not "ab")? */
bool gt_key_below(const char *key, const char *prefix);

#endif
