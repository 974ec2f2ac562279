/* Paths to remove when the process ends early.
 *
 * Every temporary file or directory is registered before it is created and
 * forgotten once it has been renamed or removed.  The signal thread of a
 * command calls gt_cleanup_run() before it re-raises; error paths remove their
 * own.  All functions may be called from any thread. */
#ifndef GT_BASE_CLEANUP_H
#define GT_BASE_CLEANUP_H

#include "core/base/err.h"

int gt_cleanup_add(const char *path, struct gt_err *err); /* a file, or a directory tree */
void gt_cleanup_forget(const char *path);                 /* it is no longer ours: as it was added */
void gt_cleanup_run(void);                                /* remove all that is registered */

/* Remove a file or a whole tree, without following links; missing is fine. */
int gt_remove_tree(const char *path);

#endif
