/* Data types of Zarr arrays, v2 and v3. */
#ifndef GT_CODEC_DTYPE_H
#define GT_CODEC_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

enum gt_type {
    GT_BOOL, GT_I8, GT_I16, GT_I32, GT_I64, GT_U8, GT_U16, GT_U32, GT_U64, GT_F16, GT_F32, GT_F64,
    GT_BYTES, /* S<n>: n bytes, NUL-padded */
    GT_UCS4,  /* <U<n>: n code points of 4 bytes */
    GT_STRING /* variable length, UTF-8 */
};

struct gt_dtype {
    enum gt_type type;
    size_t size;     /* bytes of an item, 0 for GT_STRING */
    bool big_endian; /* v2 only */
};

/* Texts: an item is no number. */
static inline bool gt_type_is_text(enum gt_type type)
{
    return type >= GT_BYTES;
}

/* "<i4", "|b1", "|S7", "<U13", ">f8"; "|O" is GT_STRING. */
int gt_dtype_parse_v2(struct gt_dtype *dtype, const char *text, struct gt_err *err);
/* "int32", "bool", "string", ... */
int gt_dtype_parse_v3(struct gt_dtype *dtype, const char *text, struct gt_err *err);
/* For new arrays; static or caller's buffer of 16. */
const char *gt_dtype_name_v2(const struct gt_dtype *dtype, char buf[16]);
const char *gt_dtype_name_v3(const struct gt_dtype *dtype, char buf[16]);
struct gt_dtype gt_dtype_of(enum gt_type type); /* fixed sizes and GT_STRING */

/* A whole number or bool of a decoded chunk, `size` bytes at p; a uint64 above
 * INT64_MAX comes out negative. */
static inline int64_t gt_dtype_whole(enum gt_type type, size_t size, const uint8_t *p)
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
