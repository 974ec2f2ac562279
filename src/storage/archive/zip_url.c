/* A zip by URL.  Its end is got first, with what of the central directory is in it; a value is one
 * request, which takes the local header along. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_internal.h"
#include "storage/http/http.h"
#include "storage/store/range.h"

enum { USUAL_EXTRA = 64 /* bytes of extra fields that a local header may well have */ };

struct zip_url {
    struct gt_http_endpoint site;
    struct gt_http *http;
    struct gt_buf tail; /* the end of the file */
};

void zip_url_free(struct zip_url *url)
{
    if (!url)
        return;
    gt_http_free(url->http);
    gt_http_endpoint_release(&url->site);
    gt_buf_release(&url->tail);
    free(url);
}

static int get_tail(struct zip_reader *self, struct gt_err *err)
{
    struct gt_get get = {
        .key = "", .range = true, .at_most = true, .offset = -ZIP_USUAL_TAIL, .n = ZIP_USUAL_TAIL, .buf = &self->url->tail};
    int rc = gt_http_get_many(self->url->http, &get, 1, false, err);
    rc = rc ? rc : get.status;
    if (rc == GT_NOENT)
        return gt_fail_errno(err, ENOENT, "cannot open '%s'", self->base.name);
    if (!rc && get.size < 0)
        return gt_fail(err, GT_FAIL, "cannot read '%s': the server does not report its size", self->base.name);
    self->size = (uint64_t)get.size;
    return rc;
}

int zip_url_open(struct zip_reader *self, const char *path, struct gt_err *err)
{
    struct zip_url *url = self->url = gt_alloc(1, sizeof *url, err);
    if (!url)
        return GT_FAIL;
    url->tail.budget = self->central.budget;
    int rc = gt_http_endpoint_parse(&url->site, path, err);
    if (!rc)
        rc = gt_http_new(&url->http, &url->site, self->base.name, err);
    return rc ? rc : get_tail(self, err);
}

/* The bytes when they are in the end that is here, else NULL. */
static const uint8_t *in_tail(const struct zip_reader *self, size_t n, uint64_t offset)
{
    const struct gt_buf *tail = &self->url->tail;
    uint64_t from = self->size - tail->len;
    return offset < from || offset > self->size || n > self->size - offset ? NULL : tail->data + (offset - from);
}

int zip_url_read(const struct zip_reader *self, void *data, size_t n, uint64_t offset, struct gt_err *err)
{
    struct gt_buf buf = {.budget = self->central.budget};
    struct gt_get get = {.key = "", .range = true, .offset = (int64_t)offset, .n = n, .buf = &buf};
    const uint8_t *here = in_tail(self, n, offset);
    int rc = here || n == 0 ? 0 : gt_http_get_many(self->url->http, &get, 1, false, err);
    if (!rc && n > 0)
        memcpy(data, here ? here : buf.data, n);
    gt_buf_release(&buf);
    return rc;
}

/* A value that is asked for, and the part of the file that is got for it. */
struct want {
    struct gt_get *get;
    struct zip_entry *entry;
    int64_t offset; /* of a range, from the front */
    bool part;      /* what is got is the range alone, else it begins with the local header */
    struct gt_buf local;
};

/* Some of the file to each buffer, at once. */
static int get_all(const struct zip_reader *self, struct gt_get *asks, size_t n, struct gt_err *err)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *here = in_tail(self, asks[i].n, (uint64_t)asks[i].offset);
        if (!here && asks[i].n > 0) {
            asks[left++] = asks[i];
            continue;
        }
        int rc = gt_buf_resize(asks[i].buf, asks[i].n, err);
        if (rc)
            return rc;
        if (asks[i].n > 0)
            memcpy(asks[i].buf->data, here, asks[i].n);
    }
    return gt_http_get_many(self->url->http, asks, left, false, err);
}

static struct gt_get ask_for(struct gt_buf *buf, uint64_t offset, uint64_t n)
{
    return (struct gt_get){.key = "", .range = true, .offset = (int64_t)offset, .n = (size_t)n, .buf = buf};
}

/* What of a value is to be got, in one go.  A part of a stored value is got alone, once it is known where its data begin. */
static int look_at(const struct zip_reader *self, struct want *want, struct gt_err *err)
{
    struct gt_get *get = want->get;
    want->entry = zip_find(self, get->key);
    get->status = want->entry ? 0 : GT_NOENT;
    if (!want->entry)
        return 0;
    int rc = zip_check_method(self, want->entry, get->key, err);
    if (!rc && want->entry->method == GT_ZIP_STORED && want->entry->packed != want->entry->size)
        rc = zip_bad_value(self, get->key, "has two sizes", err);
    if (!rc && zip_local_len(want->entry) == 0)
        rc = zip_bad_value(self, get->key, "has too long a name", err);
    want->offset = get->offset;
    if (!rc && get->range)
        rc = gt_range_resolve(self->base.name, get->key, (int64_t)want->entry->size, &want->offset, get->n, err);
    want->part = get->range && zip_is_stored(want->entry);
    return get->status = rc;
}

/* The local headers of values of which parts are wanted. */
static int get_locals(const struct zip_reader *self, struct want *wants, size_t n, struct gt_get *asks, struct gt_err *err)
{
    size_t n_asks = 0;
    for (size_t i = 0; i < n; i++)
        if (wants[i].entry && wants[i].part && wants[i].entry->start == 0)
            asks[n_asks++] = ask_for(&wants[i].local, wants[i].entry->offset, zip_local_len(wants[i].entry));
    int rc = get_all(self, asks, n_asks, err);
    for (size_t i = 0; i < n && !rc; i++) {
        uint64_t start;
        if (wants[i].local.len == 0)
            continue;
        rc = zip_data_start(self, wants[i].entry, wants[i].get->key, wants[i].local.data, &start, err);
        if (!rc)
            wants[i].entry->start = start;
    }
    return rc;
}

/* From the local header to the end of the data, if the header is as is usual. */
static uint64_t usual_bytes(const struct zip_reader *self, const struct zip_entry *entry)
{
    uint64_t n = zip_local_len(entry) + USUAL_EXTRA + entry->packed, most = self->central_at - entry->offset;
    return n < most ? n : most;
}

static int get_values(const struct zip_reader *self, struct want *wants, size_t n, struct gt_get *asks, struct gt_err *err)
{
    size_t n_asks = 0;
    for (size_t i = 0; i < n; i++) {
        const struct zip_entry *entry = wants[i].entry;
        if (!entry)
            continue;
        if (wants[i].part)
            asks[n_asks++] = ask_for(wants[i].get->buf, entry->start + (uint64_t)wants[i].offset, wants[i].get->n);
        else
            asks[n_asks++] = ask_for(&wants[i].local, entry->offset, usual_bytes(self, entry));
    }
    return get_all(self, asks, n_asks, err);
}

/* A whole value, from what was got: local header and data. */
static int take_value(const struct zip_reader *self, struct want *want, struct gt_err *err)
{
    const struct zip_entry *entry = want->entry;
    struct gt_get *get = want->get;
    uint64_t start;
    if (want->local.len < zip_local_len(entry))
        return zip_bad_value(self, get->key, "is not where the directory says it is", err);
    int rc = zip_data_start(self, entry, get->key, want->local.data, &start, err);
    if (rc)
        return rc;
    uint64_t before = start - entry->offset, need = before + entry->packed, had = want->local.len;
    if (need > had && ((rc = gt_buf_resize(&want->local, (size_t)need, err)) != 0 ||
                       (rc = zip_read_at(self, want->local.data + had, (size_t)(need - had), entry->offset + had, err)) != 0))
        return rc;
    rc = gt_buf_resize(get->buf, (size_t)entry->size, err);
    if (!rc)
        rc = zip_unpack(self, entry, get->key, want->local.data + before, get->buf, err);
    if (!rc && get->range) {
        if (get->n > 0)
            memmove(get->buf->data, get->buf->data + want->offset, get->n);
        get->buf->len = get->n;
    }
    return rc;
}

int zip_url_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err)
{
    const struct zip_reader *self = (struct zip_reader *)store;
    struct want *wants = gt_alloc(n + 1, sizeof *wants, err);
    struct gt_get *asks = gt_alloc(n + 1, sizeof *asks, err);
    int rc = wants && asks ? 0 : GT_FAIL;
    for (size_t i = 0; i < n && !rc; i++) {
        wants[i] = (struct want){.get = &gets[i], .local.budget = gets[i].buf->budget};
        rc = look_at(self, &wants[i], err);
    }
    rc = rc ? rc : get_locals(self, wants, n, asks, err);
    rc = rc ? rc : get_values(self, wants, n, asks, err);
    for (size_t i = 0; i < n && !rc; i++)
        if (wants[i].entry && !wants[i].part)
            rc = gets[i].status = take_value(self, &wants[i], err);
    for (size_t i = 0; i < n && wants; i++)
        gt_buf_release(&wants[i].local);
    free(wants);
    free(asks);
    return rc;
}
