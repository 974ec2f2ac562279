/* A zip for reading: its central directory, and pread for each value. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/le.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/dir.h"
#include "store/key.h"
#include "store/open.h"
#include "store/range.h"
#include "store/zip.h"

enum { MAX_COMMENT = 65535, ENCRYPTED = 1, DEFLATE_RATIO = 1040 /* no byte of deflate makes more */ };

struct entry {
    uint64_t offset, packed, size;
    uint32_t crc;
    uint32_t order; /* in the central directory */
    uint16_t method, flags;
    uint16_t key_len;
    uint16_t skipped; /* bytes of "./" in front of key */
    const char *key;  /* in the central directory; no NUL at its end */
};

struct zip_reader {
    struct gt_store base;
    int fd;
    uint64_t size;       /* of the file */
    uint64_t central_at; /* all entries' data are before it */
    uint64_t central_n;  /* entries in the central directory, as said at the end */
    struct gt_buf central;
    struct gt_buf entries; /* struct entry, sorted by key */
    size_t n;
    size_t root_len; /* of the extra root directory with its slash */
};

static int bad(const struct zip_reader *self, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is a damaged zip: %s", self->base.name, what);
}

static int read_at(const struct zip_reader *self, void *data, size_t n, uint64_t offset, struct gt_err *err)
{
    uint8_t *at = data;
    if (offset > self->size || n > self->size - offset)
        return bad(self, "an offset beyond its end", err);
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

/* --- the end records and the central directory ----------------------------- */

/* The 64-bit end record of a zip whose plain one, at end_at, has too small fields.
 * GT_NOENT when there is none. */
static int read_end64(struct zip_reader *self, uint64_t end_at, uint64_t *central_size, struct gt_err *err)
{
    uint8_t locator[GT_ZIP_LOCATOR64_LEN], end[GT_ZIP_END64_LEN];
    if (end_at < GT_ZIP_LOCATOR64_LEN)
        return GT_NOENT;
    int rc = read_at(self, locator, sizeof locator, end_at - GT_ZIP_LOCATOR64_LEN, err);
    if (rc)
        return rc;
    if (gt_le32(locator) != GT_ZIP_LOCATOR64)
        return GT_NOENT;
    if ((rc = read_at(self, end, sizeof end, gt_le64(locator + 8), err)) != 0)
        return rc;
    if (gt_le32(end) != GT_ZIP_END64)
        return bad(self, "no 64-bit end record", err);
    self->central_n = gt_le64(end + 32);
    *central_size = gt_le64(end + 40);
    self->central_at = gt_le64(end + 48);
    return 0;
}

/* Where the end record is: the last one whose comment reaches the end of the file. */
static int find_end(struct zip_reader *self, uint8_t end[GT_ZIP_END_LEN], uint64_t *at, struct gt_err *err)
{
    size_t n = self->size < MAX_COMMENT + GT_ZIP_END_LEN ? (size_t)self->size : MAX_COMMENT + GT_ZIP_END_LEN;
    uint8_t *tail = gt_alloc(n + 1, 1, err);
    if (!tail)
        return GT_FAIL;
    int rc = read_at(self, tail, n, self->size - n, err);
    bool found = false;
    for (size_t i = n < GT_ZIP_END_LEN ? 0 : n - GT_ZIP_END_LEN + 1; !rc && !found && i-- > 0;)
        if (gt_le32(tail + i) == GT_ZIP_END && i + GT_ZIP_END_LEN + gt_le16(tail + i + 20) == n) {
            memcpy(end, tail + i, GT_ZIP_END_LEN);
            *at = self->size - n + i;
            found = true;
        }
    free(tail);
    return rc || found ? rc : gt_fail(err, GT_INPUT, "'%s' is truncated: it has no end record of a zip", self->base.name);
}

static int read_central(struct zip_reader *self, struct gt_err *err)
{
    uint8_t end[GT_ZIP_END_LEN] = {0};
    uint64_t end_at = 0, central_size;
    int rc = find_end(self, end, &end_at, err);
    if (rc)
        return rc;
    self->central_n = gt_le16(end + 10);
    central_size = gt_le32(end + 12);
    self->central_at = gt_le32(end + 16);
    bool full = central_size == UINT32_MAX || self->central_at == UINT32_MAX;
    if (full || self->central_n == UINT16_MAX) /* that many entries can be just that many */
        rc = read_end64(self, end_at, &central_size, err);
    if (rc == GT_NOENT)
        rc = full ? bad(self, "no 64-bit end record", err) : 0;
    if (rc)
        return rc;
    if (self->central_at > end_at || central_size > end_at - self->central_at)
        return bad(self, "its directory is not inside it", err);
    if (self->central_n > central_size / GT_ZIP_CENTRAL_LEN || self->central_n > UINT32_MAX)
        return bad(self, "more entries than its directory can hold", err);
    rc = gt_buf_resize(&self->central, (size_t)central_size, err);
    return rc ? rc : read_at(self, self->central.data, self->central.len, self->central_at, err);
}

/* The 64-bit numbers of an entry whose plain fields are full. */
static bool read_extra64(struct entry *entry, const uint8_t *extra, size_t n)
{
    for (size_t at = 0; at + 4 <= n;) {
        size_t id = gt_le16(extra + at), len = gt_le16(extra + at + 2);
        const uint8_t *p = extra + at + 4;
        at += 4 + len;
        if (at > n)
            return false;
        if (id != GT_ZIP_EXTRA64)
            continue;
        uint64_t *fields[] = {&entry->size, &entry->packed, &entry->offset};
        for (int i = 0; i < 3; i++)
            if (*fields[i] == UINT32_MAX) {
                if (len < 8)
                    return false;
                *fields[i] = gt_le64(p);
                p += 8, len -= 8;
            }
        return true;
    }
    return true; /* the sizes are just that large */
}

/* Takes "./" off; false for what is no value: directories and what macOS adds. */
static bool is_value(struct entry *entry)
{
    while (entry->key_len >= 2 && memcmp(entry->key, "./", 2) == 0)
        entry->key += 2, entry->key_len -= 2, entry->skipped += 2;
    if (entry->key_len == 0 || entry->key[entry->key_len - 1] == '/')
        return false;
    return entry->key_len < 9 || memcmp(entry->key, "__MACOSX/", 9) != 0;
}

static int parse_entry(struct zip_reader *self, size_t *pos, struct entry *entry, struct gt_err *err)
{
    const uint8_t *p = self->central.data + *pos;
    size_t left = self->central.len - *pos;
    if (left < GT_ZIP_CENTRAL_LEN || gt_le32(p) != GT_ZIP_CENTRAL)
        return bad(self, "its directory is cut short", err);
    size_t name = gt_le16(p + 28), extra = gt_le16(p + 30), comment = gt_le16(p + 32);
    if (name + extra + comment > left - GT_ZIP_CENTRAL_LEN)
        return bad(self, "its directory is cut short", err);
    *entry = (struct entry){.flags = gt_le16(p + 8),
                            .method = gt_le16(p + 10),
                            .crc = gt_le32(p + 16),
                            .packed = gt_le32(p + 20),
                            .size = gt_le32(p + 24),
                            .offset = gt_le32(p + 42),
                            .key = (const char *)p + GT_ZIP_CENTRAL_LEN,
                            .key_len = (uint16_t)name};
    *pos += GT_ZIP_CENTRAL_LEN + name + extra + comment;
    if (!read_extra64(entry, p + GT_ZIP_CENTRAL_LEN + name, extra))
        return bad(self, "its 64-bit numbers are cut short", err);
    if (entry->offset > self->central_at || entry->packed > self->central_at - entry->offset)
        return bad(self, "an entry is not inside it", err);
    return 0;
}

static int compare_keys(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_keys(x->key, x->key_len, y->key, y->key_len);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static struct entry *entries(const struct zip_reader *self)
{
    return (struct entry *)(void *)self->entries.data;
}

/* Of entries with the same name the last one counts. */
static void drop_duplicates(struct zip_reader *self)
{
    struct entry *all = entries(self);
    size_t kept = 0;
    for (size_t i = 0; i < self->n; i++) {
        bool again = i + 1 < self->n && compare_keys(all[i].key, all[i].key_len, all[i + 1].key, all[i + 1].key_len) == 0;
        if (!again)
            all[kept++] = all[i];
    }
    self->n = kept;
}

static int parse_central(struct zip_reader *self, struct gt_err *err)
{
    size_t bytes, pos = 0;
    if (__builtin_mul_overflow((size_t)self->central_n, sizeof(struct entry), &bytes))
        return bad(self, "too many entries", err);
    int rc = gt_buf_resize(&self->entries, bytes > 0 ? bytes : 1, err);
    for (uint64_t i = 0; i < self->central_n && !rc; i++) {
        struct entry *entry = &entries(self)[self->n];
        if ((rc = parse_entry(self, &pos, entry, err)) != 0 || !is_value(entry))
            continue;
        entry->order = (uint32_t)i;
        self->n++;
        if (!gt_key_valid(entry->key, entry->key_len))
            rc = gt_fail(err, GT_INPUT, "'%s' holds an entry with the name '%.*s', which is not allowed", self->base.name,
                         entry->key_len < 200 ? entry->key_len : 200, entry->key);
    }
    if (rc)
        return rc;
    qsort(entries(self), self->n, sizeof(struct entry), compare_entries);
    drop_duplicates(self);
    return 0;
}

static struct entry *find(const struct zip_reader *self, const char *key)
{
    size_t low = 0, high = self->n, n = strlen(key);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        struct entry *entry = &entries(self)[mid];
        int order = compare_keys(entry->key + self->root_len, entry->key_len - self->root_len, key, n);
        if (order == 0)
            return entry;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* A zip made of the directory rather than of what is in it: all names begin
 * with "x.zarr/", and the root's metadata is there. */
static void find_root(struct zip_reader *self)
{
    static const char *const metas[] = {".zgroup", ".zarray", "zarr.json"};
    const struct entry *all = entries(self);
    const char *slash = self->n > 0 ? memchr(all[0].key, '/', all[0].key_len) : NULL;
    if (!slash)
        return;
    size_t len = (size_t)(slash - all[0].key) + 1;
    for (size_t i = 0; i < self->n; i++)
        if (all[i].key_len <= len || memcmp(all[i].key, all[0].key, len) != 0)
            return;
    self->root_len = len;
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++)
        if (find(self, metas[i]))
            return;
    self->root_len = 0;
}

/* --- values ------------------------------------------------------------------ */

static int bad_value(const struct zip_reader *self, const char *key, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s': entry '%s' %s", self->base.name, key, what);
}

/* Where the entry's data begin: the local header has lengths of its own.  Its
 * name must be the directory's, or a damaged name would give another's value. */
static int data_start(const struct zip_reader *self, const struct entry *entry, const char *key, uint64_t *start, struct gt_err *err)
{
    uint8_t local[GT_ZIP_LOCAL_LEN + GT_MAX_KEY + 16];
    size_t name = (size_t)entry->key_len + entry->skipped;
    if (name > sizeof local - GT_ZIP_LOCAL_LEN)
        return bad_value(self, key, "has too long a name", err);
    int rc = read_at(self, local, GT_ZIP_LOCAL_LEN + name, entry->offset, err);
    if (rc)
        return rc;
    *start = entry->offset + GT_ZIP_LOCAL_LEN + gt_le16(local + 26) + gt_le16(local + 28);
    if (gt_le32(local) != GT_ZIP_LOCAL || *start > self->central_at || entry->packed > self->central_at - *start ||
        gt_le16(local + 26) != name || memcmp(local + GT_ZIP_LOCAL_LEN, entry->key - entry->skipped, name) != 0)
        return bad_value(self, key, "is not where the directory says", err);
    return 0;
}

static int inflate_value(const struct zip_reader *self, const struct entry *entry, const char *key, uint64_t start, struct gt_buf *buf,
                         struct gt_err *err)
{
    struct gt_buf packed = {.budget = buf->budget};
    size_t got = 0;
    if (entry->size / DEFLATE_RATIO > entry->packed)
        return bad_value(self, key, "says more bytes than it can hold", err);
    int rc = gt_buf_resize(&packed, (size_t)entry->packed, err);
    if (!rc)
        rc = gt_buf_resize(buf, (size_t)entry->size, err);
    if (!rc)
        rc = read_at(self, packed.data, packed.len, start, err);
    struct libdeflate_decompressor *inflate = rc ? NULL : libdeflate_alloc_decompressor();
    if (!rc && !inflate)
        rc = gt_fail(err, GT_FAIL, "no memory for deflate");
    if (!rc && (libdeflate_deflate_decompress(inflate, packed.data, packed.len, buf->data, buf->len, &got) != LIBDEFLATE_SUCCESS ||
                got != buf->len))
        rc = bad_value(self, key, "is damaged", err);
    libdeflate_free_decompressor(inflate);
    gt_buf_release(&packed);
    return rc;
}

static int read_value(const struct zip_reader *self, const struct entry *entry, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    uint64_t start = 0;
    if (entry->flags & ENCRYPTED)
        return bad_value(self, key, "is encrypted", err);
    if (entry->method != GT_ZIP_STORED && entry->method != GT_ZIP_DEFLATED)
        return gt_fail_unsupported(err, "'%s': entry '%s' is compressed by method %d, which is not supported", self->base.name, key,
                                   entry->method);
    int rc = data_start(self, entry, key, &start, err);
    buf->len = 0;
    if (rc)
        return rc;
    if (entry->method == GT_ZIP_DEFLATED)
        rc = inflate_value(self, entry, key, start, buf, err);
    else if (entry->packed != entry->size)
        rc = bad_value(self, key, "has two sizes", err);
    else if ((rc = gt_buf_resize(buf, (size_t)entry->size, err)) == 0)
        rc = read_at(self, buf->data, buf->len, start, err);
    if (rc == GT_NOFIT)
        gt_fail_prefix(err, "'%s': entry '%s'", self->base.name, key);
    if (!rc && (buf->len > 0 ? libdeflate_crc32(0, buf->data, buf->len) : 0) != entry->crc)
        rc = bad_value(self, key, "is damaged: wrong checksum", err);
    return rc;
}

static int zip_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    const struct entry *entry = find(self, key);
    return entry ? read_value(self, entry, key, buf, err) : GT_NOENT;
}

/* A part of a stored entry as it is, without its checksum, which is over all of it. */
static int zip_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    const struct entry *entry = find(self, key);
    uint64_t start = 0;
    if (!entry)
        return GT_NOENT;
    int rc = gt_range_resolve(store->name, key, (int64_t)entry->size, &offset, n, err);
    if (rc)
        return rc;
    if (entry->method != GT_ZIP_STORED || (entry->flags & ENCRYPTED) || entry->packed != entry->size) {
        if ((rc = read_value(self, entry, key, buf, err)) == 0 && n > 0)
            memmove(buf->data, buf->data + offset, n);
    } else if ((rc = data_start(self, entry, key, &start, err)) == 0 && (rc = gt_buf_resize(buf, n, err)) == 0) {
        rc = read_at(self, buf->data, n, start + (uint64_t)offset, err);
    }
    buf->len = rc ? 0 : n;
    return rc;
}

static int zip_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    (void)err;
    return find((struct zip_reader *)store, key) ? 0 : GT_NOENT;
}

static int zip_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    struct gt_str key = {0};
    int rc = 0;
    for (size_t i = 0; i < self->n && !rc; i++) {
        const struct entry *entry = &entries(self)[i];
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

static int open_file(struct zip_reader *self, const char *path, struct gt_err *err)
{
    struct stat st;
    self->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (self->fd < 0)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    if (fstat(self->fd, &st) != 0)
        return gt_fail_errno(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(st.st_mode))
        return gt_fail(err, GT_INPUT, "'%s' is no regular file, as a zip must be", path);
    self->size = (uint64_t)st.st_size;
    return 0;
}

int gt_store_open_zip(struct gt_store **out, const char *path, struct gt_budget *budget, struct gt_err *err)
{
    struct zip_reader *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &zip_reader_ops, .name = gt_strdup(path, err)};
    self->central.budget = self->entries.budget = budget;
    self->fd = -1;
    int rc = self->base.name ? open_file(self, path, err) : GT_FAIL;
    if (!rc && (rc = read_central(self, err)) == 0 && (rc = parse_central(self, err)) == 0)
        find_root(self);
    if (rc == GT_NOFIT)
        gt_fail_prefix(err, "'%s': its directory", path);
    if (rc)
        zip_free(&self->base);
    else
        *out = &self->base;
    return rc;
}
