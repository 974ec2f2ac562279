/* Data types of Zarr arrays, v2 and v3. */
#ifndef GT_CODEC_DTYPE_H
#define GT_CODEC_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/err.h"

enum gt_type {
    GT_BOOL,
    GT_I8,
    GT_I16,
    GT_I32,
    GT_I64,
    GT_U8,
    GT_U16,
    GT_U32,
    GT_U64,
    GT_F16,
    GT_F32,
    GT_F64,
    GT_C64,
    GT_C128, /* real part, then imaginary */
    GT_DATETIME,
    GT_TIMEDELTA, /* int64 in the unit of the type, INT64_MIN = not a time */
    GT_BYTES,     /* S<n>: n bytes, NUL-padded */
    GT_UCS4,      /* <U<n>: n code points of 4 bytes */
    GT_STRING     /* variable length, UTF-8; or any bytes, see gt_dtype.binary */
};

struct gt_dtype {
    enum gt_type type;
    size_t size;        /* bytes of an item, 0 for GT_STRING */
    bool big_endian;    /* v2 only */
    unsigned char bits; /* 2 or 4 where an item is that small (int2, uint4): in memory it is an int8 or uint8; else 0 */
    bool binary;        /* GT_STRING: of any bytes; is read, and not written */
    char unit[8];       /* of times: "ns", "25us", "" = generic */
};

/* Room for the name of a type. */
#define GT_DTYPE_NAME 32

/* Bytes of what big endian turns round in an item. */
static inline size_t gt_dtype_turned(const struct gt_dtype *dtype)
{
    switch (dtype->type) {
    case GT_BYTES:
        return 1;
    case GT_UCS4:
    case GT_C64:
        return 4;
    case GT_C128:
        return 8;
    default:
        return dtype->size;
    }
}

/* Texts: an item is no number. */
static inline bool gt_type_is_text(enum gt_type type)
{
    return type >= GT_BYTES;
}

static inline bool gt_type_is_time(enum gt_type type)
{
    return type == GT_DATETIME || type == GT_TIMEDELTA;
}

/* "<i4", "|b1", "|S7", "<U13", ">f8", "<M8[ns]"; "|O" is GT_STRING, of which the filter says whether it is binary. */
int gt_dtype_parse_v2(struct gt_dtype *dtype, const char *text, struct gt_err *err);
/* "int32", "bool", "uint2", "string", ...: the types without a configuration. */
int gt_dtype_parse_v3(struct gt_dtype *dtype, const char *text, struct gt_err *err);
/* Names for people and, but for texts and times in v3, for metadata; in the caller's buffer. */
const char *gt_dtype_name_v2(const struct gt_dtype *dtype, char buf[GT_DTYPE_NAME]);
const char *gt_dtype_name_v3(const struct gt_dtype *dtype, char buf[GT_DTYPE_NAME]);
/* "ns", "25us", "": may it be a unit of times? */
bool gt_dtype_is_unit(const char *text);
struct gt_dtype gt_dtype_of(enum gt_type type); /* fixed sizes and GT_STRING */

/* A whole number or bool of a decoded chunk, `size` bytes at p; a uint64 above
 * INT64_MAX comes out negative. */
static inline int64_t gt_dtype_load_int(enum gt_type type, size_t size, const uint8_t *p)
{
    bool is_signed = type >= GT_I8 && type <= GT_I64;
    uint16_t x16;
    uint32_t x32;
    uint64_t x64;
    switch (size) {
    case 1:
        return is_signed ? (int8_t)*p : *p;
    case 2:
        memcpy(&x16, p, 2);
        return is_signed ? (int16_t)x16 : x16;
    case 4:
        memcpy(&x32, p, 4);
        return is_signed ? (int32_t)x32 : (int64_t)x32;
    default:
        memcpy(&x64, p, 8);
        return (int64_t)x64;
    }
}

#endif
