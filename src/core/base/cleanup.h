/* Paths to remove when the process ends early.
 *
 * A temporary file or directory is registered once its lock is held, and forgotten before it is renamed or removed,
 * since another process may use the name afterwards.  The signal thread of a command calls gt_cleanup_run() before it
 * re-raises the signal; error paths remove their own files.  All functions are thread-safe. */
#ifndef GT_BASE_CLEANUP_H
#define GT_BASE_CLEANUP_H

#include "core/base/err.h"

int gt_cleanup_add(const char *path, struct gt_err *err); /* a file or directory; removed only if the name still refers to the same file */
void gt_cleanup_forget(const char *path);                 /* call before rename or removal; blocks while gt_cleanup_run runs */
void gt_cleanup_run(void);                                /* removes everything registered */

/* Removes a file or a tree without following links; a missing path is not an error. */
int gt_remove_tree(const char *path);
/* The same for a directory that other threads may still write to or other processes may create again: renames it to PATH.old first,
 * and removes an existing PATH.old. */
int gt_remove_aside(const char *path);
/* Removes PATH.old, left by a process that was killed in gt_remove_aside. */
void gt_remove_old(const char *path);

#endif
