/* Typed values of BCF2, with all lengths checked. */
#ifndef GT_GENO_BCF_VALUE_H
#define GT_GENO_BCF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/le.h"

enum { GT_BCF_NULL = 0, GT_BCF_INT8 = 1, GT_BCF_INT16 = 2, GT_BCF_INT32 = 3, GT_BCF_FLOAT = 5, GT_BCF_CHAR = 7 };

struct gt_bcf_value {
    int type;
    int64_t n;
    size_t size; /* of one value */
    const uint8_t *data;
};

static inline size_t gt_bcf_size_of(int type)
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
        return SIZE_MAX;
    }
}

/* Reads a type descriptor at *p: type and number of values; false if it is invalid. */
static inline bool gt_bcf_descriptor(const uint8_t **p, const uint8_t *end, struct gt_bcf_value *t)
{
    if (*p >= end)
        return false;
    t->type = **p & 15;
    t->n = *(*p)++ >> 4;
    t->size = gt_bcf_size_of(t->type);
    if (t->size == SIZE_MAX)
        return false;
    if (t->n < 15)
        return true;
    /* the number follows, as one typed integer */
    if (*p >= end || **p >> 4 != 1)
        return false;
    int type = *(*p)++ & 15;
    size_t size = type >= GT_BCF_INT8 && type <= GT_BCF_INT32 ? gt_bcf_size_of(type) : SIZE_MAX;
    if (size == SIZE_MAX || (size_t)(end - *p) < size)
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

#endif
