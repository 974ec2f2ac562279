#include "codec/dtype.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX_ITEM 65536 /* bytes of one S or U item */

static const struct {
    enum gt_type type;
    unsigned char size;
    const char *v2, *v3; /* v2 without the byte order */
} TYPES[] = {
    {GT_BOOL, 1, "b1", "bool"},    {GT_I8, 1, "i1", "int8"},     {GT_I16, 2, "i2", "int16"},   {GT_I32, 4, "i4", "int32"},
    {GT_I64, 8, "i8", "int64"},    {GT_U8, 1, "u1", "uint8"},    {GT_U16, 2, "u2", "uint16"},  {GT_U32, 4, "u4", "uint32"},
    {GT_U64, 8, "u8", "uint64"},   {GT_F16, 2, "f2", "float16"}, {GT_F32, 4, "f4", "float32"}, {GT_F64, 8, "f8", "float64"},
    {GT_STRING, 0, "O", "string"},
};
#define N_TYPES (sizeof TYPES / sizeof TYPES[0])

static int unsupported(struct gt_err *err, const char *text)
{
    return gt_fail_unsupported(err, "data type '%.64s' is not supported", text);
}

/* The n of S<n> and U<n>: 1 to 65536 bytes an item. */
static bool parse_length(const char *text, size_t width, size_t *size)
{
    size_t n = 0;

    if (!*text)
        return false;
    for (; *text >= '0' && *text <= '9' && n <= MAX_ITEM; text++)
        n = 10 * n + (size_t)(*text - '0');
    if (*text || n == 0 || n * width > MAX_ITEM)
        return false;
    *size = n * width;
    return true;
}

int gt_dtype_parse_v2(struct gt_dtype *dtype, const char *text, struct gt_err *err)
{
    const char *t = text;
    bool swap = false;

    memset(dtype, 0, sizeof *dtype);
    if (*t && strchr("<>|=", *t))
        swap = *t++ == '>';
    for (size_t i = 0; i < N_TYPES; i++) {
        if (strcmp(t, TYPES[i].v2) == 0) {
            *dtype = (struct gt_dtype){TYPES[i].type, TYPES[i].size, swap && TYPES[i].size > 1};
            return GT_OK;
        }
    }
    if (*t == 'S' && parse_length(t + 1, 1, &dtype->size)) {
        dtype->type = GT_BYTES;
        return GT_OK;
    }
    if (*t == 'U' && parse_length(t + 1, 4, &dtype->size)) {
        dtype->type = GT_UCS4;
        dtype->big_endian = swap;
        return GT_OK;
    }
    return unsupported(err, text);
}

int gt_dtype_parse_v3(struct gt_dtype *dtype, const char *text, struct gt_err *err)
{
    memset(dtype, 0, sizeof *dtype);
    for (size_t i = 0; i < N_TYPES; i++) {
        if (strcmp(text, TYPES[i].v3) == 0) {
            *dtype = gt_dtype_of(TYPES[i].type);
            return GT_OK;
        }
    }
    return unsupported(err, text);
}

static size_t type_index(enum gt_type type)
{
    size_t i = 0;
    while (i < N_TYPES - 1 && TYPES[i].type != type)
        i++;
    return i;
}

const char *gt_dtype_name_v2(const struct gt_dtype *dtype, char buf[16])
{
    char order = dtype->size <= 1 || dtype->type == GT_STRING ? '|' : dtype->big_endian ? '>' : '<';

    if (dtype->type == GT_BYTES)
        snprintf(buf, 16, "|S%u", (unsigned)dtype->size);
    else if (dtype->type == GT_UCS4)
        snprintf(buf, 16, "%cU%u", order, (unsigned)(dtype->size / 4));
    else
        snprintf(buf, 16, "%c%s", order, TYPES[type_index(dtype->type)].v2);
    return buf;
}

const char *gt_dtype_name_v3(const struct gt_dtype *dtype, char buf[16])
{
    if (dtype->type == GT_BYTES)
        snprintf(buf, 16, "bytes%u", (unsigned)dtype->size);
    else if (dtype->type == GT_UCS4)
        snprintf(buf, 16, "utf32[%u]", (unsigned)(dtype->size / 4));
    else
        snprintf(buf, 16, "%s", TYPES[type_index(dtype->type)].v3);
    return buf;
}

struct gt_dtype gt_dtype_of(enum gt_type type)
{
    size_t i = type_index(type);
    return (struct gt_dtype){TYPES[i].type, TYPES[i].size, false};
}
