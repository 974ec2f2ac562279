/* Decoding: see cache_fetch.c for the states. */
#include "arrays/zarr/cache_impl.h"

/* A part of an entry that was not decoded, or all of it where a part is of no use; or what is missing of one that was
 * decoded in part.  With the lock, which is given away meanwhile. */
static void decode(struct gt_cache *cache, struct entry *entry, size_t first, size_t end, struct gt_buf scratch[2])
{
    struct gt_chunk *chunk = &entry->chunk;
    struct gt_err why = {0};
    bool again = entry->state == READY, part;
    int status;

    entry->state = DECODING;
    if (!again)
        gt_buf_pool_take(&cache->raw, &chunk->raw);
    pthread_mutex_unlock(&cache->lock);
    part = !again && cache_has_part(cache, entry, &first, &end);
    status = again  ? cache_make_rest(cache, entry, &why)
             : part ? cache_make_part(cache, entry, first, end, &why)
                    : cache_make_items(cache, entry, scratch, &why);
    pthread_mutex_lock(&cache->lock);
    entry->first = part ? first : 0;
    entry->end = part ? end : 0;
    if (!part)
        gt_buf_pool_put(&cache->stored, &entry->stored, CACHE_FREE_BUFS);
    if (cache->opts.texts)
        gt_buf_pool_put(&cache->raw, &chunk->raw, CACHE_FREE_BUFS);
    cache_set_state(cache, entry, status, &why, READY);
}

/* Are these bytes of a decoded entry there? */
static bool has(const struct entry *entry, size_t first, size_t end)
{
    return entry->end == 0 || (entry->first <= first && end <= entry->end);
}

/* With the lock, which is given away meanwhile. */
static int fetch_one(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_err *err)
{
    pthread_mutex_unlock(&cache->lock);
    int status = gt_cache_fetch(cache, &chunk, 1, NULL, err);
    pthread_mutex_lock(&cache->lock);
    return status;
}

int gt_cache_decode_part(struct gt_cache *cache, struct gt_chunk *chunk, size_t first, size_t n, struct gt_buf scratch[2],
                         struct gt_err *err)
{
    struct entry *entry = (struct entry *)chunk;
    const size_t size = cache->array->dtype.size, end = (first + n) * size;
    int status = GT_OK;

    first *= size;
    pthread_mutex_lock(&cache->lock);
    while (!status && !(entry->state == READY && has(entry, first, end)) && entry->state != FAILED) {
        if (entry->state == NEW)
            status = fetch_one(cache, chunk, err);
        else if (entry->state == STORED || entry->state == READY)
            decode(cache, entry, first, end, scratch);
        else
            cache_wait(cache);
    }
    if (!status)
        status = cache_tell(entry, err);
    pthread_mutex_unlock(&cache->lock);
    return status;
}

int gt_cache_decode(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf scratch[2], struct gt_err *err)
{
    return gt_cache_decode_part(cache, chunk, 0, cache->array->unit_items, scratch, err);
}
