#include "zarr/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/vlen.h"

enum state {
    NEW,      /* nothing was read */
    FETCHING, /* somebody reads */
    STORED,
    DECODING, /* somebody decodes */
    READY,
    FAILED /* `why` says how, to all who hold it */
};

struct entry {
    struct gt_chunk chunk; /* first: users have its address */
    struct entry *next;    /* in its bucket */
    int64_t key;
    int64_t holders;
    enum state state;
    struct gt_buf stored;
    size_t counted; /* bytes of the budget that texts are counted with */
    struct gt_err why;
};

/* Buffers that chunks left, for the next ones: fresh memory costs a good part of
 * what decoding does. */
enum { SPARES = 8 };
struct spares {
    struct gt_buf buf[SPARES];
    int n;
};

struct gt_cache {
    struct gt_array *array;
    struct gt_cache_opts opts;
    int64_t grid[GT_MAX_DIMS];
    pthread_mutex_t lock; /* of all below, and of what entries hold until they are ready */
    pthread_cond_t changed;
    struct entry **bucket;
    size_t n, n_buckets; /* a power of two */
    int64_t newest;      /* index along the axis of the order */
    struct spares raw, stored;
};

int gt_cache_new(struct gt_cache **out, struct gt_array *array, const struct gt_cache_opts *opts, struct gt_err *err)
{
    struct gt_cache *cache = gt_alloc(1, sizeof *cache, err);

    *out = NULL;
    if (!cache)
        return GT_FAIL;
    cache->array = array;
    cache->opts = *opts;
    for (int i = 0; i < array->ndim; i++)
        cache->grid[i] = gt_array_units(array, i);
    cache->n_buckets = 64;
    cache->bucket = gt_alloc(cache->n_buckets, sizeof *cache->bucket, err);
    if (!cache->bucket) {
        free(cache);
        return GT_FAIL;
    }
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->changed, NULL);
    *out = cache;
    return GT_OK;
}

struct gt_array *gt_cache_array(const struct gt_cache *cache)
{
    return cache->array;
}

/* --- buffers ------------------------------------------------------------------------ */

static void put_spare(struct spares *spares, struct gt_buf *buf)
{
    if (spares->n < SPARES && buf->cap > 0)
        spares->buf[spares->n++] = *buf;
    else
        gt_buf_release(buf);
    *buf = (struct gt_buf){.budget = buf->budget};
}

static void take_spare(struct spares *spares, struct gt_buf *buf)
{
    if (spares->n > 0 && buf->cap == 0)
        *buf = spares->buf[--spares->n];
    buf->len = 0;
}

static void drop_spares(struct gt_cache *cache)
{
    while (cache->raw.n > 0)
        gt_buf_release(&cache->raw.buf[--cache->raw.n]);
    while (cache->stored.n > 0)
        gt_buf_release(&cache->stored.buf[--cache->stored.n]);
}

/* --- entries, with the lock ----------------------------------------------------------- */

static struct entry **slot_of(struct gt_cache *cache, int64_t key)
{
    struct entry **at = &cache->bucket[((uint64_t)key * 0x9E3779B97F4A7C15u >> 32) & (cache->n_buckets - 1)];

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static void drop(struct gt_cache *cache, struct entry **at)
{
    struct entry *entry = *at;

    *at = entry->next;
    cache->n--;
    put_spare(&cache->raw, &entry->chunk.raw);
    put_spare(&cache->stored, &entry->stored);
    gt_strs_release(&entry->chunk.texts);
    if (entry->counted)
        gt_budget_give(cache->opts.budget, entry->counted);
    free(entry);
}

static bool may_go(const struct gt_cache *cache, const struct entry *entry)
{
    if (entry->holders > 0)
        return false;
    return !cache->opts.ordered || entry->state == FAILED || entry->chunk.index[cache->opts.axis] < cache->newest - cache->opts.behind;
}

/* all: of those that nobody holds also what is kept for the next user. */
static void sweep(struct gt_cache *cache, bool all)
{
    for (size_t b = 0; b < cache->n_buckets; b++)
        for (struct entry **at = &cache->bucket[b]; *at;) {
            if (may_go(cache, *at) || (all && (*at)->holders == 0))
                drop(cache, at);
            else
                at = &(*at)->next;
        }
}

static int grow(struct gt_cache *cache, struct gt_err *err)
{
    struct entry **old = cache->bucket, **bucket;
    size_t n = cache->n_buckets;

    bucket = gt_alloc(4 * n, sizeof(struct entry *), err);
    if (!bucket)
        return GT_FAIL;
    cache->n_buckets *= 4;
    cache->bucket = bucket;
    for (size_t b = 0; b < n; b++)
        while (old[b]) {
            struct entry *entry = old[b];
            old[b] = entry->next;
            entry->next = NULL;
            *slot_of(cache, entry->key) = entry;
        }
    free(old);
    return GT_OK;
}

/* NULL when memory is out. */
static struct entry *new_entry(struct gt_cache *cache, const int64_t *index, int64_t key, struct gt_err *err)
{
    struct entry *entry;

    if ((cache->n >= 2 * cache->n_buckets && grow(cache, err)) || !(entry = gt_alloc(1, sizeof *entry, err)))
        return NULL;
    memcpy(entry->chunk.index, index, (size_t)cache->array->ndim * sizeof *index);
    entry->key = key;
    entry->chunk.raw.budget = entry->stored.budget = cache->opts.budget;
    *slot_of(cache, key) = entry;
    cache->n++;
    return entry;
}

void gt_cache_clear(struct gt_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    sweep(cache, true);
    cache->newest = 0;
    pthread_mutex_unlock(&cache->lock);
}

void gt_cache_free(struct gt_cache *cache)
{
    if (!cache)
        return;
    sweep(cache, true);
    drop_spares(cache);
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->lock);
    free(cache->bucket);
    free(cache);
}

int gt_cache_hold(struct gt_cache *cache, const int64_t *index, struct gt_chunk **chunk, struct gt_err *err)
{
    int64_t key = gt_nd_number(cache->array->ndim, cache->grid, index);
    struct entry *entry;

    pthread_mutex_lock(&cache->lock);
    entry = *slot_of(cache, key);
    if (!entry && !(entry = new_entry(cache, index, key, err))) {
        pthread_mutex_unlock(&cache->lock);
        return GT_FAIL;
    }
    entry->holders++;
    if (cache->opts.ordered && index[cache->opts.axis] > cache->newest) {
        cache->newest = index[cache->opts.axis];
        sweep(cache, false);
    }
    pthread_mutex_unlock(&cache->lock);
    *chunk = &entry->chunk;
    return GT_OK;
}

void gt_cache_give(struct gt_cache *cache, struct gt_chunk *chunk)
{
    struct entry *entry = (struct entry *)chunk;

    pthread_mutex_lock(&cache->lock);
    entry->holders--;
    if (may_go(cache, entry))
        drop(cache, slot_of(cache, entry->key));
    pthread_mutex_unlock(&cache->lock);
}

/* --- reading --------------------------------------------------------------------------- */

/* Ends what this thread did to an entry; with the lock. */
static void settle(struct gt_cache *cache, struct entry *entry, int status, const struct gt_err *why, enum state next)
{
    entry->state = status ? FAILED : next;
    if (status)
        entry->why = *why;
    pthread_cond_broadcast(&cache->changed);
}

/* With the lock, which is given away meanwhile. */
static void fetch(struct gt_cache *cache, struct entry *entry)
{
    struct gt_err why = {0};
    int status;

    entry->state = FETCHING;
    take_spare(&cache->stored, &entry->stored);
    pthread_mutex_unlock(&cache->lock);
    status = gt_array_fetch(cache->array, entry->chunk.index, &entry->stored, &why);
    pthread_mutex_lock(&cache->lock);
    entry->chunk.absent = status == GT_NOENT;
    settle(cache, entry, status == GT_NOENT ? GT_OK : status, &why, STORED);
}

/* Room for the chunk's texts, about: they are as long as in raw, and each has a start. */
static int count_texts(const struct gt_cache *cache, struct entry *entry, struct gt_err *err)
{
    size_t bytes = entry->chunk.raw.len + cache->array->chunk_items * sizeof(size_t);
    int status = cache->opts.budget ? gt_budget_take(cache->opts.budget, bytes, err) : GT_OK;

    if (status)
        gt_fail_prefix(err, "array '%s'", cache->array->path);
    else
        entry->counted = cache->opts.budget ? bytes : 0;
    return status;
}

static int make_texts(const struct gt_cache *cache, struct entry *entry, struct gt_err *err)
{
    const struct gt_array *array = cache->array;
    int status = count_texts(cache, entry, err);

    if (!status && array->dtype.type == GT_STRING)
        return gt_vlen_unpack(&entry->chunk.raw, &entry->chunk.texts, err);
    for (size_t i = 0; i < array->chunk_items && !status; i++)
        status = gt_array_item_text(array, entry->chunk.raw.data + i * array->dtype.size, &entry->chunk.texts, err);
    return status;
}

/* With the lock, which is given away meanwhile. */
static void decode(struct gt_cache *cache, struct entry *entry, struct gt_buf scratch[2])
{
    struct gt_chunk *chunk = &entry->chunk;
    struct gt_err why = {0};
    int status;

    entry->state = DECODING;
    take_spare(&cache->raw, &chunk->raw);
    pthread_mutex_unlock(&cache->lock);
    status = gt_array_decode(cache->array, chunk->index, chunk->absent ? NULL : &entry->stored, &chunk->raw, scratch, &why);
    if (!status && cache->opts.texts)
        status = make_texts(cache, entry, &why);
    pthread_mutex_lock(&cache->lock);
    put_spare(&cache->stored, &entry->stored);
    if (cache->opts.texts)
        put_spare(&cache->raw, &chunk->raw);
    settle(cache, entry, status, &why, READY);
}

static int tell(const struct entry *entry, struct gt_err *err)
{
    if (entry->state != FAILED)
        return GT_OK;
    if (err && !err->status)
        *err = entry->why;
    return entry->why.status;
}

int gt_cache_fetch(struct gt_cache *cache, struct gt_chunk *chunk, int64_t *bytes, struct gt_err *err)
{
    struct entry *entry = (struct entry *)chunk;
    int status;

    pthread_mutex_lock(&cache->lock);
    if (bytes)
        *bytes = 0;
    if (entry->state == NEW) {
        fetch(cache, entry);
        if (bytes && entry->state == STORED)
            *bytes = (int64_t)entry->stored.len;
    }
    status = tell(entry, err);
    pthread_mutex_unlock(&cache->lock);
    return status;
}

int gt_cache_decode(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf scratch[2], struct gt_err *err)
{
    struct entry *entry = (struct entry *)chunk;
    int status;

    pthread_mutex_lock(&cache->lock);
    while (entry->state != READY && entry->state != FAILED) {
        if (entry->state == NEW)
            fetch(cache, entry);
        else if (entry->state == STORED)
            decode(cache, entry, scratch);
        else
            pthread_cond_wait(&cache->changed, &cache->lock);
    }
    status = tell(entry, err);
    pthread_mutex_unlock(&cache->lock);
    return status;
}
