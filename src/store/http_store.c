/* A store behind a URL, for reading.  There is no list of its keys.  Metadata is asked
 * for again and again, so it is kept: what it was when first asked for it stays. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/dir.h"
#include "store/http.h"
#include "store/key.h"
#include "store/open.h"
#include "store/url.h"

enum { KEPT = 8 << 20, KEPT_NAMES = 10000 }; /* of metadata */

struct http_store {
    struct gt_store base;
    struct gt_http_site site;
    struct gt_http *http;
    pthread_mutex_t lock; /* of what follows */
    struct gt_store *documents;
    struct gt_names *absent;
    size_t kept, n_absent;
};

static int ask(struct gt_store *store, struct gt_get *gets, size_t n, bool look, struct gt_err *err)
{
    for (size_t i = 0; i < n; i++) {
        int rc = gt_key_check(gets[i].key, GT_USAGE, store->name, err);
        if (rc)
            return gets[i].status = rc;
    }
    return gt_http_get_many(((struct http_store *)store)->http, gets, n, look, err);
}

static int ask_one(struct gt_store *store, struct gt_get get, bool look, struct gt_err *err)
{
    int rc = ask(store, &get, 1, look, err);
    return rc ? rc : get.status;
}

/* Is it kept, or known to be absent?  GT_END: neither. */
static int find_document(struct http_store *self, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    int rc;
    pthread_mutex_lock(&self->lock);
    gt_budget_locked();
    rc = gt_store_get(self->documents, key, buf, err);
    if (rc == GT_NOENT && gt_names_find(self->absent, key, strlen(key)) < 0)
        rc = GT_END;
    gt_budget_unlocked();
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int keep_document(struct http_store *self, const char *key, int status, const struct gt_buf *buf, struct gt_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&self->lock);
    if (!status && buf->len < KEPT - self->kept) {
        self->kept += buf->len;
        rc = gt_store_put(self->documents, key, buf->data, buf->len, err);
    } else if (status == GT_NOENT && self->n_absent < KEPT_NAMES) {
        self->n_absent++;
        rc = gt_names_add(self->absent, key, strlen(key), 0, NULL, err);
    }
    pthread_mutex_unlock(&self->lock);
    return rc ? rc : status;
}

static int http_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err)
{
    int rc = ask(store, gets, n, false, err);
    for (size_t i = 0; i < n && !rc; i++)
        if (gets[i].status <= 0 && !gets[i].range && gt_key_is_meta(gets[i].key)) {
            int kept = keep_document((struct http_store *)store, gets[i].key, gets[i].status, gets[i].buf, err);
            rc = kept > 0 ? kept : 0;
        }
    return rc;
}

static int http_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct http_store *self = (struct http_store *)store;
    const struct gt_get get = {.key = key, .buf = buf};
    if (!gt_key_is_meta(key))
        return ask_one(store, get, false, err);
    int rc = find_document(self, key, buf, err);
    if (rc != GT_END)
        return rc;
    rc = ask_one(store, get, false, err);
    return rc > 0 ? rc : keep_document(self, key, rc, buf, err);
}

static int http_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return ask_one(store, (struct gt_get){.key = key, .range = true, .offset = offset, .n = n, .buf = buf}, false, err);
}

static int http_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    return ask_one(store, (struct gt_get){.key = key}, true, err);
}

static void http_free(struct gt_store *store)
{
    struct http_store *self = (struct http_store *)store;
    gt_store_free(self->documents);
    gt_names_free(self->absent);
    pthread_mutex_destroy(&self->lock);
    gt_http_free(self->http);
    gt_http_site_release(&self->site);
    free(store->name);
    free(self);
}

static const struct gt_store_ops http_ops = {.kind = "remote store",
                                             .get = http_get,
                                             .get_range = http_get_range,
                                             .get_many = http_get_many,
                                             .has = http_has,
                                             .put = gt_store_no_put,
                                             .finish = gt_store_no_finish,
                                             .free = http_free};

int gt_store_open_url(struct gt_store **out, const char *url, struct gt_err *err)
{
    struct http_store *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &http_ops, .name = gt_strdup(url, err)};
    pthread_mutex_init(&self->lock, NULL);
    self->absent = gt_names_new(NULL, err);
    int rc = self->base.name && self->absent ? gt_store_new_memory(&self->documents, NULL, err) : GT_FAIL;
    if (!rc)
        rc = gt_http_site_parse(&self->site, url, err);
    if (!rc)
        rc = gt_http_new(&self->http, &self->site, self->base.name, err);
    if (rc) {
        http_free(&self->base);
        return rc;
    }
    *out = &self->base;
    return 0;
}
