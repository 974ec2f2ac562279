#include "config.h"

#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "storage/codec/blosc_impl.h"
#include "storage/codec/step.h"

/* The size of blocks by level, in units of 8 KiB, of which zstd gets two. */
static size_t block_size(const struct gt_blosc *how, size_t item, size_t n)
{
    static const uint8_t units[] = {1, 2, 4, 8, 16, 16, 32, 32, 32, 32};
    size_t block = n;
    if (how->blocksize > 0)
        block = how->blocksize < MINIMUM_BYTES ? MINIMUM_BYTES : how->blocksize;
    else if (n >= 32 << 10)
        block = ((size_t)units[how->level] << 13) << how->zstd << (how->zstd && how->level == 9);
    if (how->level > 0 && !how->zstd && gt_blosc_splits(block, item)) {
        block = (block > 1 << 18 ? 1 << 18 : block) * item;
        block = block < 1 << 16 ? 1 << 16 : block > 1 << 20 ? 1 << 20 : block;
    }
    block = block < n ? block : n;
    return block > item ? block - block % item : block;
}

struct output {
    const struct gt_blosc *how;
    struct gt_codec_thread *thread;
    uint8_t *at; /* what comes next */
    const uint8_t *end;
};

/* One stream, 4 bytes after out->at.  *len 0: it does not get shorter than the `room`. */
static int compress(const struct output *out, const uint8_t *from, size_t n, size_t room, size_t *len, struct gt_err *err)
{
    const struct gt_blosc *how = out->how;
    struct gt_codec_thread *thread = out->thread;
    uint8_t *to = out->at + 4;
    if (!how->zstd) {
        const int bytes = LZ4_compress_fast((const char *)from, (char *)to, (int)n, (int)room, 10 - how->level);
        *len = bytes > 0 ? (size_t)bytes : 0;
        return GT_OK;
    }
    gt_zstd_set(thread->compress, how->level == 9 ? ZSTD_maxCLevel() : 2 * how->level - 1, how->shuffle == GT_BLOSC_BITS && how->item == 1);
    *len = ZSTD_compress2(thread->compress, to, room, from, n);
    const bool no_memory = ZSTD_getErrorCode(*len) == ZSTD_error_memory_allocation;
    *len = ZSTD_isError(*len) ? 0 : *len;
    return no_memory ? gt_no_memory(err) : GT_OK;
}

/* A block.  GT_END: there is no room. */
static int put_block(struct output *out, const uint8_t *from, size_t n, size_t streams, struct gt_err *err)
{
    const size_t each = n / streams;
    for (size_t i = 0; i < streams; i++) {
        if (out->end - out->at <= 4)
            return GT_END;
        uint8_t *stream = out->at + 4;
        const size_t room = (size_t)(out->end - stream), most = each < room ? each : room;
        size_t len;
        int status = compress(out, from + i * each, each, most, &len, err);
        if (status)
            return status;
        if (len == 0 || len == each) {
            if (each > room)
                return GT_END;
            memcpy(stream, from + i * each, each);
            len = each;
        }
        gt_le_put(out->at, len, 4);
        out->at = stream + len;
    }
    return GT_OK;
}

/* All blocks of a frame that begins at `begin`.  GT_END: there is no room. */
static int put_blocks(struct output *out, const struct gt_blosc_frame *frame, const struct gt_blosc_room *room, uint8_t *begin,
                      struct gt_err *err)
{
    int status = GT_OK;
    for (size_t i = 0; i < frame->n_blocks && !status; i++) {
        const uint8_t *items = frame->data + i * frame->block;
        const size_t left = frame->n - i * frame->block, n = left < frame->block ? left : frame->block;
        const bool split = !(frame->flags & NOT_SPLIT) && n == frame->block;
        gt_le_put(begin + GT_BLOSC_HEAD + 4 * i, (uint64_t)(out->at - begin), 4);
        if ((frame->flags & BYTES_SHUFFLED && frame->item > 1) || (frame->flags & BITS_SHUFFLED && n >= frame->item)) {
            gt_blosc_apart(frame->flags, frame->item, items, n, room->a, room->b);
            items = room->a;
        }
        status = put_block(out, items, n, split ? frame->item : 1, err);
    }
    return status;
}

static void put_head(const struct gt_blosc_frame *frame, uint8_t *to, size_t len)
{
    to[0] = BLOSC_FORMAT;
    to[1] = COMPRESSOR_FORMAT;
    to[2] = (uint8_t)frame->flags;
    to[3] = (uint8_t)frame->item;
    gt_le_put(gt_le_put(gt_le_put(to + 4, frame->n, 4), frame->block, 4), len, 4);
}

static int make_context(struct gt_codec_thread *thread, struct gt_err *err)
{
    if (thread && !thread->compress)
        thread->compress = ZSTD_createCCtx();
    return thread && thread->compress ? 0 : gt_no_memory(err);
}

/* The context of a high level is not kept. */
static void drop_context(struct gt_codec_thread *thread)
{
    if (ZSTD_sizeof_CCtx(thread->compress) > GT_CODEC_REUSE_MAX) {
        ZSTD_freeCCtx(thread->compress);
        thread->compress = NULL;
    }
}

int gt_blosc_encode(const struct gt_blosc *how, const uint8_t *data, size_t n, uint8_t *to, size_t room, size_t *len, struct gt_err *err)
{
    struct gt_blosc_frame frame = {.data = data, .n = n, .item = how->item >= 1 && how->item <= MOST_ITEM ? how->item : 1};
    struct gt_codec_thread *thread = gt_codec_thread();
    struct gt_blosc_room aside = {0};
    const uint8_t *end = to + (room < n + GT_BLOSC_HEAD ? room : n + GT_BLOSC_HEAD);
    bool done = false;
    *len = 0;
    if (room < GT_BLOSC_HEAD)
        return 0;
    frame.block = n < frame.item ? 1 : block_size(how, frame.item, n);
    frame.n_blocks = (n + frame.block - 1) / frame.block;
    frame.flags = how->shuffle == GT_BLOSC_BYTES ? BYTES_SHUFFLED : how->shuffle == GT_BLOSC_BITS ? BITS_SHUFFLED : 0;
    frame.flags |=
        (how->zstd ? ZSTD_KIND : LZ4_KIND) << KIND_SHIFT | (how->zstd || !gt_blosc_splits(frame.block, frame.item) ? NOT_SPLIT : 0);
    if (how->level > 0 && n >= MINIMUM_BYTES) {
        const size_t head = GT_BLOSC_HEAD + 4 * frame.n_blocks;
        int status = gt_blosc_room(&aside, frame.flags, frame.block, err);
        if (!status && how->zstd)
            status = make_context(thread, err);
        struct output out = {how, thread, to + head, end};
        if (!status)
            status = head < (size_t)(end - to) ? put_blocks(&out, &frame, &aside, to, err) : GT_END;
        done = !status;
        *len = done ? (size_t)(out.at - to) : 0;
        gt_blosc_room_free(&aside);
        if (how->zstd && thread && thread->compress)
            drop_context(thread);
        if (status && status != GT_END)
            return status;
    }
    if (!done && room >= n + GT_BLOSC_HEAD) {
        frame.flags |= STORED;
        memcpy(to + GT_BLOSC_HEAD, data, n);
        *len = n + GT_BLOSC_HEAD;
    }
    if (*len)
        put_head(&frame, to, *len);
    return 0;
}
