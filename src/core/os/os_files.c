#include "config.h"

#include "core/os/os_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cannot_sync(int error)
{
    return error == EINVAL || error == ENOSYS || error == ENOTSUP;
}

#if HAVE_SYNCFS

int gt_sync_tree(int dir)
{
    return syncfs(dir) == 0 || cannot_sync(errno) ? 0 : -1;
}

#else

static int sync_entry(int dir, const char *name);

/* Takes over fd. */
static int sync_open(int fd)
{
    struct stat st;
    int rc = fstat(fd, &st);
    DIR *list = !rc && S_ISDIR(st.st_mode) ? fdopendir(fd) : NULL;
    if (!rc && S_ISDIR(st.st_mode) && !list)
        rc = -1;
    for (struct dirent *entry; !rc && list && (errno = 0, entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = sync_entry(fd, entry->d_name);
    if (!rc && list && errno)
        rc = -1;
    if (!rc && fsync(fd) != 0 && !cannot_sync(errno))
        rc = -1;
    const int error = errno;
    if (list)
        closedir(list);
    else
        close(fd);
    errno = error;
    return rc;
}

/* No sync is needed of what was removed meanwhile, and of what is neither file nor folder. */
static int sync_entry(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd >= 0 ? sync_open(fd) : errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : -1;
}

int gt_sync_tree(int dir)
{
    return sync_entry(dir, ".");
}

#endif

void gt_write_soon(int fd)
{
#if HAVE_SYNC_FILE_RANGE
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
#endif
}

void gt_drop_cached(int fd)
{
#if HAVE_POSIX_FADVISE
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
#else
    (void)fd;
#endif
}

int gt_exchange_names(const char *one, const char *other)
{
#if HAVE_RENAMEAT2
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
#elif HAVE_RENAMEATX_NP
    return renameatx_np(AT_FDCWD, one, AT_FDCWD, other, RENAME_SWAP);
#else
    (void)one, (void)other;
    errno = ENOSYS;
    return -1;
#endif
}

/* Its name goes at once. */
static int open_and_unlink(const char *dir)
{
    char name[PATH_MAX];
    const int n = snprintf(name, sizeof name, "%s/gt-spool-XXXXXX", dir);
    if (n < 0 || n >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

int gt_open_unnamed(const char *dir)
{
#if HAVE_DECL_O_TMPFILE
    const int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
        return fd;
#endif
    return open_and_unlink(dir);
}
