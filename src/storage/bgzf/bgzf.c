#include "config.h"

#include "storage/bgzf/bgzf.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/le.h"

#define FIXED 12  /* of a gzip header with an extra field, with its length */
#define TRAILER 8 /* CRC-32 and size */
#define BLOCK_MAX 65536

/* --- reading --- */

int64_t gt_bgzf_block(const uint8_t *data, size_t n, size_t *text)
{
    static const uint8_t magic[4] = {0x1f, 0x8b, 8, 4};
    *text = 0;
    for (size_t i = 0; i < sizeof magic && i < n; i++)
        if (data[i] != magic[i])
            return -1;
    if (n < FIXED)
        return 0;
    size_t extra = gt_le16(data + 10), size = 0;
    if (n < FIXED + extra)
        return 0;
    for (size_t at = FIXED; at + 4 <= FIXED + extra;) {
        size_t len = gt_le16(data + at + 2);
        if (data[at] == 'B' && data[at + 1] == 'C' && len == 2 && at + 6 <= FIXED + extra)
            size = (size_t)gt_le16(data + at + 4) + 1;
        at += 4 + len;
    }
    if (size < FIXED + extra + TRAILER)
        return -1;
    if (size <= n)
        *text = gt_le32(data + size - 4);
    return *text > BLOCK_MAX ? -1 : (int64_t)size;
}

const char *gt_bgzf_inflate(struct libdeflate_decompressor *inflater, const uint8_t *data, size_t n, void *text, size_t text_len)
{
    size_t head = FIXED + gt_le16(data + 10), got = 0;
    enum libdeflate_result result = libdeflate_deflate_decompress(inflater, data + head, n - head - TRAILER, text, text_len, &got);
    if (result != LIBDEFLATE_SUCCESS || got != text_len)
        return "bad compressed data";
    return libdeflate_crc32(0, text, text_len) == gt_le32(data + n - TRAILER) ? NULL : "wrong checksum";
}

/* --- writing --- */

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
    size_t room = BLOCK_MAX - GT_BGZF_HEADER - TRAILER;
    size_t body = libdeflate_deflate_compress(c, data, n, to + GT_BGZF_HEADER, room);

    if (body == 0)
        body = store(data, n, to + GT_BGZF_HEADER);
    memcpy(to, gt_bgzf_end, GT_BGZF_HEADER);
    gt_le_put(to + 16, GT_BGZF_HEADER + body + TRAILER - 1, 2);
    gt_le_put(gt_le_put(to + GT_BGZF_HEADER + body, libdeflate_crc32(0, data, n), 4), n, 4);
    return GT_BGZF_HEADER + body + TRAILER;
}

int gt_bgzf_compress(const void *data, size_t n, int level, struct gt_buf *out, struct gt_err *err)
{
    size_t blocks = n / GT_BGZF_TEXT + (n % GT_BGZF_TEXT != 0);
    int status = gt_buf_reserve(out, out->len + n + blocks * (GT_BGZF_HEADER + TRAILER + 5) + BLOCK_MAX, err);
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
