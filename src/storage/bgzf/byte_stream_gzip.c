/* gzip without BGZF blocks, of one or more members: one thread inflates it. */
#include "config.h"

#include <string.h>

#include "kernels/kernels.h"
#include "storage/bgzf/byte_stream_internal.h"

static int damaged_gzip(const struct gt_bytes *bytes, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is damaged: bad gzip data near byte %lld", bytes->input->name, (long long)gt_bytes_offset(bytes));
}

/* What follows a member: another one, or zeros as padding, or the end. */
static int next_member(struct gt_bytes *bytes, bool *end, struct gt_err *err)
{
    size_t have;
    int status;
    *end = false;
    for (;;) {
        if ((status = gt_bytes_fill(bytes, 1, err)) != 0)
            return status;
        const uint8_t *data = gt_bytes_raw(bytes, &have);
        if (!have) {
            *end = true;
            return 0;
        }
        if (*data) {
            if (*data != 0x1f || inflateReset(&bytes->z) != Z_OK)
                return damaged_gzip(bytes, err);
            bytes->member_open = true;
            return 0;
        }
        bytes->raw_pos++;
    }
}

/* Decodes from the member that is open into what z has room for. */
static int inflate_some(struct gt_bytes *bytes, struct gt_err *err)
{
    z_stream *z = &bytes->z;
    size_t have;
    int status = gt_bytes_fill(bytes, 1, err);
    if (status)
        return status;
    const uint8_t *data = gt_bytes_raw(bytes, &have);
    if (!have)
        return gt_bytes_truncated(bytes, "the gzip stream ends early", err);
    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)have;
    int code = inflate(z, Z_NO_FLUSH);
    bytes->raw_pos += have - z->avail_in;
    bytes->member_open = code != Z_STREAM_END;
    return code == Z_OK || code == Z_STREAM_END ? 0 : damaged_gzip(bytes, err);
}

static int read_gzip(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    bool end = false;
    int status = gt_buf_reserve(text, bytes->piece + GT_KERNEL_PAD, err);
    z_stream *z = &bytes->z;
    if (!status && !bytes->z_open && inflateInit2(z, 15 + 16) != Z_OK)
        status = gt_fail(err, GT_FAIL, "no memory for a decompressor");
    if (status)
        return status;
    bytes->z_open = true;
    text->len = bytes->piece;
    z->next_out = text->data;
    z->avail_out = (uInt)text->len;
    while (z->avail_out && !status && !end) {
        if (!bytes->member_open)
            status = next_member(bytes, &end, err);
        if (!status && !end)
            status = inflate_some(bytes, err);
    }
    text->len -= z->avail_out;
    bytes->at.text += (int64_t)text->len;
    return status ? status : text->len ? 0 : GT_END;
}

/* After a rewind the text before the mark is inflated once more and dropped. */
int gt_bytes_read_gzip(struct gt_bytes *bytes, struct gt_buf *text, struct gt_err *err)
{
    for (;;) {
        int status = read_gzip(bytes, text, err);
        if (status || !bytes->skip)
            return status;
        size_t drop = bytes->skip < (int64_t)text->len ? (size_t)bytes->skip : text->len;
        bytes->skip -= (int64_t)drop;
        memmove(text->data, text->data + drop, text->len - drop);
        text->len -= drop;
        if (text->len)
            return 0;
    }
}

void gt_bytes_rewind_gzip(struct gt_bytes *bytes)
{
    bytes->skip = bytes->mark.text;
    bytes->at = (struct gt_bytes_virtual_offset){0};
    bytes->member_open = false;
    if (bytes->z_open)
        inflateReset(&bytes->z);
}
