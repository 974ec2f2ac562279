/* Containers of blosc 1 with LZ4 or Zstandard inside, bytes and bits shuffled by kernels of this program: libblosc as
 * distributions build it has none for wide registers, and takes memory for each call.  What is written is byte for byte what libblosc
 * writes (1.21, `blosc_compress_ctx`, one thread), but for the bits of bytes by zstd at level 1 (gt_zstd_set), and what it reads is
 * read.  Private to src/codec.
 *
 *     16 bytes: versions of the container and of the compressor, flags, bytes of an item, and as u32 the bytes that were
 *         compressed, those of a block of them, and those of the container
 *     u32 a block: where it begins
 *     blocks: the items of a block shuffled, as one stream or as one for each byte of an item; a stream is a u32 of its
 *         length, then itself, as it was where it did not get shorter */
#ifndef GT_CODEC_BLOSC_FRAME_H
#define GT_CODEC_BLOSC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { GT_BLOSC_HEAD = 16 };
enum gt_blosc_shuffle { GT_BLOSC_AS_IS, GT_BLOSC_BYTES, GT_BLOSC_BITS };

struct gt_blosc {
    bool zstd;
    int level; /* 0 to 9 */
    enum gt_blosc_shuffle shuffle;
    size_t item;      /* bytes; above 255: 1 */
    size_t blocksize; /* 0: by level, item and n */
};

/* n bytes (at most INT32_MAX - GT_BLOSC_HEAD) into `to`, which has room for `room` and does not overlap them.  *len: bytes of the
 * container, at most n + GT_BLOSC_HEAD; 0: there is no room for it, and nothing of use is in `to`. */
int gt_blosc_encode(const struct gt_blosc *how, const uint8_t *data, size_t n, uint8_t *to, size_t room, size_t *len, struct gt_err *err);

/* A container; the bytes are borrowed. */
struct gt_blosc_frame {
    const uint8_t *data;
    size_t len, n, block; /* bytes of it, of what was compressed, of a block of that */
    size_t n_blocks, item;
    unsigned flags;
};
/* false: it is damaged, or of another kind, for which libblosc is asked. */
bool gt_blosc_open(struct gt_blosc_frame *frame, const uint8_t *data, size_t len);
/* Blocks first .. end - 1, of frame->block bytes but for the last one, to their places in `to`, which has frame->n.  GT_INPUT:
 * they are damaged. */
int gt_blosc_decode(const struct gt_blosc_frame *frame, size_t first, size_t end, uint8_t *to, struct gt_err *err);

#endif
