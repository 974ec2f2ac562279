#include "storage/codec/quick.h"

#include <limits.h>

#include "storage/codec/blosc_frame.h"

enum { LEVEL = 1 };

size_t gt_quick_encode(const void *data, size_t n, size_t item, void *to)
{
    const struct gt_blosc how = {.level = LEVEL, .shuffle = GT_BLOSC_BITS, .item = item};
    size_t len;
    if (n <= GT_BLOSC_HEAD || n > INT_MAX - GT_BLOSC_HEAD || gt_blosc_encode(&how, data, n, to, n, &len, NULL))
        return 0;
    return len < n ? len : 0;
}

int gt_quick_decode(const void *data, size_t len, void *to, size_t n, struct gt_err *err)
{
    struct gt_blosc_frame frame;
    if (!gt_blosc_open(&frame, data, len) || frame.n != n)
        return gt_fail(err, GT_FAIL, "a temporary file was read back damaged");
    return gt_blosc_decode(&frame, 0, frame.n_blocks, to, err);
}
