/* Shards: chunks that hold smaller chunks, each coded alone, and an index of where
 * they stand.  A chain that is nothing but a shard lets one inner chunk be read
 * without the others: the index, then its bytes. */
#ifndef GT_CODEC_SHARD_H
#define GT_CODEC_SHARD_H

#include "core/base/nd.h"
#include "storage/codec/codec.h"

struct gt_shard {
    int ndim;
    int64_t unit[GT_MAX_DIMS]; /* shape of an inner chunk */
    int64_t grid[GT_MAX_DIMS]; /* how many of them along each axis */
    size_t n;                  /* in all */
    size_t unit_items;
    struct gt_codec_chain *inner; /* of an inner chunk */
    struct gt_codec_chain *index_chain;
    size_t index_bytes; /* as stored, at one end of the shard */
    bool index_at_start;
};

/* NULL when the chain is something else, or more than a shard. */
const struct gt_shard *gt_codec_shard(const struct gt_codec_chain *chain);

/* The stored index (index_bytes of them) as n pairs of uint64: offset in the shard
 * and length, see gt_shard_entry. */
int gt_shard_index(const struct gt_shard *shard, const void *data, struct gt_buf *index, struct gt_buf scratch[2], struct gt_err *err);

/* Where inner chunk i stands.  GT_NOENT when it is not stored; GT_INPUT when that is no place in a
 * shard of that many bytes (UINT64_MAX: not known). */
int gt_shard_entry(const struct gt_buf *index, size_t i, uint64_t shard_bytes, uint64_t *offset, uint64_t *n, struct gt_err *err);

#endif
