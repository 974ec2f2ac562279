/* Lengths of shards and of the chunks in them, along one axis. */
#ifndef GT_ZARR_SHARD_LENGTH_H
#define GT_ZARR_SHARD_LENGTH_H

#include <stdint.h>

#include "core/base/err.h"

/* *shard: the length of shards that --shard asks for, `wanted`, or of one that has all n items (-1: not known) where that is less or where
 * -1 is wanted; 0 = that of a chunk.  *inner is the length of a chunk.  step: chunks may become shorter, down to half of that, or to the
 * length of a shard, if that lets a shard consist of whole ones, and are multiples of it; 0: they stay.  axis: its name, for the hint, or
 * NULL.  GT_USAGE: a shard does not consist of whole chunks. */
int gt_shard_length(int64_t *shard, const char *axis, int64_t wanted, int64_t n, int64_t step, int64_t *inner, struct gt_err *err);

#endif
