#include "config.h"

#include "storage/bgzf/bgzf_read.h"

#include <libdeflate.h>

#include "core/base/le.h"

#define FIXED 12  /* of a gzip header with an extra field, with its length */
#define TRAILER 8 /* CRC-32 and size */
#define MAX_TEXT 65536

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
    return *text > MAX_TEXT ? -1 : (int64_t)size;
}

const char *gt_bgzf_inflate(struct libdeflate_decompressor *inflater, const uint8_t *data, size_t n, void *text, size_t text_len)
{
    size_t head = FIXED + gt_le16(data + 10), got = 0;
    enum libdeflate_result result = libdeflate_deflate_decompress(inflater, data + head, n - head - TRAILER, text, text_len, &got);
    if (result != LIBDEFLATE_SUCCESS || got != text_len)
        return "bad compressed data";
    return libdeflate_crc32(0, text, text_len) == gt_le32(data + n - TRAILER) ? NULL : "wrong checksum";
}
