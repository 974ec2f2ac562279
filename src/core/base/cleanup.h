/* Paths to remove when the process ends early.
 *
 * Every temporary file or directory is registered once it is ours, which its lock tells, and
 * forgotten before it is renamed or removed: after that the name may be another process's.  The
 * signal thread of a command calls gt_cleanup_run() before it re-raises; error paths remove their
 * own.  All functions may be called from any thread. */
#ifndef GT_BASE_CLEANUP_H
#define GT_BASE_CLEANUP_H

#include "core/base/err.h"

int gt_cleanup_add(const char *path, struct gt_err *err); /* a file or a directory: removed only while the name means what it means now */
void gt_cleanup_forget(const char *path);                 /* it is no longer ours: as it was added.  Waits for gt_cleanup_run */
void gt_cleanup_run(void);                                /* remove all that is registered */

/* Remove a file or a whole tree, without following links; missing is fine. */
int gt_remove_tree(const char *path);
/* The same of a directory that other threads may still write into, or other processes make anew: it is renamed to PATH.old
 * first, and what has that name already is removed. */
int gt_remove_aside(const char *path);
/* PATH.old, where a process was killed while it removed that. */
void gt_remove_old(const char *path);

#endif
