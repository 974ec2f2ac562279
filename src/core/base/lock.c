#include "config.h"

#include "core/base/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

bool gt_lock_names(int fd, const char *path)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

enum gt_lock gt_lock_take(int fd, const char *path)
{
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK)
        return GT_LOCK_TAKEN;
    if (!gt_lock_names(fd, path))
        return GT_LOCK_GONE;
    return locked ? GT_LOCK_HELD : GT_LOCK_NONE;
}
