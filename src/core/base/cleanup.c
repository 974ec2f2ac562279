#include "config.h"

#include "core/base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/str.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char *full;
    size_t given; /* what was added begins here */
    dev_t dev;
    ino_t ino;
} * paths;
static size_t n_paths, cap_paths;

/* A relative path is removed from where it was registered, wherever the process is by then. */
static int absolute(const char *path, struct gt_str *full, struct gt_err *err)
{
    char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (cwd)
        gt_str_addf(full, "%s/", cwd);
    gt_str_add(full, path);
    free(cwd);
    return gt_str_check(full, err);
}

int gt_cleanup_add(const char *path, struct gt_err *err)
{
    struct gt_str full = {0};
    struct stat st = {0};
    int status = absolute(path, &full, err);
    if (status)
        return status;
    pthread_mutex_lock(&lock);
    status = gt_grow(&paths, &cap_paths, n_paths + 1, sizeof *paths, err);
    if (!status && lstat(full.s, &st) != 0)
        st = (struct stat){0};
    if (!status) {
        paths[n_paths].full = full.s;
        paths[n_paths].dev = st.st_dev;
        paths[n_paths].ino = st.st_ino;
        paths[n_paths++].given = full.len - strlen(path);
    }
    pthread_mutex_unlock(&lock);
    if (status)
        gt_str_release(&full);
    return status;
}

void gt_cleanup_forget(const char *path)
{
    pthread_mutex_lock(&lock);
    for (size_t i = n_paths; i-- > 0;)
        if (!strcmp(paths[i].full + paths[i].given, path)) {
            free(paths[i].full);
            paths[i] = paths[--n_paths];
            break;
        }
    if (!n_paths) {
        free(paths);
        paths = NULL;
        cap_paths = 0;
    }
    pthread_mutex_unlock(&lock);
}

static void empty_directory(int dir);

/* True: it is gone. */
static bool remove_entry(int dir, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return false;
    if (unlinkat(dir, name, 0) == 0)
        return true;
    int below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        return false;
    empty_directory(below);
    return unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* Removes what is in a directory, deepest first.  Takes over dir.  Nothing is allocated, where the system can do that: a command that is
 * out of memory clears away what it has begun. */
#if HAVE_GETDENTS64
static void empty_directory(int dir)
{
    alignas(struct dirent64) char batch[1024];
    ssize_t n;
    while ((n = getdents64(dir, batch, sizeof batch)) > 0)
        for (struct dirent64 *e = (void *)batch; (char *)e < batch + n; e = (void *)((char *)e + e->d_reclen))
            remove_entry(dir, e->d_name);
    close(dir);
}
#else
/* Names may be passed over while others are removed. */
static void empty_directory(int dir)
{
    DIR *list = fdopendir(dir);
    struct dirent *entry;
    for (bool again = list != NULL; again; rewinddir(list)) {
        again = false;
        while ((entry = readdir(list)) != NULL)
            again |= remove_entry(dir, entry->d_name);
    }
    if (list)
        closedir(list);
    else
        close(dir);
}
#endif

int gt_remove_tree(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return GT_OK;
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0)
        empty_directory(dir);
    return rmdir(path) == 0 || errno == ENOENT ? GT_OK : GT_FAIL;
}

static bool name_aside(const char *path, char aside[PATH_MAX])
{
    const int n = snprintf(aside, PATH_MAX, "%s.old", path);
    return n > 0 && n < PATH_MAX;
}

int gt_remove_aside(const char *path)
{
    char aside[PATH_MAX];
    if (unlink(path) == 0 || errno == ENOENT)
        return GT_OK;
    if (!name_aside(path, aside))
        return gt_remove_tree(path);
    if (rename(path, aside) != 0 && (gt_remove_tree(aside) != 0 || rename(path, aside) != 0))
        return errno == ENOENT ? GT_OK : gt_remove_tree(path);
    return gt_remove_tree(aside);
}

void gt_remove_old(const char *path)
{
    char aside[PATH_MAX];
    if (name_aside(path, aside))
        gt_remove_tree(aside);
}

void gt_cleanup_run(void)
{
    pthread_mutex_lock(&lock);
    while (n_paths) {
        struct stat st;
        n_paths--;
        if (lstat(paths[n_paths].full, &st) == 0 &&
            (!paths[n_paths].ino || (st.st_dev == paths[n_paths].dev && st.st_ino == paths[n_paths].ino)))
            gt_remove_aside(paths[n_paths].full);
        free(paths[n_paths].full);
    }
    free(paths);
    paths = NULL;
    cap_paths = 0;
    pthread_mutex_unlock(&lock);
}
