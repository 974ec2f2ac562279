/* Inside the chunk cache.  cache.c has who holds what, cache_fetch.c how it is
 * fetched, cache_read.c how it is decoded, cache_items.c what comes of it. */
#ifndef GT_ZARR_CACHE_IMPL_H
#define GT_ZARR_CACHE_IMPL_H

#include <pthread.h>

#include "arrays/zarr/cache.h"
#include "core/base/buf_pool.h"
#include "storage/codec/shard.h"

enum state {
    NEW,      /* nothing was read */
    FETCHING, /* somebody reads */
    STORED,
    DECODING, /* somebody decodes */
    READY,
    FAILED /* `why` says how, to all who hold it */
};

/* A chunk, or the index of a shard, which the chunks inside hold: its raw is the
 * index as gt_shard_index gives it, and in a stream, where a value can be got once
 * only, `stored` is all of the shard. */
struct entry {
    struct gt_chunk chunk; /* first: users have its address */
    struct entry *next;    /* in its bucket */
    int64_t key;           /* the number of the read unit; of a shard: -1 - the number of the chunk */
    struct entry *shard;   /* that the chunk is in, held; or NULL */
    int64_t holders;
    enum state state;
    struct gt_buf stored;
    size_t first, end;  /* READY: the bytes of raw that are there, if not all are: `stored` has the rest.  end 0: all */
    struct gt_err *why; /* FAILED; it is large, and there may be thousands of entries.  NULL: no memory for it */
};

enum { CACHE_FREE_BUFS = 16 }; /* of each kind */
/* Of shards in use last, the indexes stay: so many, of so many bytes in all, but always one. */
enum { CACHE_KEPT_SHARDS = 16, CACHE_KEPT_BYTES = 64 << 10 };

struct gt_cache {
    struct gt_array *array;
    const struct gt_shard *shard; /* that each chunk is, or NULL */
    struct gt_cache_opts opts;
    int64_t grid[GT_MAX_DIMS], units[GT_MAX_DIMS];
    pthread_mutex_t lock; /* of all below, and of what entries hold until they are ready */
    pthread_cond_t changed;
    int waiting;     /* threads that wait for the next change */
    int64_t changes; /* ever */
    struct entry **bucket;
    size_t n, n_buckets;                   /* a power of two */
    int64_t newest_held;                   /* largest index along the axis of the order */
    int64_t newest;                        /* the same, of chunks that were fetched */
    struct gt_buf_pool raw, stored;        /* buffers that chunks left, for the next ones */
    struct entry *kept[CACHE_KEPT_SHARDS]; /* held, from the oldest */
    size_t n_kept, kept_bytes;
};

/* All with the lock.  Ends what this thread did to an entry, which is `next`, or has failed. */
void cache_set_state(struct gt_cache *cache, struct entry *entry, int status, const struct gt_err *why, enum state next);
/* The index of a shard, which is ready, stays for the chunks that are held next. */
void cache_keep_shard(struct gt_cache *cache, struct entry *shard);
/* Without the lock.  What is held now is about to be fetched: earlier chunks may go.  Not sooner, since a shard goes with its last chunk,
 * and another chunk of it may be the next that this task holds. */
void cache_pass_on(struct gt_cache *cache);
/* Until some entry is settled. */
void cache_wait(struct gt_cache *cache);
/* How an entry failed, or GT_OK. */
int cache_tell(const struct entry *entry, struct gt_err *err);

/* Of the bytes that are stored, or not; without the lock. */
int cache_make_items(struct gt_cache *cache, struct entry *entry, struct gt_buf scratch[2], struct gt_err *err);
/* Of entries that are stored: can bytes *first to *end alone be made, with use?  The range is widened as it has to be. */
bool cache_has_part(const struct gt_cache *cache, const struct entry *entry, size_t *first, size_t *end);
/* The bytes from first to end, or all but those. */
int cache_make_part(struct gt_cache *cache, struct entry *entry, size_t first, size_t end, struct gt_err *err);
int cache_make_rest(struct gt_cache *cache, struct entry *entry, struct gt_err *err);

#endif
