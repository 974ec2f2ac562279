#include "arrays/zarr/shard_length.h"

#include "core/base/size.h"

/* The longest chunk that a shard consists of whole ones of; 0: each is too short. */
static int64_t divide(int64_t shard, int64_t step, int64_t inner)
{
    const int64_t least = inner / 2 + 1;
    if (shard < inner)
        return shard % step ? 0 : shard;
    for (int64_t length = inner / step * step; length >= least; length -= step)
        if (shard % length == 0)
            return length;
    return 0;
}

int gt_shard_length(int64_t *shard, const char *axis, int64_t wanted, int64_t n, int64_t step, int64_t *inner, struct gt_err *err)
{
    const int64_t all = gt_ceil_div(n > 0 ? n : 1, *inner) * *inner;
    *shard = wanted == 0 ? *inner : wanted < 0 || (n >= 0 && wanted > n) ? all : wanted;
    if (*shard % *inner == 0)
        return GT_OK;
    const int64_t shorter = step ? divide(*shard, step, *inner) : 0, next = gt_ceil_div(*shard, *inner) * *inner;
    if (shorter) {
        *inner = shorter;
        return GT_OK;
    }
    gt_fail(err, GT_USAGE, "--shard: %lld is not a multiple of the chunk length %lld", (long long)*shard, (long long)*inner);
    if (axis)
        gt_hint(err, "use --shard %s=%lld", axis, (long long)next);
    return GT_USAGE;
}
