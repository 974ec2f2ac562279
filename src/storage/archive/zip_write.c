/* A zip being written: stored entries, chunks as they come, metadata after
 * them, and a central directory with the metadata first. */
#include "config.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_store.h"
#include "storage/store/dir_read.h"
#include "storage/store/key.h"
#include "storage/store/memory_store.h"

struct gt_zip_limits gt_zip_limits = {.size = UINT32_MAX, .offset = UINT32_MAX, .count = UINT16_MAX};

enum {
    MADE_BY = 3 << 8 | 45, /* Unix, version 4.5 */
    DATE = 1 << 5 | 1,     /* 1 January 1980, the earliest: the same bytes on any day */
    MODE = 0100644,
    UTF8 = 1 << 11,
    MAX_HEADER = GT_ZIP_CENTRAL_LEN + GT_MAX_KEY + 32
};

struct entry {
    char *key;
    uint64_t offset, size;
    uint32_t crc;
    bool meta;
};

struct zip_writer {
    struct gt_store base;
    pthread_mutex_t lock; /* of the file and of the entries */
    struct gt_outfile file;
    struct gt_names *names; /* key -> index in entries; the last put of a key counts */
    struct entry *entries;
    size_t n, cap;
    struct gt_store *meta; /* in memory until finish */
};

static bool is_ascii(const char *key)
{
    for (; *key; key++)
        if (*key & 0x80)
            return false;
    return true;
}

/* The part that local and central headers have in common: version to extra length. */
static uint8_t *put_common(uint8_t *p, const struct entry *entry, bool large, size_t extra)
{
    p = gt_le_put(p, extra > 0 ? 45 : 20, 2);
    p = gt_le_put(p, is_ascii(entry->key) ? 0 : UTF8, 2);
    p = gt_le_put(p, GT_ZIP_STORED, 2);
    p = gt_le_put(p, (uint64_t)DATE << 16, 4);
    p = gt_le_put(p, entry->crc, 4);
    p = gt_le_put(p, large ? UINT32_MAX : entry->size, 4);
    p = gt_le_put(p, large ? UINT32_MAX : entry->size, 4);
    p = gt_le_put(p, strlen(entry->key), 2);
    return gt_le_put(p, extra, 2);
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
    size_t n = strlen(text);
    memcpy(p, text, n);
    return p + n;
}

static size_t local_header(uint8_t *header, const struct entry *entry)
{
    bool large = entry->size >= gt_zip_limits.size;
    uint8_t *p = put_common(gt_le_put(header, GT_ZIP_LOCAL, 4), entry, large, large ? 20 : 0);
    p = put_text(p, entry->key);
    if (large) {
        p = gt_le_put(gt_le_put(p, GT_ZIP_EXTRA64, 2), 16, 2);
        p = gt_le_put(gt_le_put(p, entry->size, 8), entry->size, 8);
    }
    return (size_t)(p - header);
}

static size_t central_header(uint8_t *header, const struct entry *entry)
{
    bool large = entry->size >= gt_zip_limits.size, far = entry->offset >= gt_zip_limits.offset;
    size_t extra = (large ? 16 : 0) + (far ? 8 : 0);
    uint8_t *p = gt_le_put(gt_le_put(header, GT_ZIP_CENTRAL, 4), MADE_BY, 2);
    p = put_common(p, entry, large, extra > 0 ? extra + 4 : 0);
    p = gt_le_put(p, 0, 6); /* no comment, first disk, binary */
    p = gt_le_put(p, (uint64_t)MODE << 16, 4);
    p = put_text(gt_le_put(p, far ? UINT32_MAX : entry->offset, 4), entry->key);
    if (extra > 0)
        p = gt_le_put(gt_le_put(p, GT_ZIP_EXTRA64, 2), extra, 2);
    if (large)
        p = gt_le_put(gt_le_put(p, entry->size, 8), entry->size, 8);
    if (far)
        p = gt_le_put(p, entry->offset, 8);
    return (size_t)(p - header);
}

static int new_entry(struct zip_writer *self, const char *key, int64_t *at, struct gt_err *err)
{
    int rc = gt_grow(&self->entries, &self->cap, self->n + 1, sizeof *self->entries, err);
    if (rc || (rc = gt_names_add(self->names, key, strlen(key), (int64_t)self->n, NULL, err)))
        return rc;
    *at = (int64_t)self->n;
    self->entries[*at] = (struct entry){.key = gt_strdup(key, err), .meta = gt_key_is_meta(key)};
    return self->entries[self->n++].key ? 0 : GT_FAIL;
}

static int add_entry(struct zip_writer *self, const char *key, const void *data, size_t n, uint32_t crc, struct gt_err *err)
{
    uint8_t header[MAX_HEADER];
    int64_t at = gt_names_find(self->names, key, strlen(key));
    int rc;
    if (at < 0 && (rc = new_entry(self, key, &at, err)) != 0)
        return rc;
    struct entry *entry = &self->entries[at];
    entry->offset = (uint64_t)self->file.pos;
    entry->size = n;
    entry->crc = crc;
    rc = gt_outfile_write(&self->file, header, local_header(header, entry), err);
    return rc || n == 0 ? rc : gt_outfile_write(&self->file, data, n, err);
}

static uint32_t crc_of(const void *data, size_t n)
{
    return n > 0 ? libdeflate_crc32(0, data, n) : 0;
}

static int zip_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct zip_writer *self = (struct zip_writer *)store;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc)
        return rc;
    if (gt_key_is_meta(key))
        return gt_store_put(self->meta, key, data, n, err);
    uint32_t crc = crc_of(data, n);
    pthread_mutex_lock(&self->lock);
    rc = add_entry(self, key, data, n, crc, err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

struct flush {
    struct zip_writer *self;
    struct gt_buf value;
    struct gt_err *err;
};

static int flush_meta(void *ctx, const char *key, int64_t size)
{
    struct flush *flush = ctx;
    (void)size;
    int rc = gt_store_get(flush->self->meta, key, &flush->value, flush->err);
    return rc ? rc
              : add_entry(flush->self, key, flush->value.data, flush->value.len, crc_of(flush->value.data, flush->value.len), flush->err);
}

static int write_central(struct zip_writer *self, bool meta, struct gt_err *err)
{
    struct gt_str block = {0};
    uint8_t header[MAX_HEADER];
    int rc = 0;
    for (size_t i = 0; i < self->n && !rc; i++) {
        if (self->entries[i].meta == meta)
            gt_str_addn(&block, header, central_header(header, &self->entries[i]));
        if (block.len > 0 && (block.len >= 65536 || i + 1 == self->n)) {
            rc = gt_outfile_write(&self->file, block.s, block.len, err);
            gt_str_clear(&block);
        }
        if (!rc)
            rc = gt_str_check(&block, err);
    }
    gt_str_release(&block);
    return rc;
}

static int write_end(struct zip_writer *self, uint64_t start, uint64_t size, struct gt_err *err)
{
    uint8_t end[GT_ZIP_END64_LEN + GT_ZIP_LOCATOR64_LEN + GT_ZIP_END_LEN], *p = end;
    bool many = self->n >= gt_zip_limits.count, large = size >= gt_zip_limits.size, far = start >= gt_zip_limits.offset;
    if (many || large || far) {
        p = gt_le_put(gt_le_put(p, GT_ZIP_END64, 4), GT_ZIP_END64_LEN - 12, 8);
        p = gt_le_put(gt_le_put(gt_le_put(p, MADE_BY, 2), 45, 2), 0, 8);
        p = gt_le_put(gt_le_put(p, self->n, 8), self->n, 8);
        p = gt_le_put(gt_le_put(p, size, 8), start, 8);
        p = gt_le_put(gt_le_put(p, GT_ZIP_LOCATOR64, 4), 0, 4);
        p = gt_le_put(gt_le_put(p, start + size, 8), 1, 4);
    }
    p = gt_le_put(gt_le_put(p, GT_ZIP_END, 4), 0, 4);
    p = gt_le_put(gt_le_put(p, many ? UINT16_MAX : self->n, 2), many ? UINT16_MAX : self->n, 2);
    p = gt_le_put(gt_le_put(p, large ? UINT32_MAX : size, 4), far ? UINT32_MAX : start, 4);
    p = gt_le_put(p, 0, 2);
    return gt_outfile_write(&self->file, end, (size_t)(p - end), err);
}

static int zip_finish(struct gt_store *store, struct gt_err *err)
{
    struct zip_writer *self = (struct zip_writer *)store;
    struct flush flush = {.self = self, .err = err};
    int rc = self->meta->ops->list(self->meta, "", flush_meta, &flush, err);
    gt_buf_release(&flush.value);
    uint64_t start = (uint64_t)self->file.pos;
    if (rc || (rc = write_central(self, true, err)) || (rc = write_central(self, false, err)) ||
        (rc = write_end(self, start, (uint64_t)self->file.pos - start, err)))
        return rc;
    return gt_outfile_commit(&self->file, err);
}

static int zip_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct zip_writer *self = (struct zip_writer *)store;
    if (gt_key_is_meta(key))
        return gt_store_get(self->meta, key, buf, err);
    return gt_fail(err, GT_USAGE, "cannot read '%s' in '%s': it is being written", key, store->name);
}

static int zip_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    struct zip_writer *self = (struct zip_writer *)store;
    if (gt_key_is_meta(key))
        return gt_store_has(self->meta, key, err);
    pthread_mutex_lock(&self->lock);
    int64_t at = gt_names_find(self->names, key, strlen(key));
    pthread_mutex_unlock(&self->lock);
    return at >= 0 ? 0 : GT_NOENT;
}

static int zip_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    struct zip_writer *self = (struct zip_writer *)store;
    int rc = self->meta->ops->list(self->meta, prefix, fn, ctx, err);
    for (size_t i = 0; i < self->n && !rc; i++)
        if (!self->entries[i].meta && gt_key_below(self->entries[i].key, prefix))
            rc = fn(ctx, self->entries[i].key, (int64_t)self->entries[i].size);
    return rc;
}

static void zip_free(struct gt_store *store)
{
    struct zip_writer *self = (struct zip_writer *)store;
    gt_outfile_abort(&self->file);
    gt_store_free(self->meta);
    for (size_t i = 0; i < self->n; i++)
        free(self->entries[i].key);
    free(self->entries);
    gt_names_free(self->names);
    pthread_mutex_destroy(&self->lock);
    free(store->name);
    free(self);
}

static const struct gt_store_ops zip_writer_ops = {
    .kind = "zip", .get = zip_get, .has = zip_has, .list = zip_list, .put = zip_put, .finish = zip_finish, .free = zip_free};

int gt_store_create_zip(struct gt_store **out, const char *path, struct gt_err *err)
{
    struct zip_writer *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &zip_writer_ops, .name = gt_strdup(path, err)};
    self->names = gt_names_new(NULL, err);
    pthread_mutex_init(&self->lock, NULL);
    int rc = self->base.name && self->names ? gt_outfile_open(&self->file, path, true, err) : GT_FAIL;
    if (!rc)
        rc = gt_store_new_memory(&self->meta, NULL, err);
    if (rc)
        zip_free(&self->base);
    else
        *out = &self->base;
    return rc;
}
