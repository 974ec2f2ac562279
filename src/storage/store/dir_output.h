/* Where a directory store is to stand: what is at OUT and at OUT.partial already, and what of that may go. */
#ifndef GT_STORE_DIR_TARGET_H
#define GT_STORE_DIR_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

size_t gt_dir_name_length(const char *path); /* without slashes behind it */

/* A directory without entries of any kind, by a descriptor of it; but: an entry that does not count, or NULL. */
bool gt_dir_is_empty(int dir, const char *but);

/* Of a run that was killed after OUT had its name: its journal goes, and first what OUT was before.  GT_FAIL: another
 * process is writing it, or it cannot be removed. */
int gt_dir_recover(const char *out, const char *partial, struct gt_err *err);
#endif
