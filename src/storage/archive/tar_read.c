/* A tar stream as a store.
 *
 * Values come in the order of the stream.  A get of a value that has not come
 * yet reads on; what is skipped is kept in memory up to a share of the
 * budget, then in one file without a name.  One thread reads on at a time,
 * without the lock, while others take what is there or wait. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/engine/trace.h"
#include "storage/archive/tar.h"
#include "storage/archive/tar_store.h"
#include "storage/archive/tar_table.h"
#include "storage/store/dir_read.h"
#include "storage/store/key.h"

#define MEMORY_SHARE 8 /* an eighth of the budget */

struct tar_reader {
    struct gt_store base;
    struct gt_budget *budget;
    enum gt_store_keep keep;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* --- used by the one thread that reads --- */
    struct gt_tar_stream stream;
    bool pending;         /* an entry's header was read, its data were not */
    const char *next_key; /* of it */
    int64_t next_size;
    /* --- under the lock --- */
    bool reading;
    int64_t entries; /* begun to read, ever */
    int waiting;     /* threads that wait for the one that reads */
    int end;         /* 0, GT_END, or the failure that is in why */
    struct gt_err why;
    struct tar_table table;
    int64_t in_memory; /* bytes of chunks */
    struct gt_spoolfile spool;
    struct gt_strs want; /* arrays whose chunks are kept; all when empty */
};

/* --- reading on ------------------------------------------------------------------ */

static bool wanted(struct tar_reader *self, const char *key)
{
    for (size_t i = 0; i < self->want.n; i++)
        if (gt_key_below(key, gt_strs_get(&self->want, i)))
            return true;
    return self->want.n == 0;
}

/* Where the pending entry goes: memory if there is room, else the file.  The
 * data are read without the lock. */
static int read_entry(struct tar_reader *self, struct tar_slot *slot, struct gt_buf *direct, bool keep, int64_t room, struct gt_err *err)
{
    if (direct && !slot->meta && self->keep == GT_KEEP_ONCE) {
        slot->state = TAR_TAKEN;
        return gt_tar_stream_take(&self->stream, slot->size, direct, err);
    }
    if (!keep) {
        slot->state = TAR_DROPPED;
        return 0; /* the next header skips the data */
    }
    slot->bytes.budget = self->budget;
    if (slot->meta || slot->size <= room) {
        slot->state = TAR_IN_MEMORY;
        if (slot->meta || gt_buf_try(&slot->bytes, slot->size > 0 ? (size_t)slot->size : 1))
            return gt_tar_stream_take(&self->stream, slot->size, &slot->bytes, err);
    }
    slot->state = TAR_IN_FILE;
    return gt_tar_stream_spool(&self->stream, slot->size, &self->spool, &slot->offset, err);
}

static int next_header(struct tar_reader *self, struct gt_err *err)
{
    int rc = self->pending ? 0 : gt_tar_stream_next(&self->stream, &self->next_key, &self->next_size, err);
    self->pending = rc == 0;
    return rc;
}

/* Header and value of the next entry; called and returns with the lock, which it gives away
 * while it reads. */
static int read_slot(struct tar_reader *self, struct tar_slot *slot, const char *want, struct gt_buf *direct, struct gt_err *err)
{
    pthread_mutex_unlock(&self->lock);
    int rc = next_header(self, err);
    pthread_mutex_lock(&self->lock);
    if (rc)
        return rc;
    *slot = (struct tar_slot){.key = gt_strdup(self->next_key, err), .size = self->next_size, .meta = gt_key_is_meta(self->next_key)};
    if (!slot->key)
        return GT_FAIL;
    bool keep = slot->meta || wanted(self, slot->key), is_it = want && strcmp(slot->key, want) == 0;
    int64_t room = self->budget->limit / MEMORY_SHARE - self->in_memory;
    self->pending = false;
    if (!slot->meta && tar_table_find(&self->table, slot->key))
        return gt_fail(err, GT_INPUT, "'%s' holds chunk '%.200s' twice", self->base.name, slot->key);
    pthread_mutex_unlock(&self->lock);
    rc = read_entry(self, slot, is_it ? direct : NULL, keep, room, err);
    pthread_mutex_lock(&self->lock);
    return rc;
}

/* The end of the stream, or what went wrong: for all who ask from now on. */
static void stop_reading(struct tar_reader *self, struct tar_slot *slot, int rc, struct gt_err *err)
{
    if (rc == GT_NOFIT && slot->key)
        gt_fail_prefix(err, "'%s': entry '%s'", self->base.name, slot->key);
    self->end = rc;
    self->why = *err;
    gt_buf_release(&slot->bytes);
    free(slot->key);
}

/* Reads the next entry; called and returns with the lock.  When the entry is `want`, its
 * value may go to `direct` at once, and *taken says so. */
static void read_on(struct tar_reader *self, const char *want, struct gt_buf *direct, bool *taken)
{
    struct gt_err err = {0};
    struct tar_slot slot = {0};
    bool fresh = false;
    self->reading = true;
    self->entries++;
    int rc = read_slot(self, &slot, want, direct, &err);
    if (!rc) {
        gt_budget_locked();
        rc = tar_table_insert(&self->table, &slot, &fresh, &err);
        gt_budget_unlocked();
    }
    if (!rc && fresh && slot.state == TAR_IN_MEMORY && !slot.meta)
        self->in_memory += slot.size;
    if (rc)
        stop_reading(self, &slot, rc, &err);
    else
        *taken = slot.state == TAR_TAKEN;
    self->reading = false;
    gt_budget_waiting(self->budget, -self->waiting);
    self->waiting = 0;
    pthread_cond_broadcast(&self->changed);
}

/* Until the thread that reads on is done. */
static void wait_for_reader(struct tar_reader *self)
{
    int64_t entries = self->entries;
    self->waiting++;
    gt_budget_waiting(self->budget, 1);
    while (self->reading && entries == self->entries)
        gt_cond_wait(&self->changed, &self->lock);
}

static int failure(struct tar_reader *self, struct gt_err *err)
{
    if (self->end == GT_END)
        return GT_NOENT;
    if (err && !err->status)
        *err = self->why;
    return self->end;
}

/* Reads on until key is there.  NULL: *rc says why not. */
static struct tar_slot *wait_for(struct tar_reader *self, const char *key, struct gt_buf *direct, bool *taken, int *rc, struct gt_err *err)
{
    struct tar_slot *slot;
    *taken = false;
    while (!(slot = tar_table_find(&self->table, key))) {
        if (self->end || tar_table_excludes(&self->table, key)) {
            *rc = self->end ? failure(self, err) : GT_NOENT;
            return NULL;
        }
        if (self->reading)
            wait_for_reader(self);
        else
            read_on(self, key, direct, taken);
    }
    return slot;
}

/* --- the store ----------------------------------------------------------------------- */

static int take_memory(struct tar_reader *self, struct tar_slot *slot, struct gt_buf *buf, struct gt_err *err)
{
    bool last = !slot->meta && self->keep == GT_KEEP_ONCE;
    if (last && buf->budget == slot->bytes.budget) {
        gt_buf_swap(buf, &slot->bytes);
    } else {
        buf->len = 0;
        gt_budget_locked();
        int rc = gt_buf_reserve(buf, slot->bytes.len + 1, err);
        gt_budget_unlocked();
        if (rc || (rc = gt_buf_append(buf, slot->bytes.data, slot->bytes.len, err)))
            return rc;
    }
    if (last) {
        gt_buf_release(&slot->bytes);
        self->in_memory -= slot->size;
        slot->state = TAR_TAKEN;
    }
    return 0;
}

/* With the lock held on entry and exit; a read from the file gives it away. */
static int take(struct tar_reader *self, struct tar_slot *slot, struct gt_buf *buf, struct gt_err *err)
{
    int64_t offset = slot->offset, size = slot->size;
    if (slot->state == TAR_IN_MEMORY)
        return take_memory(self, slot, buf, err);
    if (slot->state != TAR_IN_FILE)
        return gt_fail(err, GT_FAIL, "'%s': chunk '%s' of the stream was not kept", self->base.name, slot->key);
    if (self->keep == GT_KEEP_ONCE)
        slot->state = TAR_TAKEN;
    pthread_mutex_unlock(&self->lock);
    buf->len = 0;
    int rc = gt_buf_resize(buf, (size_t)size, err);
    if (rc)
        gt_fail_prefix(err, "'%s': entry of %lld bytes", self->base.name, (long long)size);
    else
        rc = gt_spoolfile_read(&self->spool, buf->data, buf->len, offset, err);
    pthread_mutex_lock(&self->lock);
    return rc;
}

static int tar_get(struct gt_store *store, const char *key, struct gt_buf *buf, struct gt_err *err)
{
    struct tar_reader *self = (struct tar_reader *)store;
    bool taken;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&self->lock);
    struct tar_slot *slot = wait_for(self, key, buf, &taken, &rc, err);
    if (slot)
        rc = taken ? 0 : take(self, slot, buf, err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int tar_has(struct gt_store *store, const char *key, struct gt_err *err)
{
    struct tar_reader *self = (struct tar_reader *)store;
    bool taken;
    int rc = gt_key_check(key, GT_USAGE, store->name, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&self->lock);
    wait_for(self, key, NULL, &taken, &rc, err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

int gt_tar_drain(struct gt_store *store, struct gt_err *err)
{
    struct tar_reader *self = (struct tar_reader *)store;
    bool taken;
    pthread_mutex_lock(&self->lock);
    while (!self->end) {
        if (self->reading)
            wait_for_reader(self);
        else
            read_on(self, NULL, NULL, &taken);
    }
    int rc = self->end == GT_END ? 0 : failure(self, err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

int gt_tar_want(struct gt_store *store, const char *const *paths, size_t n, struct gt_err *err)
{
    struct tar_reader *self = (struct tar_reader *)store;
    int rc = 0;
    pthread_mutex_lock(&self->lock);
    gt_strs_clear(&self->want);
    for (size_t i = 0; i < n && !rc; i++)
        rc = gt_strs_add(&self->want, paths[i], strlen(paths[i]), err);
    pthread_mutex_unlock(&self->lock);
    return rc;
}

static int tar_list(struct gt_store *store, const char *prefix, int (*fn)(void *ctx, const char *key, int64_t size), void *ctx,
                    struct gt_err *err)
{
    struct tar_reader *self = (struct tar_reader *)store;
    int rc = gt_tar_drain(store, err);
    /* Nothing is added after the end, so no lock is held while fn runs. */
    for (size_t i = 0; i < self->table.n && !rc; i++)
        if (gt_key_below(self->table.slots[i].key, prefix))
            rc = fn(ctx, self->table.slots[i].key, self->table.slots[i].size);
    return rc;
}

static void tar_free(struct gt_store *store)
{
    struct tar_reader *self = (struct tar_reader *)store;
    gt_tar_stream_release(&self->stream);
    gt_spoolfile_release(&self->spool);
    tar_table_release(&self->table);
    gt_strs_release(&self->want);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(store->name);
    free(self);
}

static const struct gt_store_ops tar_reader_ops = {.kind = "tar",
                                                   .get = tar_get,
                                                   .has = tar_has,
                                                   .list = tar_list,
                                                   .put = gt_store_no_put,
                                                   .finish = gt_store_no_finish,
                                                   .free = tar_free};

/* The metadata before the first chunk, whose header is then pending. */
static int read_leading(struct tar_reader *self, struct gt_err *err)
{
    bool taken;
    int rc = 0;
    pthread_mutex_lock(&self->lock);
    while (!self->end) {
        if ((rc = next_header(self, &self->why)) != 0)
            self->end = rc;
        else if (!gt_key_is_meta(self->next_key))
            break;
        else
            read_on(self, NULL, NULL, &taken);
    }
    rc = self->end > 0 ? failure(self, err) : 0;
    pthread_mutex_unlock(&self->lock);
    return rc;
}

int gt_store_open_tar(struct gt_store **out, struct gt_input *input, struct gt_engine *engine, enum gt_store_keep keep, struct gt_err *err)
{
    struct tar_reader *self = gt_alloc(1, sizeof *self, err);
    *out = NULL;
    if (!self)
        return GT_FAIL;
    self->base = (struct gt_store){.ops = &tar_reader_ops, .name = gt_strdup(input->name, err), .stream = true};
    self->budget = &engine->budget;
    self->keep = keep;
    self->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    int rc = tar_table_init(&self->table, self->budget, err);
    if (!rc)
        rc = self->base.name ? gt_tar_stream_open(&self->stream, input, err) : GT_FAIL;
    if (!rc)
        rc = read_leading(self, err);
    if (rc)
        tar_free(&self->base);
    else
        *out = &self->base;
    return rc;
}
