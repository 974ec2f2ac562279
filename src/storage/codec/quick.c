#include "storage/codec/quick.h"

#include <limits.h>
#include <string.h>

#include "kernels/kernels.h"
#include "storage/codec/blosc_frame.h"

/* Begins what is packed; frames of blosc begin with their version, a small number. */
enum { LEVEL = 1, PACKED = 0xff };

/* Are all bytes -1, 0, 1 or 2?  1 more is below 4; some at a time, in vectors of any compiler. */
static bool is_small(const uint8_t *x, size_t n)
{
    enum { SOME = 256 };
    uint8_t any = 0;
    size_t i = 0;
    for (; i + SOME <= n && any < 4; i += SOME)
        for (size_t k = 0; k < SOME; k++)
            any |= (uint8_t)(x[i + k] + 1);
    for (; i < n && any < 4; i++)
        any |= (uint8_t)(x[i] + 1);
    return any < 4;
}

/* Four values a byte, as fast as memory, and bits of random ones do not get shorter. */
static size_t pack(const uint8_t *values, size_t n, uint8_t *to)
{
    to[0] = PACKED;
    gt_kernels()->pack_i8((const int8_t *)values, (int64_t)n, to + 1);
    return 1 + (n + 3) / 4;
}

static void unpack(const uint8_t *row, uint8_t *to, size_t n)
{
    const size_t bytes = (n + 3) / 4, head = bytes > GT_KERNEL_PAD ? bytes - GT_KERNEL_PAD : 0;
    uint8_t tail[2 * GT_KERNEL_PAD] = {0};
    memcpy(tail, row + head, bytes - head);
    gt_kernels()->unpack_i8(row, (int64_t)(4 * head), (int8_t *)to);
    gt_kernels()->unpack_i8(tail, (int64_t)(n - 4 * head), (int8_t *)to + 4 * head);
}

size_t gt_quick_encode(const void *data, size_t n, size_t item, void *to)
{
    const struct gt_blosc how = {.level = LEVEL, .shuffle = GT_BLOSC_BITS, .item = item};
    size_t len;
    if (item == 1 && n > GT_BLOSC_HEAD && is_small(data, n))
        return pack(data, n, to);
    if (n <= GT_BLOSC_HEAD || n > INT_MAX - GT_BLOSC_HEAD || gt_blosc_encode(&how, data, n, to, n, &len, NULL))
        return 0;
    return len < n ? len : 0;
}

int gt_quick_decode(const void *data, size_t len, void *to, size_t n, struct gt_err *err)
{
    struct gt_blosc_frame frame;
    if (len > 0 && *(const uint8_t *)data == PACKED && len == 1 + (n + 3) / 4) {
        unpack((const uint8_t *)data + 1, to, n);
        return 0;
    }
    if (!gt_blosc_open(&frame, data, len) || frame.n != n)
        return gt_fail(err, GT_FAIL, "a temporary file was read back damaged");
    return gt_blosc_decode(&frame, 0, frame.n_blocks, to, err);
}
