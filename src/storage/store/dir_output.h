/* Where a directory store is to stand: what is at OUT and at OUT.partial already, and what of that may go. */
#ifndef GT_STORE_DIR_TARGET_H
#define GT_STORE_DIR_TARGET_H

#include <stddef.h>

#include "core/base/err.h"

size_t gt_dir_name_length(const char *path); /* without slashes behind it */

/* Of a run that was killed after OUT had its name: its journal goes, and first what OUT was before.  GT_FAIL: another
 * process is writing it, or it cannot be removed. */
int gt_dir_settle(const char *out, const char *partial, struct gt_err *err);
/* Removes what a dead run left at OUT.partial, if anything is there.  GT_FAIL: a process that lives is writing it, it is
 * something else, or cannot be removed. */
int gt_dir_clear_partial(const char *partial, struct gt_err *err);
/* Removes OUT.partial and its journal last; takes over `dir`, a descriptor of it.  Not 0: some of it stays. */
int gt_dir_remove_partial(int dir, const char *partial);

#endif
