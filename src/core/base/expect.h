/* What stood under the names of outputs when the command began, so that it does not replace what another process has written since.
 * All functions may be called from any thread. */
#ifndef GT_BASE_EXPECT_H
#define GT_BASE_EXPECT_H

#include "core/base/err.h"

/* `path` is going to be written: what stands there now may be replaced. */
int gt_expect_output(const char *path, struct gt_err *err);
/* GT_FAIL: something else stands there by now.  What was not expected is left alone. */
int gt_expect_check(const char *path, struct gt_err *err);
void gt_expect_forget(const char *path); /* it is ours now; NULL: all of them */

#endif
