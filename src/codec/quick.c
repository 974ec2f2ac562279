#include "config.h"

#include "codec/quick.h"

#include <blosc.h>

enum { LEVEL = 1 };

size_t gt_quick_encode(const void *data, size_t n, size_t item, void *to)
{
    if (n <= BLOSC_MAX_OVERHEAD || n > BLOSC_MAX_BUFFERSIZE)
        return 0;
    int len = blosc_compress_ctx(LEVEL, BLOSC_BITSHUFFLE, item <= BLOSC_MAX_TYPESIZE ? item : 1, n, data, to, n, "lz4", 0, 1);
    return len > 0 && (size_t)len < n ? (size_t)len : 0;
}

int gt_quick_decode(const void *data, size_t len, void *to, size_t n, struct gt_err *err)
{
    size_t size;
    if (blosc_cbuffer_validate(data, len, &size) != 0 || size != n || blosc_decompress_ctx(data, to, n, 1) != (int)n)
        return gt_fail(err, GT_FAIL, "what was put aside was read back damaged");
    return GT_OK;
}
