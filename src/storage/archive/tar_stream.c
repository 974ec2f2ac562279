/* Entries of a tar stream by libarchive, and the end that it does not check.
 *
 * libarchive takes the end of the input at an entry's boundary for the end of
 * the archive.  Only the two zero blocks say that the writer was done, so the
 * reads are watched: after the last entry nothing but zeros may come, and at
 * least 1,024 of them. */
#include "config.h"

#include "core/base/mem.h"
#include "storage/archive/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "storage/store/key.h"

enum { BLOCK = 256 << 10, END_MARK = 1024 };

static int read_block(struct gt_tar_stream *stream, size_t *got)
{
    int rc = gt_input_read(&stream->input, stream->block, BLOCK, got, &stream->io);
    if (rc)
        return rc;
    stream->eof = *got == 0;
    size_t end = *got;
    while (end > 0 && stream->block[end - 1] == 0)
        end--;
    if (end > 0)
        stream->nonzero_end = stream->total + (int64_t)end;
    stream->total += (int64_t)*got;
    return 0;
}

static la_ssize_t on_read(struct archive *archive, void *ctx, const void **data)
{
    struct gt_tar_stream *stream = ctx;
    size_t got = 0;
    *data = stream->block;
    if (read_block(stream, &got) != 0) {
        archive_set_error(archive, -1, "read failed");
        return ARCHIVE_FATAL;
    }
    return (la_ssize_t)got;
}

static int truncated(const struct gt_tar_stream *stream, struct gt_err *err)
{
    const char *key = stream->key.len > 0 ? stream->key.s : NULL;
    return gt_fail(err, GT_INPUT, "'%s' is truncated: the tar stream has no end mark%s%.200s%s", stream->input.name,
                   key ? " (the last entry is '" : "", key ? key : "", key ? "')" : "");
}

/* What a failing call of libarchive means. */
static int broken(struct gt_tar_stream *stream, struct gt_err *err)
{
    const char *text = archive_error_string(stream->archive);
    if (stream->io.status) {
        if (err && !err->status)
            *err = stream->io;
        return stream->io.status;
    }
    if (stream->eof)
        return truncated(stream, err);
    return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: %s", stream->input.name, text ? text : "unreadable entry");
}

int gt_tar_stream_open(struct gt_tar_stream *stream, struct gt_input *input, struct gt_err *err)
{
    *stream = (struct gt_tar_stream){.input = *input};
    *input = (struct gt_input){.fd = -1};
    stream->block = gt_alloc(BLOCK, 1, err);
    stream->archive = archive_read_new();
    if (!stream->block || !stream->archive)
        return gt_no_memory(err);
    if (archive_read_support_format_tar(stream->archive) != ARCHIVE_OK ||
        archive_read_open(stream->archive, stream, NULL, on_read, NULL) != ARCHIVE_OK)
        return broken(stream, err);
    return 0;
}

void gt_tar_stream_release(struct gt_tar_stream *stream)
{
    if (stream->archive)
        archive_read_free(stream->archive);
    gt_input_release(&stream->input);
    gt_str_release(&stream->key);
    free(stream->block);
    free(stream->root);
}

/* After the last entry: read to the end, which must be zeros. */
static int check_end(struct gt_tar_stream *stream, int64_t entries_end, struct gt_err *err)
{
    size_t got = 1;
    while (!stream->eof)
        if (read_block(stream, &got) != 0)
            return broken(stream, err);
    if (stream->nonzero_end > entries_end)
        return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: there are data after its end mark", stream->input.name);
    return stream->total - entries_end < END_MARK ? truncated(stream, err) : GT_END;
}

static int refuse(const struct gt_tar_stream *stream, const char *name, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' holds an entry '%.200s', which is %s: only plain files are accepted", stream->input.name, name,
                   what);
}

/* A name without "./" before it; a directory also without "/" at the end. */
static int set_key(struct gt_tar_stream *stream, const char *name, bool directory, struct gt_err *err)
{
    while (name[0] == '.' && name[1] == '/')
        for (name += 2; *name == '/'; name++)
            continue;
    size_t n = strlen(name);
    while (directory && n > 0 && name[n - 1] == '/')
        n--;
    if (directory && n == 1 && name[0] == '.')
        n = 0;
    gt_str_clear(&stream->key);
    gt_str_addn(&stream->key, name, n);
    return gt_str_check(&stream->key, err);
}

/* The key in stream->key, checked and without the root directory. */
static int check_key(struct gt_tar_stream *stream, bool directory, struct gt_err *err)
{
    struct gt_str *key = &stream->key;
    bool first = !stream->begun;
    stream->begun = true;
    if (directory && key->len == 0)
        return 0;
    if (!gt_key_valid(key->s, key->len))
        return gt_fail(err, GT_INPUT, "'%s' holds an entry with the name '%.200s', which is not allowed", stream->input.name, key->s);
    if (first && directory && !strchr(key->s, '/')) {
        struct gt_str root = {0};
        gt_str_addf(&root, "%s/", key->s);
        stream->root = root.failed ? NULL : root.s;
        return gt_str_check(&root, err);
    }
    size_t n = stream->root ? strlen(stream->root) : 0;
    if (n == 0 || directory)
        return 0;
    if (strncmp(key->s, stream->root, n) != 0)
        return gt_fail(err, GT_INPUT, "'%s' begins with the directory '%s' but holds '%.200s' outside it", stream->input.name, stream->root,
                       key->s);
    memmove(key->s, key->s + n, key->len - n + 1);
    key->len -= n;
    return 0;
}

static int take_entry(struct gt_tar_stream *stream, struct archive_entry *entry, bool *value, struct gt_err *err)
{
    const char *name = archive_entry_pathname_utf8(entry);
    if (!name)
        name = archive_entry_pathname(entry);
    if (!name)
        return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: an entry has no readable name", stream->input.name);
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
        return refuse(stream, name, "a link", err);
    if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR)
        return refuse(stream, name, "a device or pipe", err);
    *value = archive_entry_filetype(entry) == AE_IFREG;
    if (*value && (!archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0))
        return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: entry '%.200s' has no size", stream->input.name, name);
    int rc = set_key(stream, name, !*value, err);
    return rc ? rc : check_key(stream, !*value, err);
}

int gt_tar_stream_next(struct gt_tar_stream *stream, const char **key, int64_t *size, struct gt_err *err)
{
    struct archive_entry *entry;
    bool value = false;
    while (!value) {
        if (stream->begun && archive_read_data_skip(stream->archive) != ARCHIVE_OK)
            return broken(stream, err);
        int64_t entries_end = archive_filter_bytes(stream->archive, -1);
        int rc = archive_read_next_header(stream->archive, &entry);
        if (rc == ARCHIVE_EOF)
            return check_end(stream, entries_end, err);
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
            return broken(stream, err);
        if ((rc = take_entry(stream, entry, &value, err)) != 0)
            return rc;
    }
    *key = stream->key.s;
    *size = archive_entry_size(entry);
    return 0;
}

/* A piece of the current entry's data and where in it the piece belongs; GT_END after the last. */
static int next_data(struct gt_tar_stream *stream, const void **data, size_t *n, int64_t *offset, struct gt_err *err)
{
    la_int64_t at;
    int rc = archive_read_data_block(stream->archive, data, n, &at);
    *offset = at;
    if (rc == ARCHIVE_EOF)
        return GT_END;
    return rc == ARCHIVE_OK ? 0 : broken(stream, err);
}

int gt_tar_stream_take(struct gt_tar_stream *stream, int64_t size, struct gt_buf *buf, struct gt_err *err)
{
    const void *data;
    size_t n, done = 0;
    int64_t at;
    int rc;
    if ((uint64_t)size > SIZE_MAX / 2)
        return gt_fail(err, GT_NOFIT, "'%s': an entry of %lld bytes does not fit memory", stream->input.name, (long long)size);
    buf->len = 0;
    if ((rc = gt_buf_reserve(buf, size > 0 ? (size_t)size : 1, err)) != 0)
        return rc;
    while ((rc = next_data(stream, &data, &n, &at, err)) == 0) {
        if (at < (int64_t)done || at > size || n > (size_t)(size - at))
            return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: an entry has more data than its header gives", stream->input.name);
        memset(buf->data + done, 0, (size_t)at - done); /* a hole */
        if (n > 0)
            memcpy(buf->data + at, data, n);
        done = (size_t)at + n;
    }
    if (rc != GT_END)
        return rc;
    memset(buf->data + done, 0, (size_t)size - done);
    buf->len = (size_t)size;
    return 0;
}

int gt_tar_stream_spool(struct gt_tar_stream *stream, int64_t size, struct gt_spoolfile *spool, int64_t *offset, struct gt_err *err)
{
    const void *data;
    size_t n;
    int64_t at;
    int rc = gt_spoolfile_open(spool, err);
    if (rc)
        return rc;
    *offset = spool->end;
    while ((rc = next_data(stream, &data, &n, &at, err)) == 0) {
        if (at < 0 || at > size || n > (size_t)(size - at))
            return gt_fail(err, GT_INPUT, "'%s' is a damaged tar stream: an entry has more data than its header gives", stream->input.name);
        if ((rc = gt_spoolfile_write(spool, data, n, *offset + at, err)) != 0)
            return rc;
    }
    if (rc != GT_END)
        return rc;
    /* A hole at the end has no bytes of its own; one zero gives the file its length. */
    return size > 0 && spool->end < *offset + size ? gt_spoolfile_write(spool, "", 1, *offset + size - 1, err) : 0;
}
