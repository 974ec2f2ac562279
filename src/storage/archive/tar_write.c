/* A tar stream being written: values in the order they are put, and the end
 * mark in finish only. */
#include "config.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#if HAVE_XLOCALE_H
#include <xlocale.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/archive/tar_store.h"
#include "storage/store/key.h"

/* Pieces are gathered up to this size: few calls, and a row group of chunks is on
 * its way to the consumer as soon as it is put. */
#define GATHER (64 << 10)

struct tar_writer {
    struct gt_store base;
    pthread_mutex_t lock; /* of all below */
    struct gt_outfile file;
    struct archive *archive;
    struct archive_entry *entry;
    uint8_t *gathered;
    size_t n;
    bool failed;            /* nothing more is written, the end mark least of all */
    struct gt_err why;      /* the first failure */
    struct gt_names *names; /* keys that were put */
    locale_t utf8;          /* keys are UTF-8 whatever the user's locale is; 0 where there is none */
};

static int flush(struct tar_writer *self)
{
    int rc = self->n > 0 && !self->failed ? gt_outfile_write(&self->file, self->gathered, self->n, &self->why) : 0;
    self->n = 0;
    self->failed |= rc != 0;
    return rc;
}

/* libarchive is not informed of a failure: what follows one is dropped here, the
 * end mark that archive_write_free writes too.  (Informed of it by a status or by
 * archive_write_fail, it would not free what it holds.) */
static la_ssize_t on_write(struct archive *archive, void *ctx, const void *data, size_t n)
{
    struct tar_writer *self = ctx;
    (void)archive;
    if (self->n + n > GATHER)
        flush(self);
    if (!self->failed && n >= GATHER) {
        self->failed = gt_outfile_write(&self->file, data, n, &self->why) != 0;
    } else if (!self->failed) {
        memcpy(self->gathered + self->n, data, n);
        self->n += n;
    }
    return (la_ssize_t)n;
}

/* The first failure, which is the one that counts, in the caller's err. */
static int fail(struct tar_writer *self, struct gt_err *err)
{
    const char *text = archive_error_string(self->archive);
    if (!self->why.status)
        gt_fail(&self->why, GT_FAIL, "cannot write '%s': %s", self->base.name, text ? text : "unknown failure of libarchive");
    self->failed = true;
    if (err && !err->status)
        *err = self->why;
    return self->why.status;
}

static void fill_entry(struct archive_entry *entry, const char *key, size_t n)
{
    archive_entry_clear(entry);
    archive_entry_set_pathname(entry, key);
    archive_entry_set_size(entry, (la_int64_t)n);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 0, 0);
    archive_entry_set_uid(entry, 0);
    archive_entry_set_gid(entry, 0);
}

/* With the lock. */
static int put_entry(struct tar_writer *self, const char *key, const void *data, size_t n, struct gt_err *err)
{
    if (self->failed)
        return fail(self, err);
    int64_t had;
    if (gt_names_add(self->names, key, strlen(key), 0, &had, &self->why))
        return fail(self, err);
    if (had >= 0 && !gt_key_is_meta(key)) {
        gt_fail(&self->why, GT_FAIL, "cannot write '%s': chunk '%s' was written twice", self->base.name, key);
        return fail(self, err);
    }
    fill_entry(self->entry, key, n);
    locale_t before = self->utf8 ? uselocale(self->utf8) : 0;
    int rc = archive_write_header(self->archive, self->entry);
    if (before)
        uselocale(before);
    if (rc != ARCHIVE_OK)
        return fail(self, err);
    for (const uint8_t *at = data; n > 0;) {
        la_ssize_t done = archive_write_data(self->archive, at, n);
        if (done <= 0)
            return fail(self, err);
        at += done, n -= (size_t)done;
    }
    if (archive_write_finish_entry(self->archive) != ARCHIVE_OK || self->failed)
        return fail(self, err);
    return 0;
}

static int tar_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct tar_writer *self = (struct tar_writer *)store;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&self->lock);
    rc = put_entry(self, key, data, n, err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int tar_finish(struct gt_store *store, struct gt_err *err)
{
    struct tar_writer *self = (struct tar_writer *)store;
    if (self->failed || archive_write_close(self->archive) != ARCHIVE_OK || flush(self) != 0 || self->failed)
        return fail(self, err);
    return gt_outfile_commit(&self->file, err);
}

static int tar_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    (void)buf;
    return gt_fail(err, GT_USAGE, "cannot read '%s' in '%s': it is being written", key, store->name);
}

static int tar_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    (void)err;
    struct tar_writer *self = (struct tar_writer *)store;
    pthread_mutex_lock(&self->lock);
    int64_t at = gt_names_find(self->names, key, strlen(key));
    pthread_mutex_unlock(&self->lock);
    return at >= 0 ? 0 : GT_NOENT;
}

static int tar_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    (void)prefix, (void)fn, (void)ctx;
    return gt_fail(err, GT_USAGE, "cannot list '%s': it is being written", store->name);
}

static void tar_free(struct gt_store *store)
{
    struct tar_writer *self = (struct tar_writer *)store;
    self->failed = true; /* no end mark without finish */
    if (self->archive)
        archive_write_free(self->archive);
    archive_entry_free(self->entry);
    if (self->utf8)
        freelocale(self->utf8);
    gt_outfile_abort(&self->file);
    gt_names_free(self->names);
    pthread_mutex_destroy(&self->lock);
    free(self->gathered);
    free(store->name);
    free(self);
}

static const struct gt_store_ops tar_writer_ops = {
    .kind = "tar", .get = tar_get, .has = tar_has, .list = tar_list, .put = tar_put, .finish = tar_finish, .free = tar_free};

static int open_archive(struct tar_writer *self, struct gt_err *err)
{
    self->archive = archive_write_new();
    self->entry = archive_entry_new();
    self->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0);
    if (!self->archive || !self->entry)
        return gt_no_memory(err);
    if (archive_write_set_format_pax_restricted(self->archive) != ARCHIVE_OK ||
        archive_write_set_bytes_per_block(self->archive, 0) != ARCHIVE_OK ||
        archive_write_open(self->archive, self, NULL, on_write, NULL) != ARCHIVE_OK)
        return gt_fail(err, GT_FAIL, "cannot write '%s': %s", self->base.name, archive_error_string(self->archive));
    return 0;
}

int gt_store_create_tar(struct gt_store **out, const char *path, struct gt_err *err)
{
    struct tar_writer *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base =
        (struct gt_store){.ops = &tar_writer_ops, .name = gt_strdup(gt_is_stdout(path) ? "standard output" : path, err), .stream = true};
    self->names = gt_names_new(NULL, err);
    pthread_mutex_init(&self->lock, NULL);
    self->gathered = gt_alloc(GATHER, 1, err);
    int rc = self->base.name && self->names && self->gathered ? gt_outfile_open(&self->file, path, true, err) : GT_FAIL;
    if (!rc)
        rc = open_archive(self, err);
    if (rc)
        tar_free(&self->base);
    else
        *out = &self->base;
    return rc;
}
