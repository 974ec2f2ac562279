/* A store after a URL, for reading.  There is no list of its keys.  Metadata is asked
 * for again and again, so it is kept: what it was when first asked for it stays.  So do
 * other values that were asked for ahead of their use. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/http/http.h"
#include "storage/http/url.h"
#include "storage/store/dir_read.h"
#include "storage/store/key.h"
#include "storage/store/memory_store.h"

enum { KEPT = 8 << 20, KEPT_NAMES = 10000 }; /* of values */

struct http_store {
    struct gt_store base;
    struct gt_http_endpoint site;
    struct gt_http *http;
    pthread_mutex_t lock; /* of what follows */
    struct gt_store *values;
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
static int find_value(struct http_store *self, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    int rc;
    pthread_mutex_lock(&self->lock);
    gt_budget_locked();
    rc = gt_store_get(self->values, key, buf, err);
    if (rc == GT_NOENT && gt_names_find(self->absent, key, strlen(key)) < 0)
        rc = GT_END;
    gt_budget_unlocked();
    pthread_mutex_unlock(&self->lock);
    return rc;
}

/* Metadata, and what is asked for with `keep`. */
static int keep_value(struct http_store *self, const struct gt_get *get, struct gt_err *err)
{
    int rc = 0;
    if (get->range || !(get->keep || gt_key_is_meta(get->key)))
        return 0;
    pthread_mutex_lock(&self->lock);
    if (!get->status && get->buf->len < KEPT - self->kept) {
        self->kept += get->buf->len;
        rc = gt_store_put(self->values, get->key, get->buf->data, get->buf->len, err);
    } else if (get->status == GT_NOENT && self->n_absent < KEPT_NAMES) {
        self->n_absent++;
        rc = gt_names_add(self->absent, get->key, strlen(get->key), 0, NULL, err);
    }
    pthread_mutex_unlock(&self->lock);
    return rc;
}

/* Those that are not kept, side by side; *left: where they stand among the gets. */
static int ask_for_rest(struct http_store *self, struct gt_get *gets, struct gt_get *rest, size_t *left, size_t n, struct gt_err *err)
{
    size_t n_left = 0;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        gets[i].status = gets[i].range ? GT_END : find_value(self, gets[i].key, gets[i].buf, err);
        if (gets[i].status == GT_END) {
            gets[i].status = GT_CANCEL; /* until it was asked for */
            left[n_left] = i;
            rest[n_left++] = gets[i];
        } else if (gets[i].status > 0) {
            rc = gets[i].status;
        }
    }
    if (!rc)
        rc = ask(&self->base, rest, n_left, false, err);
    for (size_t k = 0; k < n_left; k++)
        gets[left[k]] = rest[k];
    for (size_t k = 0; k < n_left && !rc; k++)
        rc = rest[k].status <= 0 ? keep_value(self, &rest[k], err) : 0;
    return rc;
}

static int http_get_many(struct gt_store *store, struct gt_get *gets, size_t n, struct gt_err *err)
{
    struct gt_get *rest = gt_alloc(n, sizeof *rest, err);
    size_t *left = gt_alloc(n, sizeof *left, err);
    int rc = rest && left ? ask_for_rest((struct http_store *)store, gets, rest, left, n, err) : GT_FAIL;
    free(rest);
    free(left);
    return rc;
}

static int http_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct gt_get get = {.key = key, .buf = buf}, rest;
    size_t left;
    int rc = ask_for_rest((struct http_store *)store, &get, &rest, &left, 1, err);
    return rc ? rc : get.status;
}

static int http_get_range(struct gt_store *store, const char *key, int64_t offset, size_t n, struct gt_buf *buf, struct gt_err *err)
{
    return ask_one(store, (struct gt_get){.key = key, .range = true, .offset = offset, .n = n, .buf = buf}, false, err);
}

static int http_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    return ask_one(store, (struct gt_get){.key = key}, true, err);
}

/* The store that was closed last: who opens its URL next gets it, with its connections and what it keeps.  A command may look
 * at an input as one kind of thing, then read it as another. */
static struct http_store *parked;
static pthread_mutex_t parking = PTHREAD_MUTEX_INITIALIZER;

/* NULL: nothing is parked from now on.  Returns the one that was. */
static struct http_store *park(struct http_store *store)
{
    pthread_mutex_lock(&parking);
    struct http_store *before = parked;
    parked = store;
    pthread_mutex_unlock(&parking);
    return before;
}

static void destroy(struct http_store *self)
{
    if (!self)
        return;
    gt_store_free(self->values);
    gt_names_free(self->absent);
    pthread_mutex_destroy(&self->lock);
    gt_http_free(self->http);
    gt_http_endpoint_release(&self->site);
    free(self->base.name);
    free(self);
}

static void http_free(struct gt_store *store)
{
    store->budget = NULL;
    destroy(park((struct http_store *)store));
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
    struct http_store *self = park(NULL);
    *out = NULL;
    if (self && strcmp(self->base.name, url) == 0) {
        *out = &self->base;
        return 0;
    }
    destroy(self);
    self = gt_alloc(1, sizeof *self, err);
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &http_ops, .name = gt_strdup(url, err)};
    pthread_mutex_init(&self->lock, NULL);
    self->absent = gt_names_new(NULL, err);
    int rc = self->base.name && self->absent ? gt_store_new_memory(&self->values, NULL, err) : GT_FAIL;
    if (!rc)
        rc = gt_http_endpoint_parse(&self->site, url, err);
    if (!rc)
        rc = gt_http_new(&self->http, &self->site, self->base.name, err);
    if (rc) {
        destroy(self);
        return rc;
    }
    *out = &self->base;
    return 0;
}
