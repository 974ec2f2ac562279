#include "arrays/zarr/cache_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

int gt_cache_new(struct gt_cache **out, struct gt_array *array, const struct gt_cache_opts *opts, struct gt_err *err)
{
    struct gt_cache *cache = gt_alloc(1, sizeof *cache, err);

    *out = NULL;
    if (!cache)
        return GT_FAIL;
    cache->array = array;
    cache->shard = gt_codec_shard(array->codecs);
    cache->opts = *opts;
    for (int i = 0; i < array->ndim; i++) {
        cache->grid[i] = gt_array_grid(array, i);
        cache->units[i] = gt_array_units(array, i);
    }
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

/* --- entries, with the lock ----------------------------------------------------------- */

static struct entry **slot_of(struct gt_cache *cache, int64_t key)
{
    struct entry **at = &cache->bucket[((uint64_t)key * 0x9E3779B97F4A7C15u >> 32) & (cache->n_buckets - 1)];

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static bool may_go(const struct gt_cache *cache, const struct entry *entry)
{
    if (entry->holders > 0)
        return false;
    return !cache->opts.ordered || entry->state == FAILED || entry->chunk.index[cache->opts.axis] < cache->newest - cache->opts.behind;
}

static void drop(struct gt_cache *cache, struct entry *entry)
{
    struct entry *shard = entry->shard;

    *slot_of(cache, entry->key) = entry->next;
    cache->n--;
    gt_buf_pool_put(&cache->raw, &entry->chunk.raw, CACHE_FREE_BUFS);
    gt_buf_pool_put(&cache->stored, &entry->stored, CACHE_FREE_BUFS);
    gt_strs_release(&entry->chunk.texts);
    gt_buf_release(&entry->chunk.places);
    free(entry->why);
    free(entry);
    if (shard && --shard->holders == 0)
        drop(cache, shard);
}

static void drop_oldest_kept(struct gt_cache *cache)
{
    struct entry *shard = cache->kept[0];

    cache->n_kept--;
    cache->kept_bytes -= shard->chunk.raw.len;
    memmove(cache->kept, cache->kept + 1, cache->n_kept * sizeof(struct entry *));
    if (--shard->holders == 0)
        drop(cache, shard);
}

void cache_keep_shard(struct gt_cache *cache, struct entry *shard)
{
    const size_t n = shard->chunk.raw.len;

    while (cache->n_kept == CACHE_KEPT_SHARDS || (cache->n_kept > 0 && cache->kept_bytes + n > CACHE_KEPT_BYTES))
        drop_oldest_kept(cache);
    cache->kept[cache->n_kept++] = shard;
    cache->kept_bytes += n;
    shard->holders++;
}

/* What is kept for the next chunks: indexes of shards, and buffers. */
static void drop_kept(struct gt_cache *cache)
{
    while (cache->n_kept > 0)
        drop_oldest_kept(cache);
    gt_buf_pool_release(&cache->raw);
    gt_buf_pool_release(&cache->stored);
}

void gt_cache_trim(struct gt_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    drop_kept(cache);
    pthread_mutex_unlock(&cache->lock);
}

/* all: of those that nobody holds also what is kept for the next user. */
static void sweep(struct gt_cache *cache, bool all)
{
    for (size_t b = 0; b < cache->n_buckets; b++)
        for (struct entry *entry = cache->bucket[b]; entry;) {
            if (may_go(cache, entry) || (all && entry->holders == 0)) {
                drop(cache, entry);
                entry = cache->bucket[b]; /* with it another may have gone */
            } else {
                entry = entry->next;
            }
        }
}

static int grow(struct gt_cache *cache, struct gt_err *err)
{
    size_t n = cache->n_buckets;
    struct entry **old = cache->bucket, **bucket = gt_alloc(4 * n, sizeof(struct entry *), err);

    if (!bucket)
        return GT_FAIL;
    cache->bucket = bucket;
    cache->n_buckets = 4 * n;
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

static struct entry *new_entry(struct gt_cache *cache, int64_t key, struct gt_err *err)
{
    struct entry *entry;

    if ((cache->n >= 2 * cache->n_buckets && grow(cache, err)) || !(entry = gt_alloc(1, sizeof *entry, err)))
        return NULL;
    entry->key = key;
    entry->chunk.raw.budget = entry->chunk.texts.budget = entry->chunk.places.budget = entry->stored.budget = cache->opts.budget;
    *slot_of(cache, key) = entry;
    cache->n++;
    return entry;
}

/* The index of the shard that a read unit is in, held.  It goes with the last unit, unless it is kept. */
static struct entry *hold_shard(struct gt_cache *cache, const int64_t *unit, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];
    struct entry *entry;

    gt_array_unit_chunk(cache->array, unit, index);
    entry = *slot_of(cache, -1 - gt_nd_number(cache->array->ndim, cache->grid, index));
    if (!entry) {
        entry = new_entry(cache, -1 - gt_nd_number(cache->array->ndim, cache->grid, index), err);
        for (int i = 0; i < cache->array->ndim && entry; i++)
            entry->chunk.index[i] = index[i] * cache->shard->grid[i];
    }
    if (entry)
        entry->holders++;
    return entry;
}

static struct entry *hold(struct gt_cache *cache, const int64_t *index, struct gt_err *err)
{
    int64_t key = gt_nd_number(cache->array->ndim, cache->units, index);
    struct entry *entry = *slot_of(cache, key), *shard = NULL;

    if (!entry && cache->shard && !(shard = hold_shard(cache, index, err)))
        return NULL;
    if (!entry && (entry = new_entry(cache, key, err)) != NULL) {
        memcpy(entry->chunk.index, index, (size_t)cache->array->ndim * sizeof *index);
        entry->shard = shard;
    } else if (!entry && shard) {
        shard->holders--;
    }
    if (entry)
        entry->holders++;
    return entry;
}

int gt_cache_acquire(struct gt_cache *cache, const int64_t *index, struct gt_chunk **chunk, struct gt_err *err)
{
    struct entry *entry;

    pthread_mutex_lock(&cache->lock);
    entry = hold(cache, index, err);
    if (entry && cache->opts.ordered && index[cache->opts.axis] > cache->newest_held)
        cache->newest_held = index[cache->opts.axis];
    pthread_mutex_unlock(&cache->lock);
    *chunk = entry ? &entry->chunk : NULL;
    return entry ? GT_OK : GT_FAIL;
}

void cache_pass_on(struct gt_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    if (cache->newest < cache->newest_held) {
        cache->newest = cache->newest_held;
        sweep(cache, false);
    }
    pthread_mutex_unlock(&cache->lock);
}

void gt_cache_give(struct gt_cache *cache, struct gt_chunk *chunk)
{
    struct entry *entry = (struct entry *)chunk;

    pthread_mutex_lock(&cache->lock);
    entry->holders--;
    if (may_go(cache, entry))
        drop(cache, entry);
    pthread_mutex_unlock(&cache->lock);
}

bool gt_cache_give_for(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf *raw)
{
    struct entry *entry = (struct entry *)chunk;

    pthread_mutex_lock(&cache->lock);
    const bool goes = entry->holders == 1 && !cache->opts.ordered && entry->state == READY && entry->end == 0 &&
                      chunk->raw.len == raw->len && chunk->raw.budget == raw->budget;
    if (goes) {
        gt_buf_swap(&chunk->raw, raw);
        entry->holders = 0;
        drop(cache, entry);
    }
    pthread_mutex_unlock(&cache->lock);
    return goes;
}

void gt_cache_free(struct gt_cache *cache)
{
    if (!cache)
        return;
    sweep(cache, true);
    drop_kept(cache);
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->lock);
    free(cache->bucket);
    free(cache);
}
