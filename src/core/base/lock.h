/* Locks on files that are created under a fixed name and renamed or removed by their writer.
 *
 * A file can be renamed or removed between open and lock, so after locking, the name is compared with the file again.  Only the
 * holder of a verified lock renames or removes the file.  So of several processes that open the name at the same time exactly one
 * gets the lock. */
#ifndef GT_BASE_LOCK_H
#define GT_BASE_LOCK_H

#include <stdbool.h>

enum gt_lock {
    GT_LOCK_HELD,  /* held until the last descriptor of this open file is closed */
    GT_LOCK_TAKEN, /* held by another process */
    GT_LOCK_GONE,  /* the name now refers to another file, or to none */
    GT_LOCK_NONE,  /* the name refers to the file, but the file system has no locks */
};

/* Locks fd, which was opened as `path`.  Does not block. */
enum gt_lock gt_lock_take(int fd, const char *path);

/* Does `path` refer to the file open as fd?  Symbolic links are not followed. */
bool gt_lock_names(int fd, const char *path);

#endif
