/* Fetching of cache entries: the state of an entry changes under the lock, the work is done without it. */
#include "arrays/zarr/cache_impl.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/engine/trace.h"

/* Keeps the first failure of an entry. */
static void note(struct entry *entry, const struct gt_err *why)
{
    if (why->status && !entry->why && (entry->why = gt_alloc(1, sizeof *why, NULL)))
        *entry->why = *why;
}

void cache_set_state(struct gt_cache *cache, struct entry *entry, int status, const struct gt_err *why, enum state next)
{
    entry->state = status > 0 ? FAILED : next;
    if (status > 0)
        note(entry, why);
    cache->changes++;
    gt_budget_waiting(cache->opts.budget, -cache->waiting);
    cache->waiting = 0;
    pthread_cond_broadcast(&cache->changed);
}

void cache_wait(struct gt_cache *cache)
{
    int64_t changes = cache->changes;

    cache->waiting++;
    gt_budget_waiting(cache->opts.budget, 1);
    while (changes == cache->changes)
        gt_cond_wait(&cache->changed, &cache->lock);
}

int cache_tell(const struct entry *entry, struct gt_err *err)
{
    if (entry->state != FAILED)
        return GT_OK;
    if (!entry->why)
        return gt_no_memory(err);
    if (err && !err->status)
        *err = *entry->why;
    return entry->why->status;
}

/* Some entries, all of them of this thread alone until they are settled. */
struct batch {
    struct gt_cache *cache;
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

static int batch_room(struct batch *batch, struct gt_cache *cache, size_t n, struct gt_err *err)
{
    *batch = (struct batch){.cache = cache,
                            .entry = gt_alloc(n, sizeof *batch->entry, err),
                            .get = gt_alloc(n, sizeof *batch->get, err),
                            .key = gt_alloc(n, sizeof *batch->key, err),
                            .cap = n};
    if (batch->entry && batch->get && batch->key)
        return GT_OK;
    batch_release(batch);
    *batch = (struct batch){.cache = cache};
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
static void prepare(struct batch *batch, size_t i, struct gt_err *why)
{
    const struct gt_cache *cache = batch->cache;
    struct entry *entry = batch->entry[i];
    struct gt_get *get = &batch->get[i];
    int64_t index[GT_MAX_DIMS];

    get->buf = &entry->stored;
    get->status = want(cache, entry, get, why);
    if (get->status)
        return;
    if (!is_shard(entry) && entry->shard && entry->shard->stored.len) {
        get->status = copy_part(entry, get, why);
        return;
    }
    gt_array_unit_chunk(cache->array, entry->chunk.index, index);
    if (gt_array_left_out(cache->array, index)) {
        get->status = GT_NOENT;
        return;
    }
    get->status = gt_array_key(cache->array, index, &batch->key[i], why);
    if (get->status)
        return;
    get->key = batch->key[i].s;
    get->status = GT_CANCEL;
}

/* Those of the batches that the store has to be asked for, as one question. */
static int ask(struct batch *batches, size_t n_batches, struct gt_err *err)
{
    struct gt_get *gets;
    size_t n = 0, k = 0;
    int status;

    for (size_t b = 0; b < n_batches; b++)
        n += batches[b].n;
    if (!(gets = gt_alloc(n, sizeof *gets, err)))
        return GT_FAIL;
    n = 0;
    for (size_t b = 0; b < n_batches; b++)
        for (size_t i = 0; i < batches[b].n; i++)
            if (batches[b].get[i].key)
                gets[n++] = batches[b].get[i];
    status = n ? gt_store_get_many(batches[0].cache->array->store, gets, n, err) : GT_OK;
    for (size_t b = 0; b < n_batches; b++)
        for (size_t i = 0; i < batches[b].n; i++)
            if (batches[b].get[i].key)
                batches[b].get[i].status = gets[k++].status;
    free(gets);
    return status;
}

/* What came of one entry; with the lock.  What was not asked for, since another failed
 * before, is as new. */
static void judge(struct batch *batch, size_t i, const struct gt_err *failure)
{
    struct gt_cache *cache = batch->cache;
    struct entry *entry = batch->entry[i];
    struct gt_get *get = &batch->get[i];
    int status = get->status;
    struct gt_err why = status > 0 ? *failure : (struct gt_err){0};

    if (status == GT_CANCEL) {
        cache_set_state(cache, entry, GT_OK, NULL, NEW);
        return;
    }
    if (status <= 0 && get->key)
        status = gt_array_check_fetched(cache->array, get->key, status, &entry->stored, &why);
    entry->chunk.absent = status == GT_NOENT;
    batch->bytes += status == GT_OK && get->key ? (int64_t)entry->stored.len : 0;
    cache_set_state(cache, entry, status, &why, STORED);
}

/* Fetches entries that are marked, of caches of one store; without the locks.  Failures are in the entries, but for what is
 * returned: that some were not asked for, since another failed before. */
static int fetch_batches(struct batch *batches, size_t n, struct gt_err *err)
{
    struct gt_err failure = {0};
    bool all = true;

    for (size_t b = 0; b < n; b++)
        for (size_t i = 0; i < batches[b].n; i++) {
            struct gt_err why = {0};
            prepare(&batches[b], i, &why);
            note(batches[b].entry[i], &why);
        }
    ask(batches, n, &failure);
    for (size_t b = 0; b < n; b++) {
        pthread_mutex_lock(&batches[b].cache->lock);
        for (size_t i = 0; i < batches[b].n; i++) {
            all = all && batches[b].get[i].status != GT_CANCEL;
            judge(&batches[b], i, &failure);
        }
        pthread_mutex_unlock(&batches[b].cache->lock);
    }
    if (!all && err && !err->status)
        *err = failure;
    return all ? GT_OK : failure.status;
}

/* Marks an entry as this thread's; with the lock. */
static void add(struct batch *batch, struct entry *entry)
{
    entry->state = FETCHING;
    gt_buf_pool_take(&batch->cache->stored, &entry->stored);
    batch->entry[batch->n++] = entry;
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
        gt_buf_pool_put(&cache->stored, &entry->stored, CACHE_FREE_BUFS);
    cache_set_state(cache, entry, status, &why, READY);
    if (!status && !all)
        cache_keep_shard(cache, entry);
}

/* Fetches those indexes, of the shards that the entries are in, which nobody has begun to read. */
static int fetch_shards(const struct gt_cache_request *request, int64_t *bytes, struct gt_err *err)
{
    struct entry *const *entries = (struct entry *const *)request->chunks;
    struct batch batch;
    int status = batch_room(&batch, request->cache, request->n, err);

    if (status)
        return status;
    pthread_mutex_lock(&request->cache->lock);
    for (size_t i = 0; i < request->n; i++)
        if (entries[i]->shard->state == NEW)
            add(&batch, entries[i]->shard);
    pthread_mutex_unlock(&request->cache->lock);
    status = fetch_batches(&batch, 1, err);
    *bytes += batch.bytes;
    batch_release(&batch);
    return status;
}

/* The index of the shard that an entry is in, ready or failed, unless nobody has begun to read it. */
static bool settle_shard(struct gt_cache *cache, struct entry *shard)
{
    pthread_mutex_lock(&cache->lock);
    while (shard->state != READY && shard->state != FAILED && shard->state != NEW) {
        if (shard->state == STORED)
            read_index(cache, shard);
        else
            cache_wait(cache);
    }
    bool settled = shard->state != NEW;
    pthread_mutex_unlock(&cache->lock);
    return settled;
}

/* The indexes of all shards that the entries are in. */
static int read_shards(const struct gt_cache_request *request, int64_t *bytes, struct gt_err *err)
{
    struct entry *const *entries = (struct entry *const *)request->chunks;
    int status = fetch_shards(request, bytes, err);

    for (size_t i = 0; i < request->n && !status; i++)
        while (!status && !settle_shard(request->cache, entries[i]->shard)) /* who had begun was stopped by another failure */
            status = fetch_shards(&(struct gt_cache_request){request->cache, &request->chunks[i], 1, 0}, bytes, err);
    return status;
}

/* --- fetching ---------------------------------------------------------------------------------- */

static void fail_with_shard(struct gt_cache *cache, struct entry *entry)
{
    struct gt_err why = {0};
    const int status = cache_tell(entry->shard, &why);
    cache_set_state(cache, entry, status, &why, FAILED);
}

/* Those of a request that are new. */
static void add_new(struct batch *batch, const struct gt_cache_request *request)
{
    struct entry *const *entries = (struct entry *const *)request->chunks;

    pthread_mutex_lock(&request->cache->lock);
    for (size_t i = 0; i < request->n; i++) {
        struct entry *entry = entries[i];
        if (entry->state != NEW)
            continue;
        if (entry->shard && entry->shard->state == FAILED)
            fail_with_shard(request->cache, entry);
        else
            add(batch, entry);
    }
    pthread_mutex_unlock(&request->cache->lock);
}

static int tell_all(const struct gt_cache_request *request, struct gt_err *err)
{
    int status = GT_OK;

    pthread_mutex_lock(&request->cache->lock);
    for (size_t i = 0; i < request->n && !status; i++)
        status = cache_tell((const struct entry *)request->chunks[i], err);
    pthread_mutex_unlock(&request->cache->lock);
    return status;
}

/* Nobody waits for another's entries while some are marked as this thread's. */
int gt_caches_fetch(struct gt_cache_request *requests, size_t n, struct gt_err *err)
{
    struct batch *batches = gt_alloc(n, sizeof *batches, err);
    int status = batches ? GT_OK : GT_FAIL;

    for (size_t w = 0; w < n; w++) {
        requests[w].bytes = 0;
        cache_pass_on(requests[w].cache);
    }
    for (size_t w = 0; w < n && !status; w++)
        if (requests[w].cache->shard)
            status = read_shards(&requests[w], &requests[w].bytes, err);
    for (size_t w = 0; w < n && !status; w++)
        status = batch_room(&batches[w], requests[w].cache, requests[w].n, err);
    for (size_t w = 0; w < n && !status; w++)
        add_new(&batches[w], &requests[w]);
    status = status ? status : fetch_batches(batches, n, err);
    for (size_t w = 0; w < n && batches; w++) {
        requests[w].bytes += batches[w].bytes;
        batch_release(&batches[w]);
    }
    free(batches);
    for (size_t w = 0; w < n && !status; w++)
        status = tell_all(&requests[w], err);
    return status;
}

int gt_cache_fetch(struct gt_cache *cache, struct gt_chunk *const *chunks, size_t n, int64_t *bytes, struct gt_err *err)
{
    struct gt_cache_request request = {cache, chunks, n, 0};
    int status = gt_caches_fetch(&request, 1, err);

    if (bytes)
        *bytes = request.bytes;
    return status;
}
