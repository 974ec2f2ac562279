#include "config.h"

#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "storage/codec/blosc_impl.h"
#include "storage/codec/step.h"

bool gt_blosc_open(struct gt_blosc_frame *frame, const uint8_t *data, size_t len)
{
    if (len < GT_BLOSC_HEAD || data[0] != BLOSC_FORMAT || data[2] & FUTURE || data[3] == 0)
        return false;
    *frame = (struct gt_blosc_frame){
        .data = data, .len = len, .n = gt_le32(data + 4), .block = gt_le32(data + 8), .item = data[3], .flags = data[2]};
    const unsigned kind = frame->flags >> KIND_SHIFT;
    if (gt_le32(data + 12) != len || (kind != LZ4_KIND && kind != ZSTD_KIND) || data[1] != COMPRESSOR_FORMAT || frame->n == 0 ||
        frame->n > INT_MAX - GT_BLOSC_HEAD || frame->block == 0 || frame->block > frame->n)
        return false;
    frame->n_blocks = (frame->n + frame->block - 1) / frame->block;
    return frame->flags & STORED ? len == frame->n + GT_BLOSC_HEAD : frame->n_blocks <= (len - GT_BLOSC_HEAD) / 4;
}

/* Each bytes of a stream; false: it is damaged. */
static bool expand(const struct gt_blosc_frame *frame, struct gt_codec_thread *thread, const uint8_t *from, size_t len, uint8_t *to,
                   size_t each)
{
    if (len == each) {
        memcpy(to, from, each);
        return true;
    }
    if (frame->flags >> KIND_SHIFT == ZSTD_KIND)
        return ZSTD_decompressDCtx(thread->decompress, to, each, from, len) == each;
    return len <= INT_MAX && LZ4_decompress_safe((const char *)from, (char *)to, (int)len, (int)each) == (int)each;
}

/* The n bytes of block i as they are shuffled. */
static bool read_block(const struct gt_blosc_frame *frame, struct gt_codec_thread *thread, size_t i, size_t n, uint8_t *to)
{
    const bool split = !(frame->flags & NOT_SPLIT) && gt_blosc_splits(n, frame->item) && n == frame->block;
    const size_t streams = split ? frame->item : 1, each = n / streams;
    size_t at = gt_le32(frame->data + GT_BLOSC_HEAD + 4 * i);
    if (each * streams != n)
        return false;
    for (size_t k = 0; k < streams; k++, to += each) {
        if (at > frame->len || frame->len - at < 4)
            return false;
        const size_t len = gt_le32(frame->data + at);
        at += 4;
        if (len > frame->len - at || !expand(frame, thread, frame->data + at, len, to, each))
            return false;
        at += len;
    }
    return true;
}

static bool read_blocks(const struct gt_blosc_frame *frame, struct gt_codec_thread *thread, const struct gt_blosc_room *room, size_t first,
                        size_t end, uint8_t *to)
{
    for (size_t i = first; i < end; i++) {
        const size_t left = frame->n - i * frame->block, n = left < frame->block ? left : frame->block;
        const bool shuffled = (frame->flags & BYTES_SHUFFLED && frame->item > 1) || (frame->flags & BITS_SHUFFLED && n >= frame->item);
        if (!read_block(frame, thread, i, n, shuffled ? room->a : to + i * frame->block))
            return false;
        if (shuffled)
            gt_blosc_together(frame->flags, frame->item, room->a, n, to + i * frame->block, room->b);
    }
    return true;
}

int gt_blosc_decode(const struct gt_blosc_frame *frame, size_t first, size_t end, uint8_t *to, struct gt_err *err)
{
    struct gt_codec_thread *thread = gt_codec_thread();
    struct gt_blosc_room room;
    if (frame->flags & STORED) {
        const size_t from = first * frame->block, till = end < frame->n_blocks ? end * frame->block : frame->n;
        memcpy(to + from, frame->data + GT_BLOSC_HEAD + from, till - from);
        return 0;
    }
    if (thread && !thread->decompress && frame->flags >> KIND_SHIFT == ZSTD_KIND)
        thread->decompress = ZSTD_createDCtx();
    if (!thread || (frame->flags >> KIND_SHIFT == ZSTD_KIND && !thread->decompress))
        return gt_no_memory(err);
    int status = gt_blosc_room(&room, frame->flags, frame->block, err);
    if (!status && !read_blocks(frame, thread, &room, first, end, to))
        status = gt_fail(err, GT_INPUT, "damaged blosc data");
    gt_blosc_room_free(&room);
    return status;
}
