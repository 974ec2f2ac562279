/* What writing and reading containers of blosc have in common. */
#ifndef GT_CODEC_BLOSC_IMPL_H
#define GT_CODEC_BLOSC_IMPL_H

#include "storage/codec/blosc_frame.h"

enum { BLOSC_FORMAT = 2, COMPRESSOR_FORMAT = 1, LZ4_KIND = 1, ZSTD_KIND = 4 };
enum blosc_flag { BYTES_SHUFFLED = 0x01, STORED = 0x02, BITS_SHUFFLED = 0x04, FUTURE = 0x08, NOT_SPLIT = 0x10 };
enum { KIND_SHIFT = 5, MOST_SPLITS = 16, LEAST_SPLIT = 128, MINIMUM_BYTES = 128, MOST_ITEM = 255 };

/* Is a block one stream for each byte of an item? */
static inline bool gt_blosc_splits(size_t block, size_t item)
{
    return item <= MOST_SPLITS && block / item >= LEAST_SPLIT;
}

/* A buffer of a block's size, and another one where the flags say that bits are shuffled; kept by the thread where they are small.
 * Errors: of memory. */
struct gt_blosc_room {
    uint8_t *a, *b; /* b: NULL if it is not needed */
    void *own;
};
int gt_blosc_room(struct gt_blosc_room *room, unsigned flags, size_t block, struct gt_err *err);
void gt_blosc_room_free(struct gt_blosc_room *room);

/* n bytes of items, shuffled and back; `aside` has as many, and may be NULL where bits are not shuffled. */
void gt_blosc_apart(unsigned flags, size_t item, const uint8_t *from, size_t n, uint8_t *to, uint8_t *aside);
void gt_blosc_together(unsigned flags, size_t item, const uint8_t *from, size_t n, uint8_t *to, uint8_t *aside);

#endif
