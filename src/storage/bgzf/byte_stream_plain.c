/* Plain text: pieces as they come, or of stretches. */
#include "config.h"

#include "kernels/kernels.h"
#include "storage/bgzf/byte_stream_internal.h"

/* Goes to the beginning of the next stretch, unless the reading is inside one. */
static int next_stretch(struct gt_bytes *bytes)
{
    if (!bytes->limited || bytes->inside)
        return GT_OK;
    if (bytes->stretch == bytes->n_stretches)
        return GT_END;
    bytes->at.offset = (int64_t)bytes->stretches[bytes->stretch].from;
    bytes->inside = true;
    return GT_OK;
}

/* Bytes of the stretch that are left. */
static uint64_t left_of(const struct gt_bytes *bytes)
{
    return bytes->limited ? bytes->stretches[bytes->stretch].to - (uint64_t)bytes->at.offset : UINT64_MAX;
}

int gt_bytes_read_plain(struct gt_bytes *bytes, struct gt_bytes_item *item, struct gt_err *err)
{
    struct gt_buf *text = &item->piece.text;
    item->piece.cut = false;
    int status = next_stretch(bytes);
    if (!status)
        status = gt_buf_reserve(text, bytes->piece + GT_KERNEL_PAD, err);
    if (status)
        return status;
    const uint64_t left = left_of(bytes);
    item->offset = bytes->at.offset;
    status = gt_bytes_read_some(bytes, text->data, left < bytes->piece ? (size_t)left : bytes->piece, &text->len, err);
    if (!status && text->len < bytes->piece && text->len < left)
        return text->len ? GT_OK : GT_END;
    item->piece.cut = text->len == left;
    bytes->inside = !item->piece.cut;
    bytes->stretch += item->piece.cut;
    return status;
}
