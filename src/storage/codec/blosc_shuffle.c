/* The shuffles of blosc: what is not a whole number of items stands after, as it is; of items that are not a multiple of 8
 * bits are not shuffled. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "kernels/kernels.h"
#include "storage/codec/blosc_impl.h"
#include "storage/codec/step.h"

int gt_blosc_room(struct gt_blosc_room *room, unsigned flags, size_t block, struct gt_err *err)
{
    const size_t blocks = flags & BITS_SHUFFLED ? 2 : 1;
    struct gt_codec_thread *thread = gt_codec_thread();
    *room = (struct gt_blosc_room){0};
    if (!thread)
        return gt_no_memory(err);
    if (blocks * block <= GT_CODEC_REUSE_MAX) {
        if (thread->cap_aside < blocks * block) {
            free(thread->aside);
            thread->cap_aside = 0;
            if (!(thread->aside = gt_alloc(blocks * block, 1, err)))
                return GT_FAIL;
            thread->cap_aside = blocks * block;
        }
        room->a = thread->aside;
    } else if (!(room->own = room->a = gt_alloc(block, blocks, err))) {
        return GT_FAIL;
    }
    room->b = blocks == 2 ? room->a + block : NULL;
    return 0;
}

void gt_blosc_room_free(struct gt_blosc_room *room)
{
    free(room->own);
}

/* Items as their first bytes, their second bytes, and so on; and back. */
static void bytes_apart(size_t item, const uint8_t *from, size_t items, uint8_t *to)
{
    if (items)
        gt_kernels()->transpose(1, (int64_t)items, (int64_t)item, from, (int64_t)item, to, (int64_t)items);
}

static void bytes_together(size_t item, const uint8_t *from, size_t items, uint8_t *to)
{
    if (items)
        gt_kernels()->transpose(1, (int64_t)item, (int64_t)items, from, (int64_t)items, to, (int64_t)item);
}

/* Whole items of n bytes, 0 where they are not to be shuffled; *bits: it is their bits. */
static size_t shuffled_items(unsigned flags, size_t item, size_t n, bool *bits)
{
    const size_t items = n / item;
    *bits = flags & BITS_SHUFFLED && !(flags & BYTES_SHUFFLED && item > 1);
    return *bits && items % 8 ? 0 : items;
}

void gt_blosc_apart(unsigned flags, size_t item, const uint8_t *from, size_t n, uint8_t *to, uint8_t *aside)
{
    bool bits;
    const size_t items = shuffled_items(flags, item, n, &bits);
    if (!bits) {
        bytes_apart(item, from, items, to);
    } else {
        if (item > 1)
            bytes_apart(item, from, items, aside);
        for (size_t k = 0; k < item && items; k++)
            gt_kernels()->bits_apart((item > 1 ? aside : from) + k * items, (int64_t)items, to + k * items);
    }
    memcpy(to + items * item, from + items * item, n - items * item);
}

void gt_blosc_together(unsigned flags, size_t item, const uint8_t *from, size_t n, uint8_t *to, uint8_t *aside)
{
    bool bits;
    const size_t items = shuffled_items(flags, item, n, &bits);
    if (!bits) {
        bytes_together(item, from, items, to);
    } else {
        for (size_t k = 0; k < item && items; k++)
            gt_kernels()->bits_together(from + k * items, (int64_t)items, (item > 1 ? aside : to) + k * items);
        if (item > 1)
            bytes_together(item, aside, items, to);
    }
    memcpy(to + items * item, from + items * item, n - items * item);
}
