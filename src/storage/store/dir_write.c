/* A directory store being written: OUT.partial/ with a journal, renamed to OUT by finish.
 *
 * The journal goes with it and is removed last, so that after a kill at any moment it says
 * which of OUT and OUT.partial is what: without one OUT.partial is what OUT was before. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/store/dir_output.h"
#include "storage/store/dir_read.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"
#include "storage/store/key.h"

#define SCRATCH ".gt-scratch"
#define SENT_ON ((size_t)128 << 10) /* bytes of a value */

struct dir_writer {
    struct gt_store base;
    char *partial;
    bool created; /* partial is ours */
    bool keep;    /* and stays when it is not finished */
    bool replace;
    int root; /* descriptor, -1 when closed */
    struct gt_journal *journal;
};

static int writer_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    return gt_dir_get(((struct dir_writer *)store)->root, store->name, key, buf, err);
}

static int writer_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return gt_dir_get_range(((struct dir_writer *)store)->root, store->name, key, offset, n, buf, err);
}

static int writer_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    return gt_dir_has(((struct dir_writer *)store)->root, store->name, key, err);
}

struct skip_journal {
    int (*fn)(void *ctx, const char *key, int64_t size);
    void *ctx;
};

static int skip_journal(void *ctx, const char *key, int64_t size)
{
    struct skip_journal *skip = ctx;
    return strcmp(key, GT_JOURNAL) == 0 || strcmp(key, SCRATCH) == 0 ? 0 : skip->fn(skip->ctx, key, size);
}

static int writer_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                       struct gt_err *err)
{
    struct skip_journal skip = {fn, ctx};
    return gt_dir_list(((struct dir_writer *)store)->root, store->name, prefix, skip_journal, &skip, err);
}

/* Directories on the way to key that are not there yet. */
static int make_parents(struct dir_writer *self, const char *key, struct gt_err *err)
{
    char *path = gt_strdup(key, err);
    int rc = path ? 0 : GT_FAIL;
    for (char *slash = path ? strchr(path, '/') : NULL; slash && !rc; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdirat(self->root, path, 0777) != 0 && errno != EEXIST)
            rc = gt_fail_errno(err, errno, "cannot create '%s/%s'", self->base.name, path);
        *slash = '/';
    }
    free(path);
    return rc;
}

/* Most keys go to a directory that is there: it is made only when opening fails. */
static int create_value(struct dir_writer *self, const char *key, int *fd, struct gt_err *err)
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    *fd = openat(self->root, key, flags, 0666);
    if (*fd < 0 && errno == ENOENT) {
        int rc = make_parents(self, key, err);
        if (rc)
            return rc;
        *fd = openat(self->root, key, flags, 0666);
    }
    return *fd < 0 ? gt_fail_errno(err, errno, "cannot create '%s/%s'", self->base.name, key) : 0;
}

/* Large values begin to go to disk while others are made, so that finish waits for few. */
static void send_on(int fd, size_t n)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (n >= SENT_ON)
        (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd, (void)n;
#endif
}

static int writer_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct dir_writer *self = (struct dir_writer *)store;
    struct gt_str name = {0};
    int fd, rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc || (rc = create_value(self, key, &fd, err)))
        return rc;
    gt_str_addf(&name, "%s/%s", store->name, key);
    rc = gt_str_check(&name, err);
    if (!rc)
        rc = gt_write_all(fd, data, n, name.s, err);
    send_on(fd, n);
    if (close(fd) != 0 && errno != EINTR && !rc)
        rc = gt_fail_errno(err, errno, "cannot write '%s'", name.s);
    gt_str_release(&name);
    return rc ? rc : gt_journal_add(self->journal, key, data, n, err);
}

static int writer_done(struct gt_store *store, const char *key, int64_t *size, struct gt_err *err)
{
    return gt_journal_done(((struct dir_writer *)store)->journal, key, size, err);
}

static int writer_verify(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err)
{
    return gt_journal_verify(((struct dir_writer *)store)->journal, values, bytes, err);
}

static int writer_note(struct gt_store *store, const char *text, struct gt_err *err)
{
    return gt_journal_note(((struct dir_writer *)store)->journal, text, err);
}

static const char *writer_notes(struct gt_store *store)
{
    return gt_journal_notes(((struct dir_writer *)store)->journal);
}

static int writer_scratch(struct gt_store *store, int *fd, struct gt_err *err)
{
    *fd = openat(((struct dir_writer *)store)->root, SCRATCH, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return *fd < 0 ? gt_fail_errno(err, errno, "cannot create '%s/" SCRATCH "'", store->name) : GT_OK;
}

/* --- from OUT.partial to OUT --------------------------------------------------------------- */

/* The store is on disk before it stands under its name. */
static int sync_all(struct dir_writer *self, struct gt_err *err)
{
    int rc = 0;
    if (syncfs(self->root) != 0 && errno != EINVAL && errno != ENOSYS)
        rc = gt_fail_errno(err, errno, "cannot write '%s'", self->base.name);
    return rc;
}

/* Where the two cannot be exchanged in one step, OUT is moved aside and comes
 * back when the new one cannot take its place. */
static int replace_by_steps(struct dir_writer *self, struct gt_err *err)
{
    struct gt_str aside = {0};
    int rc = 0;
    gt_str_addf(&aside, "%s.old-%d", self->base.name, (int)getpid());
    if (gt_str_check(&aside, err)) {
        rc = GT_FAIL;
    } else if (rename(self->base.name, aside.s) != 0) {
        rc = gt_fail_errno(err, errno, "cannot move '%s' aside", self->base.name);
    } else if (rename(self->partial, self->base.name) != 0) {
        rc = gt_fail_errno(err, errno, "cannot rename '%s' to '%s'", self->partial, self->base.name);
        rename(aside.s, self->base.name);
    } else {
        gt_remove_tree(aside.s);
    }
    gt_str_release(&aside);
    return rc;
}

static int take_name(struct dir_writer *self, struct gt_err *err)
{
    struct stat st;
    const char *out = self->base.name;
    bool there = lstat(out, &st) == 0;
    if (!there || (S_ISDIR(st.st_mode) && !self->replace)) {
        if (rename(self->partial, out) == 0)
            return 0;
        return gt_fail_errno(err, errno, "cannot rename '%s' to '%s'", self->partial, out);
    }
    if (renameat2(AT_FDCWD, self->partial, AT_FDCWD, out, RENAME_EXCHANGE) != 0)
        return replace_by_steps(self, err);
    gt_remove_tree(self->partial); /* what OUT was before */
    return 0;
}

static void sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? gt_strndup(path, slash > path ? (size_t)(slash - path) : 1, NULL) : gt_strdup(".", NULL);
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd); /* file systems without it have already done it, or never do */
        close(fd);
    }
    free(dir);
}

static int writer_finish(struct gt_store *store, struct gt_err *err)
{
    struct dir_writer *self = (struct dir_writer *)store;
    int rc = GT_OK;
    if (unlinkat(self->root, SCRATCH, 0) != 0 && errno != ENOENT)
        rc = gt_fail_errno(err, errno, "cannot remove '%s/" SCRATCH "'", store->name);
    rc = rc ? rc : gt_journal_end(self->journal, err);
    if (rc || (rc = sync_all(self, err)) || (rc = take_name(self, err)))
        return rc;
    self->created = false;
    gt_cleanup_forget(self->partial);
    if (unlinkat(self->root, GT_JOURNAL, 0) != 0)
        rc = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL "'", store->name);
    sync_parent(store->name);
    return rc;
}

static void writer_free(struct gt_store *store)
{
    struct dir_writer *self = (struct dir_writer *)store;
    if (self->created && !self->keep) {
        int dir = dup(self->root);
        if (dir < 0 || gt_dir_remove_partial(dir, self->partial) != 0)
            gt_remove_tree(self->partial);
        gt_cleanup_forget(self->partial);
    }
    gt_journal_free(self->journal);
    if (self->root >= 0)
        close(self->root);
    free(self->partial);
    free(store->name);
    free(self);
}

static int writer_keep(struct gt_store *store, bool keep, struct gt_err *err)
{
    struct dir_writer *self = (struct dir_writer *)store;
    if (self->keep == keep)
        return GT_OK;
    self->keep = keep;
    if (!keep)
        return gt_cleanup_add(self->partial, err);
    gt_cleanup_forget(self->partial);
    return GT_OK;
}

static const struct gt_store_ops writer_ops = {.kind = "directory",
                                               .any_order = true,
                                               .get = writer_get,
                                               .get_range = writer_get_range,
                                               .has = writer_has,
                                               .list = writer_list,
                                               .put = writer_put,
                                               .done = writer_done,
                                               .verify = writer_verify,
                                               .keep = writer_keep,
                                               .note = writer_note,
                                               .notes = writer_notes,
                                               .scratch = writer_scratch,
                                               .finish = writer_finish,
                                               .free = writer_free};

static int make_partial(struct dir_writer *self, const char *plan, struct gt_err *err)
{
    int rc = gt_dir_clear_partial(self->partial, err);
    if (rc || (rc = gt_cleanup_add(self->partial, err)))
        return rc;
    if (mkdir(self->partial, 0777) != 0) {
        rc = gt_fail_errno(err, errno, "cannot create '%s'", self->base.name);
        gt_cleanup_forget(self->partial);
        return rc;
    }
    self->created = true;
    self->root = open(self->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (self->root < 0)
        return gt_fail_errno(err, errno, "cannot create '%s'", self->base.name);
    return gt_journal_new(&self->journal, self->root, self->base.name, plan, err);
}

/* Takes over what a dead run left; GT_NOENT: there is nothing. */
static int take_partial(struct dir_writer *self, const char *plan, struct gt_err *err)
{
    self->root = open(self->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int rc = self->root < 0 ? GT_NOENT : gt_journal_reopen(&self->journal, self->root, self->base.name, plan, err);
    if (!rc) {
        self->created = self->keep = true;
    } else if (self->root >= 0) {
        close(self->root);
        self->root = -1;
    }
    return rc;
}

static int create(struct gt_store **out, const char *path, bool replace, bool resume, const char *plan, struct gt_err *err)
{
    struct dir_writer *self = gt_alloc(1, sizeof *self, err);
    struct gt_str partial = {0};
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &writer_ops, .name = gt_strndup(path, gt_dir_name_length(path), err)};
    gt_str_addf(&partial, "%.*s.partial", (int)gt_dir_name_length(path), path);
    self->partial = partial.failed ? NULL : partial.s;
    self->replace = replace;
    self->root = -1;
    int rc = self->base.name ? gt_str_check(&partial, err) : GT_FAIL;
    rc = rc ? rc : gt_dir_settle(self->base.name, self->partial, err);
    rc = rc ? rc : gt_store_check_dir(self->base.name, replace, err);
    if (!rc)
        rc = resume ? take_partial(self, plan, err) : GT_NOENT;
    if (rc == GT_NOENT)
        rc = make_partial(self, plan ? plan : "", err);
    if (rc)
        writer_free(&self->base);
    else
        *out = &self->base;
    return rc;
}

int gt_store_create_dir(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, path, replace, false, plan, err);
}

int gt_store_resume(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, path, replace, true, plan, err);
}
