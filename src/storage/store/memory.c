#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/store/key.h"
#include "storage/store/memory_store.h"

struct value {
    char *key;
    struct gt_buf bytes;
};

struct memory_store {
    struct gt_store base;
    struct gt_budget *budget;
    pthread_mutex_t lock;   /* of all below */
    struct gt_names *names; /* key -> index in values */
    struct value *values;
    size_t n, cap;
};

static struct value *find(struct gt_store *store, const char *key)
{
    struct memory_store *self = (struct memory_store *)store;
    int64_t i = gt_names_find(self->names, key, strlen(key));
    return i < 0 ? NULL : &self->values[i];
}

static int memory_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct memory_store *self = (struct memory_store *)store;
    int rc = GT_NOENT;
    pthread_mutex_lock(&self->lock);
    gt_budget_locked();
    struct value *value = find(store, key);
    buf->len = 0;
    if (value && (rc = gt_buf_reserve(buf, value->bytes.len + 1, err)) == 0)
        rc = gt_buf_append(buf, value->bytes.data, value->bytes.len, err);
    gt_budget_unlocked();
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int memory_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    struct memory_store *self = (struct memory_store *)store;
    (void)err;
    pthread_mutex_lock(&self->lock);
    bool there = find(store, key) != NULL;
    pthread_mutex_unlock(&self->lock);
    return there ? 0 : GT_NOENT;
}

static int memory_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                       struct gt_err *err)
{
    struct memory_store *self = (struct memory_store *)store;
    (void)err;
    for (size_t i = 0; i < self->n; i++) {
        int rc = gt_key_below(self->values[i].key, prefix) ? fn(ctx, self->values[i].key, (int64_t)self->values[i].bytes.len) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

/* With the lock. */
static int put_value(struct memory_store *self, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct value *value = find(&self->base, key);
    if (!value) {
        int rc = gt_grow(&self->values, &self->cap, self->n + 1, sizeof *self->values, err);
        if (rc)
            return rc;
        value = &self->values[self->n];
        *value = (struct value){.key = gt_strdup(key, err), .bytes.budget = self->budget};
        if (!value->key || gt_names_add(self->names, key, strlen(key), (int64_t)self->n, NULL, err)) {
            free(value->key);
            return GT_FAIL;
        }
        self->n++;
    }
    value->bytes.len = 0;
    return gt_buf_append(&value->bytes, data, n, err);
}

static int memory_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct memory_store *self = (struct memory_store *)store;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&self->lock);
    gt_budget_locked();
    rc = put_value(self, key, data, n, err);
    gt_budget_unlocked();
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int memory_finish(struct gt_store *store, struct gt_err *err)
{
    (void)store, (void)err;
    return 0;
}

static void memory_free(struct gt_store *store)
{
    struct memory_store *self = (struct memory_store *)store;
    for (size_t i = 0; i < self->n; i++) {
        free(self->values[i].key);
        gt_buf_release(&self->values[i].bytes);
    }
    gt_names_free(self->names);
    pthread_mutex_destroy(&self->lock);
    free(self->values);
    free(store->name);
    free(self);
}

static const struct gt_store_ops memory_ops = {.kind = "memory",
                                               .get = memory_get,
                                               .has = memory_has,
                                               .list = memory_list,
                                               .put = memory_put,
                                               .finish = memory_finish,
                                               .free = memory_free};

int gt_store_new_memory(struct gt_store **out, struct gt_budget *budget, struct gt_err *err)
{
    struct memory_store *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &memory_ops, .name = gt_strdup("memory", err)};
    self->budget = budget;
    self->names = gt_names_new(budget, err);
    pthread_mutex_init(&self->lock, NULL);
    if (!self->base.name || !self->names) {
        memory_free(&self->base);
        return GT_FAIL;
    }
    *out = &self->base;
    return 0;
}
