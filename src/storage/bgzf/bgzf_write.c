#include "storage/bgzf/bgzf_write.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/le.h"

enum { BLOCK_MAX = 0x10000, HEADER = 18, TRAILER = 8 };

const uint8_t gt_bgzf_end[28] = {31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0, 27, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* One stored deflate block: what cannot be made smaller. */
static size_t store(const uint8_t *data, size_t n, uint8_t *to)
{
    to[0] = 1;
    gt_le_put(gt_le_put(to + 1, n, 2), ~n, 2);
    memcpy(to + 5, data, n);
    return n + 5;
}

static size_t block(struct libdeflate_compressor *c, const uint8_t *data, size_t n, uint8_t *to)
{
    size_t room = BLOCK_MAX - HEADER - TRAILER;
    size_t body = libdeflate_deflate_compress(c, data, n, to + HEADER, room);

    if (body == 0)
        body = store(data, n, to + HEADER);
    memcpy(to, gt_bgzf_end, HEADER);
    gt_le_put(to + 16, HEADER + body + TRAILER - 1, 2);
    gt_le_put(gt_le_put(to + HEADER + body, libdeflate_crc32(0, data, n), 4), n, 4);
    return HEADER + body + TRAILER;
}

int gt_bgzf_compress(const void *data, size_t n, int level, struct gt_buf *out, struct gt_err *err)
{
    size_t blocks = n / GT_BGZF_TEXT + (n % GT_BGZF_TEXT != 0);
    int status = gt_buf_reserve(out, out->len + n + blocks * (HEADER + TRAILER + 5) + BLOCK_MAX, err);
    if (status)
        return status;
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
    if (!c)
        return gt_fail(err, GT_FAIL, "cannot compress at level %d: out of memory", level);
    for (size_t at = 0; at < n; at += GT_BGZF_TEXT) {
        size_t some = n - at < GT_BGZF_TEXT ? n - at : GT_BGZF_TEXT;
        out->len += block(c, (const uint8_t *)data + at, some, out->data + out->len);
    }
    libdeflate_free_compressor(c);
    return 0;
}

size_t gt_bgzf_size(const uint8_t *block)
{
    return (size_t)gt_le16(block + 16) + 1;
}
