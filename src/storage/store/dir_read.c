/* A directory store, for reading. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "core/os/os_files.h"
#include "storage/store/dir_read.h"
#include "storage/store/dir_store.h"
#include "storage/store/key.h"
#include "storage/store/range.h"

#define MAX_DEPTH 64

struct dir_store {
    struct gt_store base;
    int root;
};

/* Missing is only what the file system says is not there.  Metadata is looked for in places that
 * may be chunks; a chunk has nothing on its way that is no directory. */
static bool missing(int errnum, const char *key)
{
    return errnum == ENOENT || (errnum == ENOTDIR && gt_key_is_meta(key));
}

/* Chunks below it may have been written under names that the metadata does not say. */
static int is_directory(const char *store, const char *key, struct gt_err *err)
{
    return gt_key_is_meta(key) ? GT_NOENT : gt_fail(err, GT_INPUT, "'%s/%s' is a directory, not a chunk", store, key);
}

static int cannot_open(const char *store, const char *key, int errnum, struct gt_err *err)
{
    if (missing(errnum, key))
        return GT_NOENT;
    if (errnum == ENOTDIR)
        return gt_fail(err, GT_INPUT, "'%s/%s': a file is in the place of a directory", store, key);
    return gt_fail_errno(err, errnum, "cannot open '%s/%s'", store, key);
}

static int open_value(int root, const char *store, const char *key, int64_t *size, int *fd, struct gt_err *err)
{
    struct stat st;
    int rc = gt_key_check(key, GT_USAGE, store, err);
    if (rc)
        return rc;
    *fd = openat(root, key, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (*fd < 0)
        return cannot_open(store, key, errno, err);
    if (fstat(*fd, &st) != 0)
        rc = gt_fail_errno(err, errno, "cannot read '%s/%s'", store, key);
    else if (S_ISDIR(st.st_mode))
        rc = is_directory(store, key, err);
    else if (!S_ISREG(st.st_mode))
        rc = gt_fail(err, GT_INPUT, "'%s/%s' is not a regular file", store, key);
    *size = st.st_size;
    if (rc)
        close(*fd);
    return rc;
}

int gt_dir_get(int root, const char *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    int64_t size = 0;
    int fd = -1, rc = open_value(root, store, key, &size, &fd, err);
    if (rc)
        return rc;
    buf->len = 0;
    rc = gt_buf_reserve(buf, (size_t)size + 1, err); /* one more, so that the end is seen by the same read */
    if (rc)
        gt_fail_prefix(err, "'%s/%s'", store, key);
    while (!rc) {
        ssize_t got = read(fd, buf->data + buf->len, buf->cap - buf->len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            rc = gt_fail_errno(err, errno, "cannot read '%s/%s'", store, key);
        if (got <= 0)
            break;
        buf->len += (size_t)got;
        if (buf->len == buf->cap)
            rc = gt_buf_reserve(buf, buf->cap * 2, err);
        else if (buf->len >= (size_t)size)
            break;
    }
    close(fd);
    return rc;
}

int gt_dir_get_range(int root, const char *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    int64_t size = 0;
    int fd = -1, rc = open_value(root, store, key, &size, &fd, err);
    if (rc)
        return rc;
    buf->len = 0;
    rc = gt_range_resolve(store, key, size, &offset, n, err);
    if (!rc && (rc = gt_buf_resize(buf, n, err)) != 0)
        gt_fail_prefix(err, "'%s/%s'", store, key);
    for (size_t done = 0; done < n && !rc;) {
        ssize_t got = pread(fd, buf->data + done, n - done, (off_t)(offset + (int64_t)done));
        if (got < 0 && errno != EINTR)
            rc = gt_fail_errno(err, errno, "cannot read '%s/%s'", store, key);
        else if (got == 0)
            rc = gt_fail(err, GT_INPUT, "'%s/%s' is truncated", store, key);
        else if (got > 0)
            done += (size_t)got;
    }
    close(fd);
    return rc;
}

int gt_dir_has(int root, const char *store, const char *key, struct gt_err *err)
{
    struct stat st;
    int rc = gt_key_check(key, GT_USAGE, store, err);
    if (rc)
        return rc;
    if (fstatat(root, key, &st, 0) != 0)
        return cannot_open(store, key, errno, err);
    return S_ISREG(st.st_mode) ? 0 : S_ISDIR(st.st_mode) ? is_directory(store, key, err) : GT_NOENT;
}

/* The directories that lead to one: a link to one of them is passed by. */
struct trail {
    const struct trail *up;
    dev_t device;
    ino_t inode;
};

struct walk {
    const char *store;
    struct gt_strs *unlisted;
    int (*fn)(void *ctx, const char *key, int64_t size);
    void *ctx;
    struct gt_err *err;
};

static int walk_dir(const struct walk *walk, int fd, const char *path, const struct trail *up, int depth);

/* A folder that cannot be read, since `path`, the folder or a file in it, cannot: GT_END if the caller collects these. */
static int cannot_list(const struct walk *walk, const char *folder, const char *verb, const char *path, int errnum)
{
    struct gt_err why = {0};
    int rc = gt_fail_errno(&why, errnum, "cannot %s '%s/%s'", verb, walk->store, path);
    if (walk->unlisted && errnum != ENOMEM && errnum != EMFILE && errnum != ENFILE) {
        rc = gt_strs_add(walk->unlisted, folder, strlen(folder), walk->err);
        rc = rc ? rc : gt_strs_add(walk->unlisted, why.msg, strlen(why.msg), walk->err);
        return rc ? rc : GT_END;
    }
    if (walk->err)
        *walk->err = why;
    return rc;
}

/* A link leads back to where it came from. */
static bool is_loop(const struct trail *up, const struct stat *st)
{
    while (up && (up->device != st->st_dev || up->inode != st->st_ino))
        up = up->up;
    return up;
}

static int walk_entry(const struct walk *walk, int dir, const char *name, const char *path, const struct trail *up, int depth)
{
    struct stat st;
    struct gt_str key = {0};
    gt_str_addf(&key, "%s%s%s", path, *path ? "/" : "", name);
    int rc = gt_str_check(&key, walk->err);
    if (!rc && fstatat(dir, name, &st, 0) != 0) {
        if (errno != ENOENT && errno != ELOOP) /* removed meanwhile, or a link to nowhere */
            rc = cannot_list(walk, path, "stat", key.s, errno);
    } else if (!rc && S_ISDIR(st.st_mode) && !is_loop(up, &st)) {
        int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        rc = fd < 0 ? cannot_list(walk, key.s, "open", key.s, errno) : walk_dir(walk, fd, key.s, up, depth + 1);
        rc = rc == GT_END ? GT_OK : rc;
    } else if (!rc && S_ISREG(st.st_mode)) {
        rc = walk->fn(walk->ctx, key.s, st.st_size);
    }
    gt_str_release(&key);
    return rc;
}

/* Takes over fd.  GT_END: noted as not listed. */
static int walk_dir(const struct walk *walk, int fd, const char *path, const struct trail *up, int depth)
{
    struct trail here = {.up = up};
    struct stat st;
    if (depth > MAX_DEPTH) {
        close(fd);
        return gt_fail(walk->err, GT_INPUT, "'%s' is more than %d directories deep at '%.200s'", walk->store, MAX_DEPTH, path);
    }
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int rc = gt_fail_errno(walk->err, errno, "cannot list '%s/%s'", walk->store, path);
        close(fd);
        return rc;
    }
    int rc = fstat(fd, &st) == 0 ? 0 : gt_fail_errno(walk->err, errno, "cannot stat '%s/%s'", walk->store, path);
    struct dirent *entry;
    here.device = rc ? 0 : st.st_dev, here.inode = rc ? 0 : st.st_ino;
    while (errno = 0, !rc && (entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = walk_entry(walk, dirfd(dir), entry->d_name, path, &here, depth);
    if (!rc && errno)
        rc = cannot_list(walk, path, "list", path, errno);
    closedir(dir);
    return rc;
}

/* Those that the store is in; a link may lead to them, too.  How many of them. */
static size_t find_parents(int root, struct trail parents[MAX_DEPTH])
{
    struct stat st;
    size_t n = 0;
    int dir = openat(root, "..", GT_O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (dir >= 0 && n < MAX_DEPTH && fstat(dir, &st) == 0) {
        if (n > 0 && parents[n - 1].device == st.st_dev && parents[n - 1].inode == st.st_ino) /* the root of all */
            break;
        parents[n] = (struct trail){n > 0 ? &parents[n - 1] : NULL, st.st_dev, st.st_ino};
        n++;
        int up = openat(dir, "..", GT_O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = up;
    }
    if (dir >= 0)
        close(dir);
    return n;
}

int gt_dir_list(int root, const char *store, struct gt_strs *unlisted, const char *prefix,
                int (*fn)(void *ctx, const char *key, int64_t size), void *ctx, struct gt_err *err)
{
    struct trail parents[MAX_DEPTH];
    size_t n = strlen(prefix), up = find_parents(root, parents);
    char *path = gt_strndup(prefix, n > 0 && prefix[n - 1] == '/' ? n - 1 : n, err);
    struct walk walk = {store, unlisted, fn, ctx, err};
    if (!path)
        return GT_FAIL;
    int rc = *path ? gt_key_check(path, GT_USAGE, store, err) : 0;
    if (!rc) {
        int fd = openat(root, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            rc = walk_dir(&walk, fd, path, up > 0 ? &parents[up - 1] : NULL, 0);
        else if (errno != ENOENT && errno != ENOTDIR)
            rc = cannot_list(&walk, path, "open", path, errno);
        rc = rc == GT_END ? GT_OK : rc;
    }
    free(path);
    return rc;
}

static int dir_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    return gt_dir_get(((struct dir_store *)store)->root, store->name, key, buf, err);
}

static int dir_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return gt_dir_get_range(((struct dir_store *)store)->root, store->name, key, offset, n, buf, err);
}

static int dir_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    return gt_dir_has(((struct dir_store *)store)->root, store->name, key, err);
}

static int dir_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    return gt_dir_list(((struct dir_store *)store)->root, store->name, store->unlisted, prefix, fn, ctx, err);
}

int gt_store_no_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    (void)data, (void)n;
    return gt_fail(err, GT_USAGE, "cannot write '%s' in '%s': opened for reading", key, store->name);
}

int gt_store_no_finish(struct gt_store *store, struct gt_err *err)
{
    (void)store, (void)err;
    return 0;
}

static void dir_free(struct gt_store *store)
{
    close(((struct dir_store *)store)->root);
    free(store->name);
    free(store);
}

static const struct gt_store_ops dir_ops = {.kind = "directory",
                                            .get = dir_get,
                                            .get_range = dir_get_range,
                                            .has = dir_has,
                                            .list = dir_list,
                                            .put = gt_store_no_put,
                                            .finish = gt_store_no_finish,
                                            .free = dir_free};

int gt_store_open_dir(struct gt_store **out, const char *path, struct gt_err *err)
{
    *out = NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    struct dir_store *self = gt_alloc(1, sizeof *self, err);
    if (self)
        self->base = (struct gt_store){.ops = &dir_ops, .name = gt_strdup(path, err)};
    if (!self || !self->base.name) {
        close(fd);
        free(self);
        return GT_FAIL;
    }
    self->root = fd;
    *out = &self->base;
    return 0;
}
