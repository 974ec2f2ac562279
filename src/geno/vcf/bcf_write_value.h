/* Writes BCF 2.2 values: a byte of type and number, then the values. */
#ifndef GT_OUT_BCF_VALUE_H
#define GT_OUT_BCF_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/budget.h"
#include "core/base/le.h"

enum { GT_BCF_INT8 = 1, GT_BCF_INT16, GT_BCF_INT32, GT_BCF_FLOAT = 5, GT_BCF_CHAR = 7 };

static inline int gt_bcf_size(int type)
{
    return type == GT_BCF_FLOAT ? 4 : type == GT_BCF_CHAR ? 1 : 1 << (type - 1);
}

/* The smallest integer type for a non-negative number. */
static inline int gt_bcf_width(int64_t n)
{
    return n <= INT8_MAX ? GT_BCF_INT8 : n <= INT16_MAX ? GT_BCF_INT16 : GT_BCF_INT32;
}

static inline uint8_t *gt_bcf_put_int(uint8_t *to, int64_t n)
{
    *to++ = (uint8_t)(1 << 4 | gt_bcf_width(n));
    return gt_le_put(to, (uint64_t)n, gt_bcf_size(gt_bcf_width(n)));
}

/* Writes the descriptor of n values; at most 6 bytes. */
static inline uint8_t *gt_bcf_put_type(uint8_t *to, size_t n, int type)
{
    *to++ = (uint8_t)((n < 15 ? n : 15) << 4 | (unsigned)type);
    return n < 15 ? to : gt_bcf_put_int(to, (int64_t)n);
}

static inline uint8_t *gt_bcf_put_text(uint8_t *to, const char *text)
{
    const size_t n = strlen(text);

    to = gt_bcf_put_type(to, n, GT_BCF_CHAR);
    memcpy(to, text, n);
    return to + n;
}

/* Reserves n more bytes; grows by half, so that appending takes linear time. */
static inline int gt_bcf_reserve(struct gt_buf *bytes, size_t n, struct gt_err *err)
{
    const size_t room = bytes->len + n;

    return bytes->cap < room ? gt_buf_reserve(bytes, room + room / 2, err) : 0;
}

#endif
