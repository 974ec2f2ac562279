/* Decoded chunks of an array, shared by those who need them at the same time.
 *
 * A chunk (a read unit, see gt_array.unit) is held by any number of users.  While
 * it is held it is fetched once and decoded once, by the first who asks; the others
 * wait.  No I/O and no decoding happens under a lock, and when either fails every
 * user gets the same error.  All functions may be called from any thread.
 *
 * A chunk that nobody holds is dropped, and read again when it is asked for again; the
 * indexes of the last shards stay.
 * Where users go through the array in order, the chunks at the front stay, for the
 * next of them: see gt_cache_opts. */
#ifndef GT_ZARR_CACHE_H
#define GT_ZARR_CACHE_H

#include "arrays/zarr/array.h"
#include "core/base/str.h"

struct gt_cache;

struct gt_cache_opts {
    struct gt_budget *budget; /* what chunks are counted in; may be NULL */
    bool texts;               /* of GT_STRING, GT_BYTES, GT_UCS4: as a list of texts, rather than as they are stored */
    bool nul;                 /* with texts, not with few: they may hold NULs, see gt_strs_len; else such are not supported */
    bool few;                 /* with texts, of GT_STRING: where most are "" the others alone, see gt_chunk_text */
    bool bare;                /* absent chunks are not filled with fill values: only `absent` is set */
    size_t pad;               /* that many bytes after raw can be read */
    bool ordered;             /* chunks are asked for in the order of `axis`, about */
    int axis;
    int behind; /* ordered: chunks stay whose index along the axis is the largest that was held, or up to so much smaller */
};

struct gt_chunk {
    int64_t index[GT_MAX_DIMS];
    /* once decoded: */
    struct gt_buf raw;    /* the items of the unit in C order; GT_STRING: as codec/vlen.h says */
    struct gt_strs texts; /* in place of raw, with opts.texts */
    struct gt_buf places; /* with opts.few: uint32_t, the items that texts has, where it has not all */
    bool few;             /* it has not */
    bool absent;          /* it is not stored: all of it is the fill value */
};

/* array is borrowed. */
int gt_cache_new(struct gt_cache **out, struct gt_array *array, const struct gt_cache_opts *opts, struct gt_err *err);
/* No chunk may be held.  NULL is fine. */
void gt_cache_free(struct gt_cache *cache);
struct gt_array *gt_cache_array(const struct gt_cache *cache);

/* Memory is short: what is kept for the next chunks (buffers, indexes of shards) is given back. */
void gt_cache_trim(struct gt_cache *cache);

/* Holds a chunk; nothing is read yet. */
int gt_cache_acquire(struct gt_cache *cache, const int64_t *index, struct gt_chunk **chunk, struct gt_err *err);
/* Gets the stored bytes of n chunks, in as few questions to the store as can be; not
 * those that somebody got or is getting.  *bytes: what this call read; may be NULL. */
int gt_cache_fetch(struct gt_cache *cache, struct gt_chunk *const *chunks, size_t n, int64_t *bytes, struct gt_err *err);
/* The same of several caches, whose arrays are of one store: one question for all. */
struct gt_cache_request {
    struct gt_cache *cache;
    struct gt_chunk *const *chunks;
    size_t n;
    int64_t bytes; /* out: what was read */
};
int gt_caches_fetch(struct gt_cache_request *requests, size_t n, struct gt_err *err);
/* Makes the items ready to be read, fetching first what was not; waits when somebody
 * else is at it.  scratch: two buffers of the calling thread, reused between calls. */
int gt_cache_decode(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf scratch[2], struct gt_err *err);
/* The same for n items from `first` on; the others are ready or not.  For who needs a small part
 * of chunks, of which some codecs decode no more than that. */
int gt_cache_decode_part(struct gt_cache *cache, struct gt_chunk *chunk, size_t first, size_t n, struct gt_buf scratch[2],
                         struct gt_err *err);
/* Text of item i of a chunk that is decoded and not absent. */
const char *gt_chunk_text(const struct gt_chunk *chunk, size_t i);
/* The chunk is no longer this user's. */
void gt_cache_give(struct gt_cache *cache, struct gt_chunk *chunk);
/* The same of a decoded chunk, whose items are exchanged with *raw, of the same length and budget; the next chunk gets that buffer.
 * false: nothing was done, since another user holds the chunk, it was decoded in part, or chunks at the front stay. */
bool gt_cache_give_for(struct gt_cache *cache, struct gt_chunk *chunk, struct gt_buf *raw);

#endif
