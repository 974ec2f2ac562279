/* The output paths of a directory store: what exists at OUT and OUT.partial, and what of it may be replaced. */
#ifndef GT_STORE_DIR_TARGET_H
#define GT_STORE_DIR_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

size_t gt_dir_name_length(const char *path); /* without trailing slashes */

/* Has the directory no entries other than `but` (may be NULL)? */
bool gt_dir_is_empty(int dir, const char *but);

/* Completes a run that was killed after OUT got its name: removes what OUT was before, then the journal.  GT_FAIL: another
 * process is writing it, or it cannot be removed. */
int gt_dir_recover(const char *out, const char *partial, struct gt_err *err);
#endif
