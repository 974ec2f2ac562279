/* Locks on files that are made under a fixed name, renamed or removed by their writer, and never by anyone else while it lives.
 *
 * Between opening a file and locking it the file may be renamed or removed: a lock counts only if the name still means the same
 * file afterwards.  Whoever renames or removes such a file holds its lock, and has checked it so.  Then of several processes that
 * open one name at the same time one has it, always. */
#ifndef GT_BASE_LOCK_H
#define GT_BASE_LOCK_H

#include <stdbool.h>

enum gt_lock {
    GT_LOCK_HELD,  /* until the last descriptor of this opening is closed */
    GT_LOCK_TAKEN, /* another process has it */
    GT_LOCK_GONE,  /* the name means another file by now, or none */
    GT_LOCK_NONE,  /* the name means the file, and this file system has no locks */
};

/* fd was opened as `path`.  Does not wait. */
enum gt_lock gt_lock_take(int fd, const char *path);

/* Does `path` mean the file of the descriptor fd?  Links are not followed. */
bool gt_lock_names(int fd, const char *path);

#endif
