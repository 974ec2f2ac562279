#include "config.h"

#include "storage/store/dir_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/guard.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/store/dir_read.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"

static bool has_file(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int found_one(void *ctx, const char *key, int64_t size)
{
    (void)ctx, (void)key, (void)size;
    return GT_END;
}

/* A directory that --force may remove: a store, or without any file. */
static bool is_store(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool store = has_file(fd, ".zgroup") || has_file(fd, ".zarray") || has_file(fd, "zarr.json") ||
                 gt_dir_list(fd, path, "", found_one, NULL, NULL) == 0;
    close(fd);
    return store;
}

size_t gt_dir_name_length(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

static int guard(const char *path, struct gt_err *err)
{
    struct gt_str partial = {0};
    int rc = gt_guard_output(path, err);
    gt_str_addf(&partial, "%s.partial", path);
    rc = rc ? rc : gt_guard_output(partial.s, err);
    gt_str_release(&partial);
    return rc;
}

static int check_target(const char *path, bool replace, struct gt_err *err)
{
    struct stat st;
    int rc = guard(path, err);
    if (rc)
        return rc;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? 0 : gt_fail_errno(err, errno, "cannot create '%s'", path);
    bool file = S_ISREG(st.st_mode);
    if (!file && !S_ISDIR(st.st_mode))
        return gt_fail(err, GT_FAIL, "cannot create '%s': something else is there", path);
    if (!replace) {
        rc = gt_fail(err, GT_FAIL, file ? "cannot create '%s': it is a file, and the store a directory" : "cannot create '%s': it is there",
                     path);
        gt_hint(err, "replace it with --force");
        return rc;
    }
    return file || is_store(path) ? 0 : gt_fail(err, GT_FAIL, "cannot replace '%s': it is a directory but no Zarr store", path);
}

int gt_store_check_dir(const char *path, bool replace, struct gt_err *err)
{
    char *name = gt_strndup(path, gt_dir_name_length(path), err);
    if (!name)
        return GT_FAIL;
    int rc = *name ? check_target(name, replace, err) : gt_fail(err, GT_USAGE, "the output has an empty name");
    free(name);
    return rc;
}

/* --- what other runs left ------------------------------------------------------------------ */

/* Its journal last: until then it is what a dead run left. */
int gt_dir_remove_partial(int dir, const char *partial)
{
    DIR *entries = fdopendir(dir);
    struct dirent *entry;
    if (!entries) {
        close(dir);
        return GT_FAIL;
    }
    while ((entry = readdir(entries)) != NULL) {
        char name[PATH_MAX];
        const bool is_self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        const int n = snprintf(name, sizeof name, "%s/%s", partial, entry->d_name);
        if (!is_self && strcmp(entry->d_name, GT_JOURNAL) != 0 && n > 0 && (size_t)n < sizeof name)
            gt_remove_tree(name);
    }
    closedir(entries);
    return gt_remove_tree(partial);
}

int gt_dir_settle(const char *out, const char *partial, struct gt_err *err)
{
    int dir = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC), old, rc = GT_OK;
    if (dir < 0)
        return GT_OK;
    const enum gt_journal_state state = gt_journal_look(dir);
    if (state == GT_JOURNAL_LIVE) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", out);
    } else if (state == GT_JOURNAL_ENDED) {
        old = open(partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (old >= 0 && gt_journal_look(old) == GT_JOURNAL_NONE)
            gt_remove_tree(partial);
        if (old >= 0)
            close(old);
        if (unlinkat(dir, GT_JOURNAL, 0) != 0)
            rc = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL "'", out);
    }
    close(dir);
    return rc;
}

int gt_dir_clear_partial(const char *partial, struct gt_err *err)
{
    struct stat st;
    int rc = 0, dir = open(partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir < 0 && lstat(partial, &st) != 0)
        return errno == ENOENT ? 0 : gt_fail_errno(err, errno, "cannot create '%s'", partial);
    const enum gt_journal_state state = dir < 0 ? GT_JOURNAL_NONE : gt_journal_look(dir);
    if (dir < 0 || (state == GT_JOURNAL_NONE && gt_dir_list(dir, partial, "", found_one, NULL, NULL) != 0)) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': something else is there", partial);
        gt_hint(err, "move it away");
    } else if (state == GT_JOURNAL_LIVE) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': another process is writing it", partial);
    } else {
        rc = gt_dir_remove_partial(dir, partial) ? gt_fail_errno(err, errno, "cannot remove '%s'", partial) : GT_OK;
        dir = -1;
    }
    if (dir >= 0)
        close(dir);
    return rc;
}

int gt_store_settle(const char *path, struct gt_err *err)
{
    struct gt_str partial = {0};
    gt_str_addf(&partial, "%.*s.partial", (int)gt_dir_name_length(path), path);
    int rc = gt_str_check(&partial, err);
    rc = rc ? rc : gt_dir_settle(path, partial.s, err);
    gt_str_release(&partial);
    return rc;
}
