/* Typed values of BCF 2.2, read with all lengths checked, and written. */
#ifndef GT_GENO_BCF_VALUE_H
#define GT_GENO_BCF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/budget.h"
#include "core/base/le.h"

enum { GT_BCF_NULL = 0, GT_BCF_INT8 = 1, GT_BCF_INT16 = 2, GT_BCF_INT32 = 3, GT_BCF_FLOAT = 5, GT_BCF_CHAR = 7 };

struct gt_bcf_value {
    int type;
    int64_t n;
    size_t size; /* of one value */
    const uint8_t *data;
};

/* Bytes of a value; -1: there is no such type. */
static inline int gt_bcf_size(int type)
{
    switch (type) {
    case GT_BCF_NULL:
        return 0;
    case GT_BCF_INT8:
    case GT_BCF_CHAR:
        return 1;
    case GT_BCF_INT16:
        return 2;
    case GT_BCF_INT32:
    case GT_BCF_FLOAT:
        return 4;
    default:
        return -1;
    }
}

/* --- reading --- */

/* Reads a type descriptor at *p: type and number of values; false if it is invalid. */
static inline bool gt_bcf_descriptor(const uint8_t **p, const uint8_t *end, struct gt_bcf_value *t)
{
    if (*p >= end)
        return false;
    t->type = **p & 15;
    t->n = *(*p)++ >> 4;
    const int bytes = gt_bcf_size(t->type);
    t->size = (size_t)bytes;
    if (bytes < 0)
        return false;
    if (t->n < 15)
        return true;
    /* the number follows, as one typed integer */
    if (*p >= end || **p >> 4 != 1)
        return false;
    int type = *(*p)++ & 15;
    const int size = type >= GT_BCF_INT8 && type <= GT_BCF_INT32 ? gt_bcf_size(type) : -1;
    if (size < 0 || end - *p < size)
        return false;
    t->n = size == 1 ? (int8_t) * *p : size == 2 ? (int16_t)gt_le16(*p) : (int32_t)gt_le32(*p);
    *p += size;
    return t->n >= 0;
}

/* Reads a typed value; *p moves to its end. */
static inline bool gt_bcf_value(const uint8_t **p, const uint8_t *end, struct gt_bcf_value *t)
{
    if (!gt_bcf_descriptor(p, end, t) || (uint64_t)t->n * t->size > (uint64_t)(end - *p))
        return false;
    t->data = *p;
    *p += (size_t)t->n * t->size;
    return true;
}

static inline bool gt_bcf_is_int(const struct gt_bcf_value *t)
{
    return t->type >= GT_BCF_INT8 && t->type <= GT_BCF_INT32;
}

static inline int32_t gt_bcf_int(const struct gt_bcf_value *t, int64_t i)
{
    const uint8_t *p = t->data + (size_t)i * t->size;
    return t->size == 1 ? (int8_t)*p : t->size == 2 ? (int16_t)gt_le16(p) : (int32_t)gt_le32(p);
}

/* The smallest value of a type is "missing", the next one "end of vector". */
static inline int32_t gt_bcf_missing(const struct gt_bcf_value *t)
{
    return t->size == 1 ? INT8_MIN : t->size == 2 ? INT16_MIN : INT32_MIN;
}

/* --- writing --- */

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
