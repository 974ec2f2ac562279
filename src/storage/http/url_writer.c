#include "config.h"

#include "storage/http/url_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "core/base/monotonic.h"
#include "storage/http/objects.h"
#include "storage/http/url.h"
#include "storage/http/url_writer_internal.h"
#include "storage/store/journal_read.h"
#include "storage/store/key.h"
#include "storage/store/memory_store.h"

enum { STORE_EVERY = 5000 /* ms */ };

static _Atomic int64_t n_unfinished;

bool gt_url_left_unfinished(void)
{
    return n_unfinished > 0;
}

static void set_begun(struct url_writer *self)
{
    self->begun = true;
    n_unfinished++;
}

int url_send(struct url_writer *self, struct gt_http_send *send, struct gt_err *err)
{
    int rc = gt_http_send_many(self->http, send, 1, err);
    return rc ? rc : send->status;
}

/* --- what is there --------------------------------------------------------------------------------- */

enum { ROOTS = 3, LOOKS = 4 };
static const char *const root_names[ROOTS] = {".zgroup", ".zarray", "zarr.json"};

struct found {
    bool store, begun;
    int64_t modified;
};

static int look(struct gt_http *http, struct found *found, struct gt_err *err)
{
    struct gt_http_send sends[LOOKS];
    *found = (struct found){.modified = -1};
    for (int i = 0; i < LOOKS; i++)
        sends[i] = (struct gt_http_send){.method = "HEAD", .key = i < ROOTS ? root_names[i] : URL_JOURNAL "0"};
    int rc = gt_http_send_many(http, sends, LOOKS, err);
    for (int i = 0; i < ROOTS && !rc; i++)
        if (!sends[i].status) {
            found->store = true;
            found->modified = sends[i].modified > found->modified ? sends[i].modified : found->modified;
        }
    found->begun = !rc && !sends[ROOTS].status;
    return rc;
}

/* Are there other objects?  Where they may not be listed none are seen. */
static bool has_others(struct gt_http *http, const struct gt_http_endpoint *site)
{
    struct gt_strs keys = {0};
    gt_http_list(http, site, 1, &keys, NULL);
    const bool others = keys.n > 0;
    gt_strs_release(&keys);
    return others;
}

static int check_found(const char *url, struct gt_http *http, const struct gt_http_endpoint *site, bool replace, struct gt_err *err)
{
    struct found found;
    int rc = look(http, &found, err);
    if (rc || (replace && (found.store || found.begun)))
        return rc;
    if (found.store) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': it already exists", url);
        gt_hint(err, "replace it with --force");
    } else if (found.begun) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': an interrupted run, or one that is not finished, has data there", url);
        gt_hint(err, "replace it with --force, or continue it with --resume");
    } else if (has_others(http, site)) {
        rc = gt_fail(err, GT_FAIL, "cannot create '%s': there are other objects below it", url);
        gt_hint(err, "choose another name, or remove them");
    }
    return rc;
}

int gt_store_check_url(const char *url, bool replace, struct gt_err *err)
{
    struct gt_http_place place;
    int rc = gt_http_place_open(&place, url, err);
    rc = rc ? rc : check_found(url, place.http, &place.site, replace, err);
    gt_http_place_close(&place);
    return rc;
}

int gt_store_exists_at_url(const char *url, bool *exists, int64_t *modified, struct gt_err *err)
{
    struct gt_http_place place;
    struct found found = {0};
    int rc = gt_http_place_open(&place, url, err);
    rc = rc ? rc : look(place.http, &found, err);
    gt_http_place_close(&place);
    *exists = found.store;
    if (modified)
        *modified = found.modified;
    return rc;
}

/* --- the journal -------------------------------------------------------------------------------------- */

const char *url_segment_key(char key[URL_KEY], int rank, int64_t number)
{
    if (rank > 0)
        snprintf(key, URL_KEY, URL_JOURNAL "%d-%" PRId64, rank, number);
    else
        snprintf(key, URL_KEY, URL_JOURNAL "%" PRId64, number);
    return key;
}

static int put_document(struct url_writer *self, const char *key, const char *text, size_t n, struct gt_err *err)
{
    return url_send(self, &(struct gt_http_send){.method = "PUT", .key = key, .data = text, .n = n, .checksum = true}, err);
}

static int put_segment(struct url_writer *self, int64_t number, const char *text, size_t n, struct gt_err *err)
{
    char key[URL_KEY];
    return put_document(self, url_segment_key(key, self->rank, number), text, n, err);
}

/* In the order in which it can be interrupted: from the start on nobody continues it, then nobody opens it. */
static int remove_old(struct url_writer *self, struct gt_err *err)
{
    static const char plan[] = GT_JOURNAL_HEAD "9\nremoving\n\n";
    struct gt_http_send roots[ROOTS];
    for (int i = 0; i < ROOTS; i++)
        roots[i] = (struct gt_http_send){.method = "DELETE", .key = root_names[i]};
    int rc = put_segment(self, 0, plan, sizeof plan - 1, err);
    rc = rc ? rc : gt_http_send_many(self->http, roots, ROOTS, err);
    return rc ? rc : gt_http_remove_all(self->http, &self->site, URL_JOURNAL "0", err);
}

/* Before the first value: what is there goes, and the journal begins. */
static int begin(struct url_writer *self, struct gt_err *err)
{
    struct gt_str text = {0};
    int rc = 0;
    pthread_mutex_lock(&self->begin);
    if (!self->begun) {
        struct found found = {0};
        rc = self->replace ? look(self->http, &found, err) : 0;
        if (!rc && (found.store || found.begun))
            rc = remove_old(self, err);
        gt_str_addf(&text, GT_JOURNAL_HEAD "%zu\n%s\n", strlen(self->plan), self->plan);
        rc = rc ? rc : gt_str_check(&text, err);
        rc = rc ? rc : put_segment(self, 0, text.s, text.len, err);
        if (!rc)
            set_begun(self);
        self->stored_at = gt_clock_ms();
    }
    pthread_mutex_unlock(&self->begin);
    gt_str_release(&text);
    return rc;
}

/* Called by the queue, and for large values. */
static void on_confirmed(void *ctx, const char *key, int64_t size, uint64_t hash)
{
    struct url_writer *self = ctx;
    pthread_mutex_lock(&self->lock);
    gt_journal_add_line(&self->lines, key, size, hash);
    pthread_mutex_unlock(&self->lock);
}

/* Checkpoints whose values are confirmed become lines.  Under the lock. */
static void release_notes(struct url_writer *self)
{
    const int64_t confirmed = self->n_noted < self->notes.n ? gt_http_queue_confirmed(self->queue) : 0;
    while (self->n_noted < self->notes.n && self->after[self->n_noted] <= confirmed)
        gt_str_addf(&self->lines, GT_JOURNAL_CHECKPOINT "%s\n", gt_strs_get(&self->notes, self->n_noted++));
    if (self->n_noted == self->notes.n) {
        gt_strs_clear(&self->notes);
        self->n_noted = 0;
    }
}

/* Stores the lines that came since, if `always` or if some time has passed. */
static int store_lines(struct url_writer *self, bool always, struct gt_err *err)
{
    struct gt_str lines = {0};
    int64_t number = 0;
    pthread_mutex_lock(&self->lock);
    const bool due = always || gt_clock_ms() - self->stored_at >= STORE_EVERY;
    if (due)
        release_notes(self);
    if (due && self->lines.len > 0) {
        lines = self->lines;
        self->lines = (struct gt_str){0};
        self->stored_at = gt_clock_ms();
        number = ++self->n_segments;
    }
    pthread_mutex_unlock(&self->lock);
    int rc = gt_str_check(&lines, err);
    if (!rc && number)
        rc = put_segment(self, number, lines.s, lines.len, err);
    gt_str_release(&lines);
    return rc;
}

/* --- the store ----------------------------------------------------------------------------------------- */

static int writer_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc || gt_key_is_meta(key))
        return rc ? rc : gt_store_put(self->meta, key, data, n, err);
    const uint64_t hash = XXH3_64bits(data, n);
    rc = begin(self, err);
    if (!rc && n >= (size_t)GT_HTTP_LARGE && self->site.kind != GT_HTTP_WEB) {
        rc = gt_http_put_large(self->http, &self->site, key, data, n, err);
        if (!rc)
            on_confirmed(self, key, (int64_t)n, hash);
    } else if (!rc) {
        rc = gt_http_queue_put(self->queue, key, data, n, hash, err);
    }
    return rc ? rc : store_lines(self, false, err);
}

static int writer_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    if (gt_key_is_meta(key))
        return gt_store_get(self->meta, key, buf, err);
    return gt_fail(err, GT_USAGE, "cannot read '%s' in '%s': it is being written", key, store->name);
}

static int writer_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    struct gt_http_send send = {.method = "HEAD", .key = key};
    if (gt_key_is_meta(key))
        return gt_store_has(self->meta, key, err);
    int rc = gt_http_queue_drain(self->queue, err);
    return rc ? rc : url_send(self, &send, err);
}

/* Metadata alone. */
static int writer_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                       struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    return self->meta->ops->list(self->meta, prefix, fn, ctx, err);
}

static int writer_done(struct gt_store *store, const char *key, int64_t *size, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    (void)err;
    *size = self->had ? gt_names_find(self->had, key, strlen(key)) : -1;
    return *size >= 0 ? 0 : GT_NOENT;
}

static int writer_verify(struct gt_store *store, int64_t *values, int64_t *bytes, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    int rc = begin(self, err);
    rc = rc ? rc : gt_http_queue_drain(self->queue, err);
    rc = rc ? rc : store_lines(self, true, err);
    return rc ? rc : url_verify(self, values, bytes, err);
}

static int writer_checkpoint(struct gt_store *store, const char *text, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    pthread_mutex_lock(&self->lock);
    int rc = gt_grow(&self->after, &self->cap_after, self->notes.n + 1, sizeof *self->after, err);
    if (!rc) {
        self->after[self->notes.n] = gt_http_queue_count(self->queue);
        rc = gt_strs_add(&self->notes, text, strlen(text), err);
    }
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static const char *writer_checkpoints(struct gt_store *store)
{
    const struct url_writer *self = (struct url_writer *)store;
    return self->had_notes.len ? self->had_notes.s : "";
}

/* What was stored stays in any case: the caller says so. */
static int writer_keep(struct gt_store *store, bool keep, struct gt_err *err)
{
    (void)store, (void)keep, (void)err;
    return 0;
}

/* Which documents are sent together: 0 those of arrays and groups inside, 1 what belongs to the root, 2 what makes it a root. */
static int turn_of(const char *key)
{
    for (int i = 0; i < ROOTS; i++)
        if (strcmp(key, root_names[i]) == 0)
            return 2;
    return strchr(key, '/') ? 0 : 1;
}

struct publish {
    struct url_writer *self;
    struct gt_err *err;
    int turn;
};

static int publish_document(void *ctx, const char *key, int64_t size)
{
    struct publish *publish = ctx;
    struct gt_buf text = {0};
    (void)size;
    if (turn_of(key) != publish->turn)
        return 0;
    int rc = gt_store_get(publish->self->meta, key, &text, publish->err);
    rc = rc ? rc : gt_http_queue_put(publish->self->queue, key, text.data, text.len, 0, publish->err);
    gt_buf_release(&text);
    return rc;
}

static int writer_share(struct gt_store *store, int ranks, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    char text[32];
    int rc = begin(self, err);
    if (rc || ranks <= self->ranks)
        return rc;
    self->ranks = ranks;
    return put_document(self, URL_RANKS, text, (size_t)snprintf(text, sizeof text, "%d\n", ranks), err);
}

static int delete_object(struct url_writer *self, const char *key)
{
    return url_send(self, &(struct gt_http_send){.method = "DELETE", .key = key}, NULL);
}

/* Of another rank, whose number of objects is not known. */
static int remove_segments(struct url_writer *self, int rank)
{
    char key[URL_KEY];
    int rc = 0;
    for (int64_t i = 1; !rc; i++) {
        rc = url_send(self, &(struct gt_http_send){.method = "HEAD", .key = url_segment_key(key, rank, i)}, NULL);
        rc = rc ? rc : delete_object(self, key);
    }
    return rc == GT_NOENT ? GT_OK : rc;
}

/* The store is complete: a failure to remove the journal is not one of the store. */
static void remove_journal(struct url_writer *self)
{
    char key[URL_KEY];
    for (int rank = 1; rank < self->ranks; rank++)
        if (remove_segments(self, rank))
            return;
    if (self->ranks && delete_object(self, URL_RANKS))
        return;
    for (int64_t i = self->n_segments; i >= 0; i--)
        if (delete_object(self, url_segment_key(key, 0, i)))
            return;
    if (self->site.kind == GT_HTTP_WEB) /* the folder is empty */
        url_send(self, &(struct gt_http_send){.method = "DELETE", .key = URL_JOURNAL}, NULL);
}

static int writer_finish(struct gt_store *store, struct gt_err *err)
{
    struct url_writer *self = (struct url_writer *)store;
    int rc = begin(self, err);
    rc = rc ? rc : gt_http_queue_drain(self->queue, err);
    if (self->rank > 0) {
        rc = rc ? rc : store_lines(self, true, err);
        self->finished = !rc;
        return rc;
    }
    for (int turn = 0; turn < 3 && !rc; turn++) {
        struct publish publish = {self, err, turn};
        rc = self->meta->ops->list(self->meta, "", publish_document, &publish, err);
        rc = rc ? rc : gt_http_queue_drain(self->queue, err);
    }
    if (rc)
        return rc;
    self->finished = true;
    n_unfinished--;
    remove_journal(self);
    return 0;
}

static void writer_free(struct gt_store *store)
{
    struct url_writer *self = (struct url_writer *)store;
    struct gt_err err = {0};
    const bool failed = self->queue && gt_http_queue_failed(self->queue);
    gt_http_queue_stop(self->queue);
    if (self->queue && self->begun && !self->finished && !failed)
        store_lines(self, true, &err); /* for --resume */
    gt_http_queue_free(self->queue);
    gt_store_free(self->meta);
    gt_names_free(self->had);
    gt_str_release(&self->lines);
    gt_str_release(&self->had_notes);
    gt_strs_release(&self->notes);
    free(self->after);
    gt_http_free(self->http);
    gt_http_endpoint_release(&self->site);
    pthread_mutex_destroy(&self->begin);
    pthread_mutex_destroy(&self->lock);
    free(self->plan);
    free(store->name);
    free(self);
}

static const struct gt_store_ops writer_ops = {.kind = "remote store",
                                               .any_order = true,
                                               .get = writer_get,
                                               .has = writer_has,
                                               .list = writer_list,
                                               .put = writer_put,
                                               .done = writer_done,
                                               .verify = writer_verify,
                                               .keep = writer_keep,
                                               .note = writer_checkpoint,
                                               .notes = writer_checkpoints,
                                               .share = writer_share,
                                               .finish = writer_finish,
                                               .free = writer_free};

static int alloc_writer(struct url_writer **out, const char *url, bool replace, const char *plan, struct gt_err *err)
{
    struct url_writer *self = *out = gt_alloc(1, sizeof *self, err);
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &writer_ops, .name = gt_strdup(url, err)};
    self->plan = gt_strdup(plan ? plan : "", err);
    self->replace = replace;
    pthread_mutex_init(&self->begin, NULL);
    pthread_mutex_init(&self->lock, NULL);
    int rc = self->base.name && self->plan ? gt_store_new_memory(&self->meta, NULL, err) : GT_FAIL;
    rc = rc ? rc : gt_http_endpoint_parse(&self->site, url, err);
    return rc ? rc : gt_http_new(&self->http, &self->site, self->base.name, err);
}

static int take_writer(struct gt_store **out, struct url_writer *self, int rc, struct gt_err *err)
{
    rc = rc ? rc : gt_http_queue_new(&self->queue, self->http, on_confirmed, self, err);
    *out = rc ? NULL : &self->base;
    if (rc && self)
        writer_free(&self->base);
    return rc;
}

static int create(struct gt_store **out, const char *url, bool replace, bool resume, const char *plan, struct gt_err *err)
{
    struct url_writer *self;
    int rc = alloc_writer(&self, url, replace, plan, err);
    if (!rc)
        rc = resume ? url_resume_read(self, err) : GT_NOENT;
    if (!rc)
        set_begun(self);
    if (rc == GT_NOENT)
        rc = check_found(url, self->http, &self->site, replace, err);
    return take_writer(out, self, rc, err);
}

int gt_store_join_url(struct gt_store **out, const char *url, int rank, struct gt_err *err)
{
    struct url_writer *self;
    int rc = alloc_writer(&self, url, false, "", err);
    if (!rc) {
        self->rank = rank;
        self->begun = true;
        self->stored_at = gt_clock_ms();
        rc = url_resume_read(self, err);
    }
    if (rc == GT_NOENT)
        rc = gt_fail(err, GT_FAIL, "'%s' was changed by another process", url);
    return take_writer(out, self, rc, err);
}

int gt_store_create_url(struct gt_store **out, const char *url, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, url, replace, false, plan, err);
}

int gt_store_resume_url(struct gt_store **out, const char *url, bool replace, const char *plan, struct gt_err *err)
{
    return create(out, url, replace, true, plan, err);
}

void gt_url_writer_count(const struct gt_store *store, int64_t *values, int64_t *bytes)
{
    const struct url_writer *self = (const struct url_writer *)store;
    *values = self->n_had;
    *bytes = self->had_bytes;
}
