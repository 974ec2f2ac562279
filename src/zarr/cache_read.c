/* Fetching and decoding: what an entry goes through is told by its state, which
 * changes under the lock; the work itself is done without it. */
#include "zarr/cache_impl.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/trace.h"

/* Ends what this thread did to an entry; with the lock. */
static void settle(struct gt_cache *cache, struct entry *entry, int status, const struct gt_err *why, enum state next)
{
    entry->state = status > 0 ? FAILED : next;
    if (status > 0)
        entry->why = *why;
    cache->changes++;
    gt_budget_waiting(cache->opts.budget, -cache->waiting);
    cache->waiting = 0;
    pthread_cond_broadcast(&cache->changed);
}

/* Until some entry is settled. */
static void wait_for_change(struct gt_cache *cache)
{
    int64_t changes = cache->changes;

    cache->waiting++;
    gt_budget_waiting(cache->opts.budget, 1);
    while (changes == cache->changes)
        gt_cond_wait(&cache->changed, &cache->lock);
}

static int tell(const struct entry *entry, struct gt_err *err)
{
    if (entry->state != FAILED)
        return GT_OK;
    if (err && !err->status)
        *err = entry->why;
    return entry->why.status;
}

/* --- fetching ----------------------------------------------------------------------------- */

/* Some entries, all of them of this thread alone until they are settled. */
struct batch {
    struct entry **entry;
    struct gt_get *get; /* key == NULL: the store need not be asked */
    struct gt_str *key;
    size_t n, cap;
    int64_t bytes;
};

static void batch_release(struct batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        gt_str_release(&batch->key[i]);
    free(batch->entry);
    free(batch->get);
    free(batch->key);
}

static int batch_room(struct batch *batch, size_t n, struct gt_err *err)
{
    *batch = (struct batch){.entry = gt_alloc(n, sizeof *batch->entry, err),
                            .get = gt_alloc(n, sizeof *batch->get, err),
                            .key = gt_alloc(n, sizeof *batch->key, err),
                            .cap = n};
    if (batch->entry && batch->get && batch->key)
        return GT_OK;
    batch_release(batch);
    return GT_FAIL;
}

static bool is_shard(const struct entry *entry)
{
    return entry->key < 0;
}

/* What has to be got for an entry.  GT_NOENT: it is known not to be stored. */
static int want(const struct gt_cache *cache, const struct entry *entry, struct gt_get *get, struct gt_err *err)
{
    const struct gt_shard *shard = cache->shard;
    uint64_t offset, n;
    int64_t index[GT_MAX_DIMS];
    int status;

    if (!shard || (is_shard(entry) && cache->array->store->stream))
        return GT_OK;
    get->range = true;
    if (is_shard(entry)) {
        get->offset = shard->index_at_start ? 0 : -(int64_t)shard->index_bytes;
        get->n = shard->index_bytes;
        return GT_OK;
    }
    if (entry->shard->chunk.absent)
        return GT_NOENT;
    status = gt_shard_entry(&entry->shard->chunk.raw, (size_t)gt_array_unit_chunk(cache->array, entry->chunk.index, index),
                            entry->shard->stored.len ? entry->shard->stored.len : UINT64_MAX, &offset, &n, err);
    if (status > 0)
        gt_array_blame(cache->array, index, err);
    get->offset = (int64_t)offset;
    get->n = (size_t)n;
    return status;
}

/* The bytes of an inner chunk of a shard that is here as a whole. */
static int copy_part(const struct entry *entry, const struct gt_get *get, struct gt_err *err)
{
    int status = gt_buf_resize(get->buf, get->n, err);

    if (!status)
        memcpy(get->buf->data, entry->shard->stored.data + get->offset, get->n);
    return status;
}

/* Says what is to be got, unless that is settled here: get.status is GT_CANCEL then. */
static void prepare(struct gt_cache *cache, struct batch *batch, size_t i)
{
    struct entry *entry = batch->entry[i];
    struct gt_get *get = &batch->get[i];
    int64_t index[GT_MAX_DIMS];

    get->buf = &entry->stored;
    get->status = want(cache, entry, get, &entry->why);
    if (get->status)
        return;
    if (!is_shard(entry) && entry->shard && entry->shard->stored.len) {
        get->status = copy_part(entry, get, &entry->why);
        return;
    }
    gt_array_unit_chunk(cache->array, entry->chunk.index, index);
    if (gt_array_left_out(cache->array, index)) {
        get->status = GT_NOENT;
        return;
    }
    get->status = gt_array_key(cache->array, index, &batch->key[i], &entry->why);
    if (get->status)
        return;
    get->key = batch->key[i].s;
    get->status = GT_CANCEL;
}

/* Those of the batch that the store has to be asked for, as one question. */
static int ask(struct gt_cache *cache, struct batch *batch, struct gt_err *err)
{
    struct gt_get *gets = gt_alloc(batch->n, sizeof *gets, err);
    size_t n = 0, k = 0;
    int status;

    if (!gets)
        return GT_FAIL;
    for (size_t i = 0; i < batch->n; i++)
        if (batch->get[i].key)
            gets[n++] = batch->get[i];
    status = n ? gt_store_get_many(cache->array->store, gets, n, err) : GT_OK;
    for (size_t i = 0; i < batch->n; i++)
        if (batch->get[i].key)
            batch->get[i].status = gets[k++].status;
    free(gets);
    return status;
}

/* What came of one entry; with the lock.  What was not asked for, since another failed
 * before, is as new. */
static void judge(struct gt_cache *cache, struct batch *batch, size_t i, const struct gt_err *failure)
{
    struct entry *entry = batch->entry[i];
    struct gt_get *get = &batch->get[i];
    int status = get->status;

    if (status == GT_CANCEL) {
        settle(cache, entry, GT_OK, NULL, NEW);
        return;
    }
    if (status > 0 && !entry->why.status)
        entry->why = *failure;
    if (status <= 0 && get->key)
        status = gt_array_check_fetched(cache->array, get->key, status, &entry->stored, &entry->why);
    entry->chunk.absent = status == GT_NOENT;
    batch->bytes += status == GT_OK && get->key ? (int64_t)entry->stored.len : 0;
    settle(cache, entry, status, &entry->why, STORED);
}

/* With the lock, which is given away meanwhile.  Failures are in the entries, but for
 * what is returned. */
static int fetch_batch(struct gt_cache *cache, struct batch *batch, struct gt_err *err)
{
    struct gt_err failure = {0};
    bool all = true;

    if (batch->n == 0)
        return GT_OK;
    for (size_t i = 0; i < batch->n; i++)
        gt_spares_take(&cache->stored, &batch->entry[i]->stored);
    pthread_mutex_unlock(&cache->lock);
    for (size_t i = 0; i < batch->n; i++)
        prepare(cache, batch, i);
    ask(cache, batch, &failure);
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < batch->n; i++) {
        all = all && batch->get[i].status != GT_CANCEL;
        judge(cache, batch, i, &failure);
    }
    if (!all && err && !err->status)
        *err = failure;
    return all ? GT_OK : failure.status;
}

/* --- shards ----------------------------------------------------------------------------------- */

/* With the lock, which is given away meanwhile. */
static void read_index(struct gt_cache *cache, struct entry *entry)
{
    struct gt_buf scratch[2] = {{.budget = cache->opts.budget}, {.budget = cache->opts.budget}};
    const struct gt_shard *shard = cache->shard;
    bool all = cache->array->store->stream;
    struct gt_err why = {0};
    int64_t index[GT_MAX_DIMS];
    int status = GT_OK;

    entry->state = DECODING;
    pthread_mutex_unlock(&cache->lock);
    if (!entry->chunk.absent && entry->stored.len < shard->index_bytes)
        status = gt_fail(&why, GT_INPUT, "truncated: %zu bytes are less than the index of the shard", entry->stored.len);
    else if (!entry->chunk.absent)
        status = gt_shard_index(shard, entry->stored.data + (shard->index_at_start ? 0 : entry->stored.len - shard->index_bytes),
                                &entry->chunk.raw, scratch, &why);
    if (status) {
        gt_array_unit_chunk(cache->array, entry->chunk.index, index);
        gt_array_blame(cache->array, index, &why);
    }
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    pthread_mutex_lock(&cache->lock);
    if (!all)
        gt_spares_put(&cache->stored, &entry->stored, CACHE_SPARES);
    settle(cache, entry, status, &why, READY);
}

/* Fetches those indexes, of the shards that the entries are in, which nobody has begun to read. */
static int fetch_shards(struct gt_cache *cache, struct entry *const *entries, size_t n, int64_t *bytes, struct gt_err *err)
{
    struct batch batch;
    int status = batch_room(&batch, n, err);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        struct entry *shard = entries[i]->shard;
        if (shard->state == NEW) {
            shard->state = FETCHING; /* so that the next one in it does not take it too */
            batch.entry[batch.n++] = shard;
        }
    }
    status = fetch_batch(cache, &batch, err);
    *bytes += batch.bytes;
    batch_release(&batch);
    return status;
}

/* The indexes of all shards that the entries are in, ready or failed.  With the lock. */
static int read_shards(struct gt_cache *cache, struct entry *const *entries, size_t n, int64_t *bytes, struct gt_err *err)
{
    int status = fetch_shards(cache, entries, n, bytes, err);

    for (size_t i = 0; i < n; i++) {
        struct entry *shard = entries[i]->shard;
        while (!status && shard->state != READY && shard->state != FAILED) {
            if (shard->state == NEW) /* who had begun was stopped by another failure */
                status = fetch_shards(cache, &entries[i], 1, bytes, err);
            else if (shard->state == STORED)
                read_index(cache, shard);
            else
                wait_for_change(cache);
        }
    }
    return status;
}

/* As fetch_batch, of those entries that are new. */
static int fetch(struct gt_cache *cache, struct entry *const *entries, size_t n, int64_t *bytes, struct gt_err *err)
{
    struct batch batch;
    int status = cache->shard ? read_shards(cache, entries, n, bytes, err) : GT_OK;

    if (!status)
        status = batch_room(&batch, n, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        struct entry *entry = entries[i];
        if (entry->state != NEW)
            continue;
        entry->state = FETCHING;
        if (entry->shard && entry->shard->state == FAILED)
            settle(cache, entry, entry->shard->why.status, &entry->shard->why, FAILED);
        else
            batch.entry[batch.n++] = entry;
    }
    status = fetch_batch(cache, &batch, err);
    *bytes += batch.bytes;
    batch_release(&batch);
    return status;
}

int gt_cache_fetch(struct gt_cache *cache, struct gt_chunk *const *chunks, size_t n, int64_t *bytes, struct gt_err *err)
{
    struct entry *const *entries = (struct entry *const *)chunks;
    int64_t read = 0;
    int status;

    pthread_mutex_lock(&cache->lock);
    status = fetch(cache, entries, n, &read, err);
    for (size_t i = 0; i < n && !status; i++)
        status = tell(entries[i], err);
    pthread_mutex_unlock(&cache->lock);
    if (bytes)
        *bytes = read;
    return status;
}

/* --- decoding ------------------------------------------------------------------------------------ */

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
        gt_spares_take(&cache->raw, &chunk->raw);
    pthread_mutex_unlock(&cache->lock);
    part = !again && cache_has_part(cache, entry, &first, &end);
    status = again  ? cache_make_rest(cache, entry, &why)
             : part ? cache_make_part(cache, entry, first, end, &why)
                    : cache_make_items(cache, entry, scratch, &why);
    pthread_mutex_lock(&cache->lock);
    entry->first = part ? first : 0;
    entry->end = part ? end : 0;
    if (!part)
        gt_spares_put(&cache->stored, &entry->stored, CACHE_SPARES);
    if (cache->opts.texts)
        gt_spares_put(&cache->raw, &chunk->raw, CACHE_SPARES);
    settle(cache, entry, status, &why, READY);
}

/* Are these bytes of a decoded entry there? */
static bool has(const struct entry *entry, size_t first, size_t end)
{
    return entry->end == 0 || (entry->first <= first && end <= entry->end);
}

int gt_cache_decode_part(struct gt_cache *cache, struct gt_chunk *chunk, size_t first, size_t n, struct gt_buf scratch[2], struct gt_err *err)
{
    struct entry *entry = (struct entry *)chunk;
    const size_t size = cache->array->dtype.size, end = (first + n) * size;
    int64_t bytes = 0;
    int status = GT_OK;

    first *= size;
    pthread_mutex_lock(&cache->lock);
    while (!status && !(entry->state == READY && has(entry, first, end)) && entry->state != FAILED) {
        if (entry->state == NEW)
            status = fetch(cache, &entry, 1, &bytes, err);
        else if (entry->state == STORED || entry->state == READY)
            decode(cache, entry, first, end, scratch);
        else
            wait_for_change(cache);
    }
    if (!status)
        status = tell(entry, err);
    pthread_mutex_unlock(&cache->lock);
    return status;
}

int gt_cache_decode(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf scratch[2], struct gt_err *err)
{
    return gt_cache_decode_part(cache, chunk, 0, cache->array->unit_items, scratch, err);
}
