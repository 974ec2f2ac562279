/* A zip for reading: its central directory, and pread, or ranges of a URL, for each value. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_internal.h"
#include "storage/archive/zip_store.h"
#include "storage/http/url.h"
#include "storage/store/dir_read.h"
#include "storage/store/key.h"
#include "storage/store/range.h"

enum { ENCRYPTED = 1, DEFLATE_RATIO = 1040, ZSTD_RATIO = 32768 }; /* no byte of the one makes more, nor of the other */

int zip_read_at(const struct zip_reader *self, void *data, size_t n, uint64_t offset, struct gt_err *err)
{
    uint8_t *at = data;
    if (offset > self->size || n > self->size - offset)
        return zip_bad(self, "an offset beyond its end", err);
    if (self->url)
        return zip_url_read(self, data, n, offset, err);
    while (n > 0) {
        ssize_t got = pread(self->fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gt_fail_errno(err, errno, "cannot read '%s'", self->base.name);
        if (got == 0)
            return gt_fail(err, GT_INPUT, "'%s' is truncated", self->base.name);
        at += got, offset += (uint64_t)got, n -= (size_t)got;
    }
    return 0;
}

/* --- values ------------------------------------------------------------------ */

int zip_bad_value(const struct zip_reader *self, const char *key, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s': entry '%s' %s", self->base.name, key, what);
}

int zip_check_method(const struct zip_reader *self, const struct zip_entry *entry, const char *key, struct gt_err *err)
{
    if (entry->flags & ENCRYPTED)
        return zip_bad_value(self, key, "is encrypted", err);
    if (entry->method != GT_ZIP_STORED && entry->method != GT_ZIP_DEFLATED && entry->method != GT_ZIP_ZSTD)
        return gt_fail_unsupported(err, "'%s': entry '%s' is compressed by method %d, which is not supported", self->base.name, key,
                                   entry->method);
    return 0;
}

bool zip_is_stored(const struct zip_entry *entry)
{
    return entry->method == GT_ZIP_STORED && !(entry->flags & ENCRYPTED) && entry->packed == entry->size;
}

size_t zip_local_len(const struct zip_entry *entry)
{
    size_t name = (size_t)entry->key_len + entry->skipped;
    return name > GT_MAX_KEY + 16 ? 0 : GT_ZIP_LOCAL_LEN + name;
}

/* The name must be the directory's, or a damaged name would give another's value. */
int zip_data_start(const struct zip_reader *self, const struct zip_entry *entry, const char *key, const uint8_t *local, uint64_t *start,
                   struct gt_err *err)
{
    size_t name = (size_t)entry->key_len + entry->skipped;
    *start = entry->offset + GT_ZIP_LOCAL_LEN + gt_le16(local + 26) + gt_le16(local + 28);
    if (gt_le32(local) != GT_ZIP_LOCAL || *start > self->central_at || entry->packed > self->central_at - *start ||
        gt_le16(local + 26) != name || memcmp(local + GT_ZIP_LOCAL_LEN, entry->key - entry->skipped, name) != 0)
        return zip_bad_value(self, key, "is not where the directory says it is", err);
    return 0;
}

static int data_start(const struct zip_reader *self, struct zip_entry *entry, const char *key, uint64_t *start, struct gt_err *err)
{
    uint8_t local[GT_ZIP_LOCAL_LEN + GT_MAX_KEY + 16];
    size_t n = zip_local_len(entry);
    if ((*start = entry->start) > 0)
        return 0;
    if (n == 0)
        return zip_bad_value(self, key, "has too long a name", err);
    int rc = zip_read_at(self, local, n, entry->offset, err);
    if (!rc && (rc = zip_data_start(self, entry, key, local, start, err)) == 0)
        entry->start = *start;
    return rc;
}

static int inflate(const uint8_t *packed, size_t n, struct gt_buf *buf, size_t *got, struct gt_err *err)
{
    struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
    if (!inflate)
        return gt_no_memory(err);
    if (libdeflate_deflate_decompress(inflate, packed, n, buf->data, buf->len, got) != LIBDEFLATE_SUCCESS)
        *got = SIZE_MAX;
    libdeflate_free_decompressor(inflate);
    return 0;
}

static int unpack_zstd(const uint8_t *packed, size_t n, struct gt_buf *buf, size_t *got, struct gt_err *err)
{
    *got = ZSTD_decompress(buf->data, buf->len, packed, n); /* or an error, which is larger than any size */
    return ZSTD_getErrorCode(*got) == ZSTD_error_memory_allocation ? gt_no_memory(err) : 0;
}

static int decompress(const struct zip_reader *self, const struct zip_entry *entry, const char *key, const uint8_t *packed,
                      struct gt_buf *buf, struct gt_err *err)
{
    const bool zstd = entry->method == GT_ZIP_ZSTD;
    size_t got;
    if (entry->size / (zstd ? ZSTD_RATIO : DEFLATE_RATIO) > entry->packed)
        return zip_bad_value(self, key, "claims more bytes than it can hold", err);
    int rc = gt_buf_reserve(buf, (size_t)entry->size + 1, err);
    if (!rc)
        rc = gt_buf_resize(buf, (size_t)entry->size, err);
    if (!rc)
        rc = (zstd ? unpack_zstd : inflate)(packed, (size_t)entry->packed, buf, &got, err);
    if (!rc && got != buf->len)
        rc = zip_bad_value(self, key, "is damaged", err);
    return rc;
}

int zip_unpack(const struct zip_reader *self, const struct zip_entry *entry, const char *key, const uint8_t *packed, struct gt_buf *buf,
               struct gt_err *err)
{
    int rc = 0;
    if (entry->method != GT_ZIP_STORED)
        rc = decompress(self, entry, key, packed, buf, err);
    else if (packed != buf->data && entry->size > 0)
        memcpy(buf->data, packed, (size_t)entry->size);
    if (!rc && (buf->len > 0 ? libdeflate_crc32(0, buf->data, buf->len) : 0) != entry->crc)
        rc = zip_bad_value(self, key, "is damaged: wrong checksum", err);
    return rc;
}

static int read_compressed(const struct zip_reader *self, const struct zip_entry *entry, const char *key, uint64_t start,
                           struct gt_buf *buf, struct gt_err *err)
{
    struct gt_buf packed = {.budget = buf->budget};
    int rc = gt_buf_resize(&packed, (size_t)entry->packed, err);
    if (!rc && (rc = zip_read_at(self, packed.data, packed.len, start, err)) == 0)
        rc = zip_unpack(self, entry, key, packed.data, buf, err);
    gt_buf_release(&packed);
    return rc;
}

static int read_value(const struct zip_reader *self, struct zip_entry *entry, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    uint64_t start = 0;
    int rc = zip_check_method(self, entry, key, err);
    buf->len = 0;
    if (rc || (rc = data_start(self, entry, key, &start, err)) != 0)
        return rc;
    if (entry->method != GT_ZIP_STORED)
        rc = read_compressed(self, entry, key, start, buf, err);
    else if (entry->packed != entry->size)
        rc = zip_bad_value(self, key, "has two sizes", err);
    else if ((rc = gt_buf_resize(buf, (size_t)entry->size, err)) == 0 && (rc = zip_read_at(self, buf->data, buf->len, start, err)) == 0)
        rc = zip_unpack(self, entry, key, buf->data, buf, err);
    if (rc == GT_NOFIT)
        gt_fail_prefix(err, "'%s': entry '%s'", self->base.name, key);
    return rc;
}

static int zip_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    struct zip_entry *entry = zip_find(self, key);
    return entry ? read_value(self, entry, key, buf, err) : GT_NOENT;
}

/* A part of a stored entry as it is, without its checksum, which is over all of it. */
static int zip_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    struct zip_entry *entry = zip_find(self, key);
    uint64_t start = 0;
    if (!entry)
        return GT_NOENT;
    int rc = gt_range_resolve(store->name, key, (int64_t)entry->size, &offset, n, err);
    if (rc)
        return rc;
    if (!zip_is_stored(entry)) {
        if ((rc = read_value(self, entry, key, buf, err)) == 0 && n > 0)
            memmove(buf->data, buf->data + offset, n);
    } else if ((rc = data_start(self, entry, key, &start, err)) == 0 && (rc = gt_buf_resize(buf, n, err)) == 0) {
        rc = zip_read_at(self, buf->data, n, start + (uint64_t)offset, err);
    }
    buf->len = rc ? 0 : n;
    return rc;
}

static int zip_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    (void)err;
    return zip_find((struct zip_reader *)store, key) ? 0 : GT_NOENT;
}

static int zip_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    struct gt_str key = {0};
    int rc = 0;
    for (size_t i = 0; i < self->n && !rc; i++) {
        const struct zip_entry *entry = &zip_entries(self)[i];
        gt_str_clear(&key);
        gt_str_addn(&key, entry->key + self->root_len, entry->key_len - self->root_len);
        if ((rc = gt_str_check(&key, err)) == 0 && gt_key_below(key.s, prefix))
            rc = fn(ctx, key.s, (int64_t)entry->size);
    }
    gt_str_release(&key);
    return rc;
}

static void zip_free(struct gt_store *store)
{
    struct zip_reader *self = (struct zip_reader *)store;
    if (self->fd >= 0)
        close(self->fd);
    zip_url_free(self->url);
    gt_buf_release(&self->central);
    gt_buf_release(&self->entries);
    free(store->name);
    free(self);
}

static const struct gt_store_ops zip_reader_ops = {.kind = "zip",
                                                   .get = zip_get,
                                                   .get_range = zip_get_range,
                                                   .has = zip_has,
                                                   .list = zip_list,
                                                   .put = gt_store_no_put,
                                                   .finish = gt_store_no_finish,
                                                   .free = zip_free};

/* By URL: values side by side. */
static int get_one(struct gt_store *store, struct gt_get get, struct gt_err *err)
{
    int rc = zip_url_get_many(store, &get, 1, err);
    return rc ? rc : get.status;
}

static int url_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    return get_one(store, (struct gt_get){.key = key, .buf = buf}, err);
}

static int url_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return get_one(store, (struct gt_get){.key = key, .range = true, .offset = offset, .n = n, .buf = buf}, err);
}

static const struct gt_store_ops zip_url_ops = {.kind = "zip",
                                                .get = url_get,
                                                .get_range = url_get_range,
                                                .get_many = zip_url_get_many,
                                                .has = zip_has,
                                                .list = zip_list,
                                                .put = gt_store_no_put,
                                                .finish = gt_store_no_finish,
                                                .free = zip_free};

static int open_file(struct zip_reader *self, const char *path, struct gt_err *err)
{
    struct stat st;
    self->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (self->fd < 0)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    if (fstat(self->fd, &st) != 0)
        return gt_fail_errno(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(st.st_mode))
        return gt_fail(err, GT_INPUT, "'%s' is not a regular file, which a zip needs", path);
    self->size = (uint64_t)st.st_size;
    return 0;
}

int gt_store_open_zip(struct gt_store **out, const char *path, struct gt_budget *budget, struct gt_err *err)
{
    struct zip_reader *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    bool url = gt_store_is_url(path);
    self->base = (struct gt_store){.ops = url ? &zip_url_ops : &zip_reader_ops, .name = gt_strdup(path, err)};
    self->central.budget = self->entries.budget = budget;
    self->fd = -1;
    int rc = !self->base.name ? GT_FAIL : url ? zip_url_open(self, path, err) : open_file(self, path, err);
    if (!rc)
        rc = zip_read_central(self, err);
    if (rc == GT_NOFIT)
        gt_fail_prefix(err, "'%s': its directory", path);
    if (rc)
        zip_free(&self->base);
    else
        *out = &self->base;
    return rc;
}
