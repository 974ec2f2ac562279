/* A directory store being written: OUT.partial/ with a journal, renamed to OUT by finish.
 *
 * The journal goes with it and is removed last, so that after a kill at any moment it says
 * which of OUT and OUT.partial is what: without one OUT.partial is what OUT was before.  Whoever
 * has locked the journal of OUT.partial, and checked that it is the one of that name, owns OUT.partial and makes OUT. */
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
#include "core/os/os_files.h"
#include "storage/store/dir_output.h"
#include "storage/store/dir_read.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"
#include "storage/store/key.h"

#define SCRATCH ".gt-scratch"
#define MAX_TRIES 1000
#define SENT_ON ((size_t)128 << 10) /* bytes of a value that begins to go to disk while others are made, so that finish waits for few */
#define RANKS_MS 5000               /* for other ranks to stop */

struct dir_writer {
    struct gt_store base;
    char *partial;
    bool joined;    /* partial is rank 0's */
    bool created;   /* partial is ours */
    bool exchanged; /* and is what OUT was before */
    bool keep;      /* and stays when it is not finished */
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
    const size_t n = strlen(GT_JOURNAL_RANKS);
    const bool ours =
        strcmp(key, GT_JOURNAL) == 0 || strcmp(key, SCRATCH) == 0 || (strncmp(key, GT_JOURNAL_RANKS, n) == 0 && key[n] == '/');
    return ours ? 0 : skip->fn(skip->ctx, key, size);
}

static int writer_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                       struct gt_err *err)
{
    struct skip_journal skip = {fn, ctx};
    return gt_dir_list(((struct dir_writer *)store)->root, store->name, NULL, prefix, skip_journal, &skip, err);
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
    if (n >= SENT_ON)
        gt_write_soon(fd);
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

static int writer_checkpoint(struct gt_store *store, const char *text, struct gt_err *err)
{
    return gt_journal_add_checkpoint(((struct dir_writer *)store)->journal, text, err);
}

static const char *writer_checkpoints(struct gt_store *store)
{
    return gt_journal_checkpoints(((struct dir_writer *)store)->journal);
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
    return gt_sync_tree(self->root) == 0 ? GT_OK : gt_fail_errno(err, errno, "cannot write '%s'", self->base.name);
}

/* The entries of the folder that the store is in are on disk.  File systems that cannot say so, and folders that may not be read,
 * are left alone.  The store has its name already, so this must not fail for lack of memory. */
static int sync_parent(struct dir_writer *self, struct gt_err *err)
{
    int fd = openat(self->root, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = GT_OK;
    if (fd >= 0 && fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS)
        rc = gt_fail_errno(err, errno, "cannot sync the directory of '%s'", self->base.name);
    if (fd >= 0)
        close(fd);
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

/* A rename only replaces an empty directory: an existing OUT is exchanged with OUT.partial, and removed once the new one is on disk under
 * its name.  A journal in the old OUT, from a killed run, would make it look resumable. */
static int take_name(struct dir_writer *self, struct gt_err *err)
{
    const char *out = self->base.name;
    if (rename(self->partial, out) == 0)
        return GT_OK;
    if (errno == ENOTEMPTY)
        errno = EEXIST;
    if (!self->replace || (errno != EEXIST && errno != ENOTDIR))
        return gt_fail_errno(err, errno, "cannot rename '%s' to '%s'", self->partial, out);
    int dir = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir >= 0) {
        unlinkat(dir, GT_JOURNAL, 0);
        close(dir);
    }
    if (gt_exchange_names(self->partial, out) != 0)
        return replace_by_steps(self, err);
    self->exchanged = true;
    return GT_OK;
}

/* The store has its name: what it replaced goes, and its journal last, when the name is on disk. */
static int drop_replaced(struct dir_writer *self, struct gt_err *err)
{
    int rc = sync_parent(self, err);
    if (!rc && self->exchanged)
        gt_remove_aside(self->partial);
    if (!rc && unlinkat(self->root, GT_JOURNAL, 0) != 0)
        rc = gt_fail_errno(err, errno, "cannot remove '%s/" GT_JOURNAL "'", self->base.name);
    return rc;
}

static int writer_gather(struct gt_store *store, struct gt_err *err)
{
    bool any;
    return gt_journal_absorb(((struct dir_writer *)store)->journal, &any, err);
}

static int writer_finish(struct gt_store *store, struct gt_err *err)
{
    struct dir_writer *self = (struct dir_writer *)store;
    int rc = GT_OK;
    if (self->joined)
        return sync_all(self, err);
    if (unlinkat(self->root, SCRATCH, 0) != 0 && errno != ENOENT)
        rc = gt_fail_errno(err, errno, "cannot remove '%s/" SCRATCH "'", store->name);
    rc = rc ? rc : gt_journal_end(self->journal, err);
    rc = rc ? rc : sync_all(self, err);
    if (rc)
        return rc;
    gt_cleanup_forget(self->partial);
    if ((rc = take_name(self, err)) != GT_OK)
        return rc;
    self->created = false;
    return drop_replaced(self, err);
}

static void writer_free(struct gt_store *store)
{
    struct dir_writer *self = (struct dir_writer *)store;
    if (self->created && !self->keep) {
        gt_cleanup_forget(self->partial);
        gt_journal_ranks_wait(self->root, RANKS_MS);
        if (gt_journal_is_ours(self->journal))
            gt_remove_aside(self->partial);
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
    if (self->keep == keep || self->joined)
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
                                               .note = writer_checkpoint,
                                               .notes = writer_checkpoints,
                                               .scratch = writer_scratch,
                                               .gather = writer_gather,
                                               .finish = writer_finish,
                                               .free = writer_free};

/* OUT.partial with its journal locked, made where it is missing.  GT_NOENT: it is worth another try; GT_END: something else is there. */
static int claim(struct dir_writer *self, bool *fresh, struct gt_err *err)
{
    if (mkdir(self->partial, 0777) != 0 && errno != EEXIST)
        return gt_fail_errno(err, errno, "cannot create '%s'", self->base.name);
    self->root = open(self->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (self->root < 0)
        return errno == ENOENT                      ? GT_NOENT
               : errno == ENOTDIR || errno == ELOOP ? GT_END
                                                    : gt_fail_errno(err, errno, "cannot create '%s'", self->base.name);
    return gt_journal_claim(&self->journal, self->root, self->partial, self->base.name, fresh, err);
}

/* What is not ours, or not any more. */
static void unclaim(struct dir_writer *self)
{
    gt_journal_free(self->journal);
    self->journal = NULL;
    if (self->root >= 0)
        close(self->root);
    self->root = -1;
}

/* With OUT.partial claimed nobody else makes OUT.  GT_NOENT: what a dead run left was removed. */
static int begin(struct dir_writer *self, bool resume, bool fresh, const char *plan, struct gt_err *err)
{
    int rc = gt_dir_recover(self->base.name, self->partial, err);
    rc = rc ? rc : gt_store_check_dir(self->base.name, self->replace, err);
    if (rc && !fresh)
        return rc;
    if (!rc && !fresh && resume && (rc = gt_journal_resume(self->journal, plan, err)) != GT_NOENT) {
        self->created = self->keep = !rc;
        return rc;
    }
    if (!rc && fresh)
        rc = gt_journal_begin(self->journal, plan, err);
    if (!rc && fresh && (rc = gt_cleanup_add(self->partial, err)) == GT_OK) {
        self->created = true;
        gt_remove_old(self->partial);
        return GT_OK;
    }
    if (gt_journal_is_ours(self->journal) && gt_remove_aside(self->partial) != 0 && !fresh)
        return gt_fail_errno(err, errno, "cannot remove '%s'", self->partial);
    return rc ? rc : GT_NOENT;
}

/* Until OUT.partial is ours, or another's.  Where something else is, OUT may have been exchanged with it just now. */
static int make_partial(struct dir_writer *self, bool resume, const char *plan, struct gt_err *err)
{
    int rc = GT_NOENT;
    bool fresh = false;
    for (int tries = 0, odd = 0; rc == GT_NOENT && tries < MAX_TRIES; tries++) {
        rc = claim(self, &fresh, err);
        if (!rc)
            rc = begin(self, resume, fresh, plan, err);
        else if (rc == GT_END && odd++ == 0 && (rc = gt_dir_recover(self->base.name, self->partial, err)) == GT_OK)
            rc = GT_NOENT;
        if (rc)
            unclaim(self);
    }
    if (rc < 0) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': '%s' is in the way", self->base.name, self->partial);
        gt_hint(err, "move it away");
    }
    return rc;
}

/* Nothing exists yet but the object. */
static int alloc_writer(struct dir_writer **out, const char *path, struct gt_err *err)
{
    struct dir_writer *self = gt_alloc(1, sizeof *self, err);
    struct gt_str partial = {0};
    *out = self;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &writer_ops, .name = gt_strndup(path, gt_dir_name_length(path), err)};
    gt_str_addf(&partial, "%.*s.partial", (int)gt_dir_name_length(path), path);
    self->partial = partial.failed ? NULL : partial.s;
    self->root = -1;
    return self->base.name ? gt_str_check(&partial, err) : GT_FAIL;
}

static int take_writer(struct gt_store **out, struct dir_writer *self, int rc)
{
    *out = rc ? NULL : &self->base;
    if (rc && self)
        writer_free(&self->base);
    return rc;
}

static int create(struct gt_store **out, const char *path, bool replace, bool resume, const char *plan, struct gt_err *err)
{
    struct dir_writer *self;
    int rc = alloc_writer(&self, path, err);
    if (self)
        self->replace = replace;
    rc = rc ? rc : gt_dir_recover(self->base.name, self->partial, err);
    rc = rc ? rc : gt_store_check_dir(self->base.name, replace, err);
    rc = rc ? rc : make_partial(self, resume, plan ? plan : "", err);
    return take_writer(out, self, rc);
}

int gt_store_create_dir(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, path, replace, false, plan, err);
}

int gt_store_resume(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, path, replace, true, plan, err);
}

int gt_store_join_dir(struct gt_store **out, const char *path, int rank, struct gt_err *err)
{
    struct dir_writer *self;
    int rc = alloc_writer(&self, path, err);
    if (!rc) {
        self->joined = true;
        self->root = open(self->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (self->root < 0)
            rc = gt_fail_errno(err, errno, "cannot open '%s', which rank 0 has made", self->partial);
    }
    rc = rc ? rc : gt_journal_join(&self->journal, self->root, self->partial, self->base.name, rank, err);
    return take_writer(out, self, rc);
}
