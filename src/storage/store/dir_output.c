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

#include "core/base/alias_check.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/store/dir_read.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"

bool gt_dir_is_empty(int dir, const char *but)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* of its own: reading moves it */
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    bool empty = entries != NULL;
    while (empty && (entry = readdir(entries)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || (but && strcmp(entry->d_name, but) == 0);
    if (entries)
        closedir(entries);
    else if (fd >= 0)
        close(fd);
    return empty;
}

/* Is the file of that name the metadata of a Zarr group or array? */
static bool is_metadata(int dir, const char *path, const char *name)
{
    struct gt_buf text = {0};
    struct json_object *doc = NULL;
    int64_t format;
    bool is = gt_dir_get(dir, path, name, &text, NULL) == GT_OK &&
              gt_json_parse(&doc, (const char *)text.data, text.len, name, NULL, NULL) == GT_OK &&
              gt_json_i64(gt_json_get(doc, "zarr_format"), &format);
    if (is && strcmp(name, "zarr.json") == 0) {
        const char *type = gt_json_text(doc, "node_type");
        is = format == 3 && type && (strcmp(type, "group") == 0 || strcmp(type, "array") == 0);
    } else if (is) {
        is = format == 2 && (strcmp(name, ".zgroup") == 0 || gt_json_get(doc, "shape"));
    }
    json_object_put(doc);
    gt_buf_release(&text);
    return is;
}

/* A directory that --force may remove: a store by its metadata, or an empty one. */
static bool is_store(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool store = is_metadata(fd, path, ".zgroup") || is_metadata(fd, path, ".zarray") || is_metadata(fd, path, "zarr.json") ||
                 gt_dir_is_empty(fd, NULL);
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
    int rc = gt_alias_check_output(path, err);
    gt_str_addf(&partial, "%s.partial", path);
    rc = rc ? rc : gt_alias_check_output(partial.s, err);
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
        return gt_fail(err, GT_FAIL, "cannot create '%s': it exists and is something else", path);
    if (!replace) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': %s already exists", path, file ? "a file of that name" : "it");
        gt_hint(err, "replace it with --force");
        return rc;
    }
    return file || is_store(path)
               ? 0
               : gt_fail(err, GT_FAIL, "cannot replace '%s': it is a directory without the metadata of a Zarr store", path);
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

/* What OUT was before it was exchanged with OUT.partial: a file, or a directory that is neither empty nor has a journal, as
 * directories of living processes are. */
static bool is_replaced(const char *partial)
{
    struct stat st;
    int dir = open(partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir < 0)
        return lstat(partial, &st) == 0 && S_ISREG(st.st_mode);
    const bool replaced = !gt_journal_exists(dir) && !gt_dir_is_empty(dir, NULL);
    close(dir);
    return replaced;
}

/* With OUT's journal locked nobody else does this. */
int gt_dir_recover(const char *out, const char *partial, struct gt_err *err)
{
    int dir = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC), journal;
    if (dir < 0)
        return GT_OK;
    int rc = gt_journal_take_ended(dir, out, &journal, err);
    if (!rc && journal >= 0) {
        if (is_replaced(partial))
            gt_remove_aside(partial);
        if (unlinkat(dir, GT_JOURNAL, 0) != 0 && errno != ENOENT)
            rc = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL "'", out);
        close(journal);
    }
    close(dir);
    return rc;
}

int gt_store_recover(const char *path, struct gt_err *err)
{
    struct gt_str partial = {0};
    gt_str_addf(&partial, "%.*s.partial", (int)gt_dir_name_length(path), path);
    int rc = gt_str_check(&partial, err);
    rc = rc ? rc : gt_dir_recover(path, partial.s, err);
    gt_str_release(&partial);
    return rc;
}
