/* The state of the output paths when the command began, so that it does not replace what another process has written since.
 * All functions are thread-safe. */
#ifndef GT_BASE_EXPECT_H
#define GT_BASE_EXPECT_H

#include "core/base/err.h"

/* Records `path` as an output; what exists there now may be replaced. */
int gt_expect_output(const char *path, struct gt_err *err);
/* GT_FAIL if the path has changed since.  Paths that were not recorded pass. */
int gt_expect_check(const char *path, struct gt_err *err);
void gt_expect_forget(const char *path); /* the path is now ours; NULL: all of them */

#endif
