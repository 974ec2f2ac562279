#include "storage/codec/dtype.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX_ITEM 65536 /* bytes of one S or U item */

static const struct {
    enum gt_type type;
    unsigned char size, bits;
    const char *v2, *v3; /* v2 without the byte order, of times without the unit; NULL: it has none of that type */
} TYPES[] = {
    {GT_BOOL, 1, 0, "b1", "bool"},
    {GT_I8, 1, 0, "i1", "int8"},
    {GT_I16, 2, 0, "i2", "int16"},
    {GT_I32, 4, 0, "i4", "int32"},
    {GT_I64, 8, 0, "i8", "int64"},
    {GT_U8, 1, 0, "u1", "uint8"},
    {GT_U16, 2, 0, "u2", "uint16"},
    {GT_U32, 4, 0, "u4", "uint32"},
    {GT_U64, 8, 0, "u8", "uint64"},
    {GT_F16, 2, 0, "f2", "float16"},
    {GT_F32, 4, 0, "f4", "float32"},
    {GT_F64, 8, 0, "f8", "float64"},
    {GT_C64, 8, 0, "c8", "complex64"},
    {GT_C128, 16, 0, "c16", "complex128"},
    {GT_I8, 1, 2, NULL, "int2"},
    {GT_I8, 1, 4, NULL, "int4"},
    {GT_U8, 1, 2, NULL, "uint2"},
    {GT_U8, 1, 4, NULL, "uint4"},
    {GT_DATETIME, 8, 0, "M8", "datetime64"},
    {GT_TIMEDELTA, 8, 0, "m8", "timedelta64"},
    {GT_STRING, 0, 0, "O", "string"},
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

bool gt_dtype_is_unit(const char *text)
{
    static const char *const units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "\xce\xbcs", "ns", "ps", "fs", "as", "generic", ""};
    size_t digits = strspn(text, "0123456789"), i = 0;

    while (i < sizeof units / sizeof *units && strcmp(text + digits, units[i]) != 0)
        i++;
    return i < sizeof units / sizeof *units && strlen(text) < sizeof((struct gt_dtype *)0)->unit && (digits == 0 || text[digits]);
}

/* "[ns]" after the name of a time; none is generic. */
static bool parse_unit(struct gt_dtype *dtype, const char *text)
{
    size_t n = strlen(text);

    if (n == 0)
        return true;
    if (n < 2 || n - 2 >= sizeof dtype->unit || text[0] != '[' || text[n - 1] != ']')
        return false;
    memcpy(dtype->unit, text + 1, n - 2);
    return gt_dtype_is_unit(dtype->unit);
}

static struct gt_dtype entry(size_t i)
{
    return (struct gt_dtype){.type = TYPES[i].type, .size = TYPES[i].size, .bits = TYPES[i].bits};
}

int gt_dtype_parse_v2(struct gt_dtype *dtype, const char *text, struct gt_err *err)
{
    const char *t = text;
    bool swap = false;

    memset(dtype, 0, sizeof *dtype);
    if (*t && strchr("<>|=", *t))
        swap = *t++ == '>';
    for (size_t i = 0; i < N_TYPES; i++) {
        size_t n = TYPES[i].v2 ? strlen(TYPES[i].v2) : 0;
        if (n == 0 || strncmp(t, TYPES[i].v2, n) != 0 || (t[n] && !gt_type_is_time(TYPES[i].type)))
            continue;
        *dtype = entry(i);
        dtype->big_endian = swap && dtype->size > 1;
        return gt_type_is_time(dtype->type) && !parse_unit(dtype, t + n) ? unsupported(err, text) : GT_OK;
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
    for (size_t i = 0; i < N_TYPES; i++) { /* numpy takes such names, and TensorStore writes "int4" */
        if (strcmp(text, TYPES[i].v3) == 0 && TYPES[i].size > 0 && !gt_type_is_time(TYPES[i].type)) {
            *dtype = entry(i);
            return GT_OK;
        }
    }
    return unsupported(err, text);
}

int gt_dtype_parse_v3(struct gt_dtype *dtype, const char *text, struct gt_err *err)
{
    memset(dtype, 0, sizeof *dtype);
    if (strcmp(text, "variable_length_bytes") == 0 || strcmp(text, "bytes") == 0) {
        *dtype = (struct gt_dtype){.type = GT_STRING, .binary = true};
        return GT_OK;
    }
    for (size_t i = 0; i < N_TYPES; i++) {
        if (strcmp(text, TYPES[i].v3) == 0 && !gt_type_is_time(TYPES[i].type)) {
            *dtype = entry(i);
            return GT_OK;
        }
    }
    return unsupported(err, text);
}

static size_t type_index(enum gt_type type, int bits)
{
    size_t i = 0;
    while (i < N_TYPES - 1 && (TYPES[i].type != type || TYPES[i].bits != bits))
        i++;
    return i;
}

/* After the name of a time. */
static void add_unit(const struct gt_dtype *dtype, char buf[GT_DTYPE_NAME])
{
    size_t n = strlen(buf);

    if (gt_type_is_time(dtype->type) && *dtype->unit)
        snprintf(buf + n, GT_DTYPE_NAME - n, "[%.7s]", dtype->unit);
}

const char *gt_dtype_name_v2(const struct gt_dtype *dtype, char buf[GT_DTYPE_NAME])
{
    char order = dtype->size <= 1 || dtype->type == GT_STRING ? '|' : dtype->big_endian ? '>' : '<';

    if (dtype->type == GT_BYTES)
        snprintf(buf, GT_DTYPE_NAME, "|S%u", (unsigned)dtype->size);
    else if (dtype->type == GT_UCS4)
        snprintf(buf, GT_DTYPE_NAME, "%cU%u", order, (unsigned)(dtype->size / 4));
    else
        snprintf(buf, GT_DTYPE_NAME, "%c%s", order, TYPES[type_index(dtype->type, 0)].v2);
    add_unit(dtype, buf);
    return buf;
}

const char *gt_dtype_name_v3(const struct gt_dtype *dtype, char buf[GT_DTYPE_NAME])
{
    if (dtype->type == GT_BYTES)
        snprintf(buf, GT_DTYPE_NAME, "bytes%u", (unsigned)dtype->size);
    else if (dtype->type == GT_UCS4)
        snprintf(buf, GT_DTYPE_NAME, "utf32[%u]", (unsigned)(dtype->size / 4));
    else
        snprintf(buf, GT_DTYPE_NAME, "%s", dtype->binary ? "variable_length_bytes" : TYPES[type_index(dtype->type, dtype->bits)].v3);
    add_unit(dtype, buf);
    return buf;
}

struct gt_dtype gt_dtype_of(enum gt_type type)
{
    return entry(type_index(type, 0));
}
