/* What a zip says that it holds: the records at its end, and the central directory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_internal.h"
#include "storage/store/key.h"

enum { MAX_COMMENT = 65535 };

int zip_bad(const struct zip_reader *self, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is a damaged zip: %s", self->base.name, what);
}

/* --- the end records and the central directory ----------------------------- */

/* The 64-bit end record of a zip whose plain one, at end_at, has too small fields.
 * GT_NOENT when there is none. */
static int read_end64(struct zip_reader *self, uint64_t end_at, uint64_t *central_size, struct gt_err *err)
{
    uint8_t locator[GT_ZIP_LOCATOR64_LEN], end[GT_ZIP_END64_LEN];
    if (end_at < GT_ZIP_LOCATOR64_LEN)
        return GT_NOENT;
    int rc = zip_read_at(self, locator, sizeof locator, end_at - GT_ZIP_LOCATOR64_LEN, err);
    if (rc)
        return rc;
    if (gt_le32(locator) != GT_ZIP_LOCATOR64)
        return GT_NOENT;
    if ((rc = zip_read_at(self, end, sizeof end, gt_le64(locator + 8), err)) != 0)
        return rc;
    if (gt_le32(end) != GT_ZIP_END64)
        return zip_bad(self, "no 64-bit end record", err);
    self->central_n = gt_le64(end + 32);
    *central_size = gt_le64(end + 40);
    self->central_at = gt_le64(end + 48);
    return 0;
}

/* Where in the last n bytes the end record is: the last one whose comment reaches the end of the file. */
static int find_end_in(struct zip_reader *self, size_t n, uint8_t end[GT_ZIP_END_LEN], uint64_t *at, bool *found, struct gt_err *err)
{
    uint8_t *tail = gt_alloc(n + 1, 1, err);
    if (!tail)
        return GT_FAIL;
    int rc = zip_read_at(self, tail, n, self->size - n, err);
    for (size_t i = n < GT_ZIP_END_LEN ? 0 : n - GT_ZIP_END_LEN + 1; !rc && !*found && i-- > 0;)
        if (gt_le32(tail + i) == GT_ZIP_END && i + GT_ZIP_END_LEN + gt_le16(tail + i + 20) == n) {
            memcpy(end, tail + i, GT_ZIP_END_LEN);
            *at = self->size - n + i;
            *found = true;
        }
    free(tail);
    return rc;
}

/* Few have a long comment after it. */
static int find_end(struct zip_reader *self, uint8_t end[GT_ZIP_END_LEN], uint64_t *at, struct gt_err *err)
{
    static const size_t most[] = {ZIP_USUAL_TAIL, MAX_COMMENT + GT_ZIP_END_LEN};
    bool found = false;
    int rc = 0;
    for (int i = 0; i < 2 && !rc && !found; i++)
        rc = find_end_in(self, self->size < most[i] ? (size_t)self->size : most[i], end, at, &found, err);
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
        rc = full ? zip_bad(self, "no 64-bit end record", err) : 0;
    if (rc)
        return rc;
    if (self->central_at > end_at || central_size > end_at - self->central_at)
        return zip_bad(self, "its directory lies outside it", err);
    if (self->central_n > central_size / GT_ZIP_CENTRAL_LEN || self->central_n > UINT32_MAX)
        return zip_bad(self, "more entries than its directory can hold", err);
    rc = gt_buf_resize(&self->central, (size_t)central_size, err);
    return rc ? rc : zip_read_at(self, self->central.data, self->central.len, self->central_at, err);
}

/* The 64-bit numbers of an entry whose plain fields are full. */
static bool read_extra64(struct zip_entry *entry, const uint8_t *extra, size_t n)
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
static bool is_value(struct zip_entry *entry)
{
    while (entry->key_len >= 2 && memcmp(entry->key, "./", 2) == 0)
        entry->key += 2, entry->key_len -= 2, entry->skipped += 2;
    if (entry->key_len == 0 || entry->key[entry->key_len - 1] == '/')
        return false;
    return entry->key_len < 9 || memcmp(entry->key, "__MACOSX/", 9) != 0;
}

static int parse_entry(struct zip_reader *self, size_t *pos, struct zip_entry *entry, struct gt_err *err)
{
    const uint8_t *p = self->central.data + *pos;
    size_t left = self->central.len - *pos;
    if (left < GT_ZIP_CENTRAL_LEN || gt_le32(p) != GT_ZIP_CENTRAL)
        return zip_bad(self, "its directory is cut short", err);
    size_t name = gt_le16(p + 28), extra = gt_le16(p + 30), comment = gt_le16(p + 32);
    if (name + extra + comment > left - GT_ZIP_CENTRAL_LEN)
        return zip_bad(self, "its directory is cut short", err);
    *entry = (struct zip_entry){.flags = gt_le16(p + 8),
                                .method = gt_le16(p + 10),
                                .crc = gt_le32(p + 16),
                                .packed = gt_le32(p + 20),
                                .size = gt_le32(p + 24),
                                .offset = gt_le32(p + 42),
                                .key = (const char *)p + GT_ZIP_CENTRAL_LEN,
                                .key_len = (uint16_t)name};
    *pos += GT_ZIP_CENTRAL_LEN + name + extra + comment;
    if (!read_extra64(entry, p + GT_ZIP_CENTRAL_LEN + name, extra))
        return zip_bad(self, "its 64-bit numbers are cut short", err);
    if (entry->offset > self->central_at || entry->packed > self->central_at - entry->offset)
        return zip_bad(self, "an entry lies outside it", err);
    return 0;
}

static int compare_keys(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_entries(const void *a, const void *b)
{
    const struct zip_entry *x = a, *y = b;
    int order = compare_keys(x->key, x->key_len, y->key, y->key_len);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Of entries with the same name the last one counts. */
static void drop_duplicates(struct zip_reader *self)
{
    struct zip_entry *all = zip_entries(self);
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
    if (__builtin_mul_overflow((size_t)self->central_n, sizeof(struct zip_entry), &bytes))
        return zip_bad(self, "too many entries", err);
    int rc = gt_buf_resize(&self->entries, bytes > 0 ? bytes : 1, err);
    for (uint64_t i = 0; i < self->central_n && !rc; i++) {
        struct zip_entry *entry = &zip_entries(self)[self->n];
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
    qsort(zip_entries(self), self->n, sizeof(struct zip_entry), compare_entries);
    drop_duplicates(self);
    return 0;
}

struct zip_entry *zip_find(const struct zip_reader *self, const char *key)
{
    size_t low = 0, high = self->n, n = strlen(key);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        struct zip_entry *entry = &zip_entries(self)[mid];
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
    const struct zip_entry *all = zip_entries(self);
    const char *slash = self->n > 0 ? memchr(all[0].key, '/', all[0].key_len) : NULL;
    if (!slash)
        return;
    size_t len = (size_t)(slash - all[0].key) + 1;
    for (size_t i = 0; i < self->n; i++)
        if (all[i].key_len <= len || memcmp(all[i].key, all[0].key, len) != 0)
            return;
    self->root_len = len;
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++)
        if (zip_find(self, metas[i]))
            return;
    self->root_len = 0;
}

int zip_read_central(struct zip_reader *self, struct gt_err *err)
{
    int rc = read_central(self, err);
    if (!rc && (rc = parse_central(self, err)) == 0)
        find_root(self);
    return rc;
}
