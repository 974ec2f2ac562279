/* Real stores hold fill values in many forms in addition to the specified ones: numbers
 * as text, one-element lists, "" for byte strings, "+Infinity", integers beyond
 * 2^63.  All that have one reading are accepted, anything else is an error. */
#include "arrays/zarr/fill.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "kernels/half.h"

static bool text_to_real(const char *text, double *out)
{
    char *end;

    if (*text == '\0')
        return false;
    *out = strtod(text, &end); /* takes "NaN", "Infinity" and signs as well */
    return *end == '\0';
}

static bool real_of(struct json_object *value, double *out)
{
    if (json_object_is_type(value, json_type_string))
        return text_to_real(json_object_get_string(value), out);
    if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int) &&
        !json_object_is_type(value, json_type_boolean))
        return false;
    *out = json_object_get_double(value);
    return true;
}

/* A whole number as sign and magnitude, so that all of int64 and uint64 fit. */
static bool whole_of(struct json_object *value, bool *negative, uint64_t *magnitude)
{
    double d;

    if (json_object_is_type(value, json_type_int)) {
        int64_t i = json_object_get_int64(value);
        *negative = i < 0;
        *magnitude = i < 0 ? 0 - (uint64_t)i : json_object_get_uint64(value);
        return true;
    }
    if (json_object_is_type(value, json_type_string)) {
        const char *t = json_object_get_string(value), *digits = t + (*t == '-' || *t == '+');
        char *end;
        *negative = *t == '-';
        errno = 0;
        *magnitude = strtoull(digits, &end, 10);
        if (*digits >= '0' && *digits <= '9' && *end == '\0' && errno == 0)
            return true;
    }
    if (!real_of(value, &d) || !(fabs(d) < 0x1p53) || d != floor(d))
        return false;
    *negative = d < 0;
    *magnitude = (uint64_t)fabs(d);
    return true;
}

static bool integer_fill(struct gt_array *array, struct json_object *value)
{
    const struct gt_dtype *d = &array->dtype;
    size_t bits = d->bits ? d->bits : 8 * d->size;
    bool is_signed = (d->type >= GT_I8 && d->type <= GT_I64) || d->type >= GT_DATETIME, negative;
    uint64_t m, max = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));

    if (!whole_of(value, &negative, &m) || (negative && m > 0 && !is_signed) || m > max + (negative ? 1 : 0))
        return false;
    if (negative)
        m = 0 - m;
    memcpy(array->fill, &m, array->dtype.size);
    return true;
}

static bool is_hex(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) && strncmp(json_object_get_string(value), "0x", 2) == 0;
}

/* "0x7fc00000": the item's bits, most significant first. */
static bool hex_fill(uint8_t *to, size_t size, const char *text)
{
    char *end;
    uint64_t bits;

    if (strlen(text) != 2 + 2 * size || strspn(text + 2, "0123456789abcdefABCDEF") != 2 * size)
        return false;
    bits = strtoull(text + 2, &end, 16);
    memcpy(to, &bits, size);
    return true;
}

/* A number of 2, 4 or 8 bytes. */
static bool float_fill(uint8_t *to, size_t size, struct json_object *value)
{
    double d;

    if (is_hex(value))
        return hex_fill(to, size, json_object_get_string(value));
    if (!real_of(value, &d))
        return false;
    if (size == 8) {
        memcpy(to, &d, 8);
    } else if (size == 4) {
        float f = (float)d;
        memcpy(to, &f, 4);
    } else {
        uint16_t h = gt_half_bits(d);
        memcpy(to, &h, 2);
    }
    return true;
}

/* [real, imaginary], or the real part alone. */
static bool complex_fill(struct gt_array *array, struct json_object *value)
{
    bool pair = json_object_is_type(value, json_type_array);
    size_t half = array->dtype.size / 2;

    if (pair && json_object_array_length(value) != 2)
        return false;
    return float_fill(array->fill, half, pair ? json_object_array_get_idx(value, 0) : value) &&
           (!pair || float_fill(array->fill + half, half, json_object_array_get_idx(value, 1)));
}

static bool time_fill(struct gt_array *array, struct json_object *value)
{
    const int64_t none = INT64_MIN;

    if (!json_object_is_type(value, json_type_string) || strcmp(json_object_get_string(value), "NaT") != 0)
        return integer_fill(array, value);
    memcpy(array->fill, &none, sizeof none);
    return true;
}

static bool bool_fill(struct gt_array *array, struct json_object *value)
{
    double d;

    if (json_object_is_type(value, json_type_string) && strcasecmp(json_object_get_string(value), "true") == 0)
        d = 1;
    else if (json_object_is_type(value, json_type_string) && strcasecmp(json_object_get_string(value), "false") == 0)
        d = 0;
    else if (!real_of(value, &d))
        return false;
    array->fill[0] = d != 0.0;
    return true;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = c ? strchr(digits, c) : NULL;
    return p ? (int)(p - digits) : -1;
}

bool gt_fill_base64(const char *text, size_t len, char *out, size_t *n)
{
    size_t used = len;
    uint32_t acc = 0;

    *n = 0;
    if (len % 4 != 0)
        return false;
    while (used > 0 && len - used < 2 && text[used - 1] == '=')
        used--;
    for (size_t i = 0; i < used; i++) {
        int d = base64_digit(text[i]);
        if (d < 0)
            return false;
        acc = acc << 6 | (uint32_t)d;
        if (i % 4 != 0)
            out[(*n)++] = (char)(acc >> (6 - 2 * (i % 4)) & 0xFF);
    }
    return true;
}

/* S items: base64, as v2 says; what is none, or too long, is the text itself. */
static bool bytes_fill(struct gt_array *array, const char *text, size_t len, struct gt_err *err)
{
    char *out = gt_alloc(1, len + array->dtype.size + 1, err);
    size_t n;
    bool ok = true;
    if (!out)
        return false;

    if (!gt_fill_base64(text, len, out, &n) || n > array->dtype.size) {
        memset(out, 0, len + 1);
        ok = len <= array->dtype.size;
        if (ok)
            memcpy(out, text, len);
    }
    if (ok)
        array->fill_text = out;
    else
        free(out);
    return ok;
}

/* UTF-8 into one U item; what does not fit or is no UTF-8 ends it. */
static bool ucs4_fill(struct gt_array *array, const char *text, size_t len, struct gt_err *err)
{
    const unsigned char *t = (const unsigned char *)text, *end = t + len;
    char *item = array->fill_text = gt_alloc(1, array->dtype.size, err);

    for (size_t i = 0; item && i + 4 <= array->dtype.size && t < end; i += 4) {
        int more = *t < 0x80 ? 0 : *t < 0xE0 ? 1 : *t < 0xF0 ? 2 : 3;
        uint32_t c = more == 0 ? *t : *t & (0x3Fu >> more);
        t++;
        for (; more > 0 && t < end && (*t & 0xC0) == 0x80; more--)
            c = c << 6 | (*t++ & 0x3F);
        memcpy(item + i, &c, 4);
    }
    return item;
}

/* Strings as they are; bytes in v3 as base64. */
static bool string_fill(struct gt_array *array, const char *text, size_t len, struct gt_err *err)
{
    char *out = array->fill_text = gt_alloc(1, len + 1, err);
    if (!out)
        return false;
    if (!array->dtype.binary || array->zarr_format == 2)
        memcpy(out, text, len);
    else if (!gt_fill_base64(text, len, out, &len))
        return false;
    if (memchr(out, 0, len) == NULL)
        return true;
    gt_fail_unsupported(err, "a fill value with a NUL inside is not supported");
    return false;
}

static bool text_fill(struct gt_array *array, struct json_object *value, struct gt_err *err)
{
    double d;

    if (json_object_is_type(value, json_type_string)) {
        const char *text = json_object_get_string(value);
        size_t len = (size_t)json_object_get_string_len(value);
        enum gt_type type = array->dtype.type;
        return (type == GT_BYTES ? bytes_fill : type == GT_UCS4 ? ucs4_fill : string_fill)(array, text, len, err);
    }
    return real_of(value, &d) && d == 0.0; /* 0 and false stand for "" */
}

int gt_fill_parse(struct gt_array *array, struct json_object *value, struct gt_err *err)
{
    enum gt_type type = array->dtype.type;
    bool ok;

    array->fill_json = json_object_get(value);
    if (json_object_is_type(value, json_type_array) && json_object_array_length(value) == 1)
        value = json_object_array_get_idx(value, 0);
    array->fill_null = value == NULL;
    if (!value && gt_type_is_time(type)) { /* as zarr-python 3 reads it */
        const int64_t none = INT64_MIN;
        memcpy(array->fill, &none, sizeof none);
    }
    if (!value)
        return GT_OK;
    if (gt_type_is_text(type))
        ok = text_fill(array, value, err);
    else if (gt_type_is_time(type))
        ok = time_fill(array, value);
    else if (type == GT_C64 || type == GT_C128)
        ok = complex_fill(array, value);
    else if (type >= GT_F16)
        ok = float_fill(array->fill, array->dtype.size, value);
    else if (is_hex(value))
        ok = hex_fill(array->fill, array->dtype.size, json_object_get_string(value));
    else
        ok = type == GT_BOOL ? bool_fill(array, value) : integer_fill(array, value);
    if (!ok && err && err->status)
        return err->status;
    if (!ok)
        return gt_fail(err, GT_INPUT, "fill value %.64s does not fit the data type", json_object_to_json_string(value));
    return GT_OK;
}

static int string_chunk(const struct gt_array *array, size_t items, struct gt_buf *raw, struct gt_err *err)
{
    const char *text = array->fill_text ? array->fill_text : "";
    uint32_t n = (uint32_t)items, len = (uint32_t)strlen(text);
    size_t bytes;
    int status;

    if (items > UINT32_MAX || !gt_mul_size(items, 4 + (size_t)len, &bytes) || !gt_add_size(bytes, 4, &bytes))
        return gt_fail(err, GT_INPUT, "a chunk of %zu strings is too large", items);
    status = gt_buf_resize(raw, bytes, err);
    if (status)
        return status;
    memcpy(raw->data, &n, 4);
    for (size_t i = 0, at = 4; i < items; i++, at += 4 + len) {
        memcpy(raw->data + at, &len, 4);
        memcpy(raw->data + at + 4, text, len);
    }
    return GT_OK;
}

int gt_fill_chunk(const struct gt_array *array, size_t items, struct gt_buf *raw, struct gt_err *err)
{
    size_t size = array->dtype.size;
    const void *item = gt_type_is_text(array->dtype.type) ? array->fill_text : (const void *)array->fill;
    static const uint8_t zeros[16];
    int status;

    if (array->dtype.type == GT_STRING)
        return string_chunk(array, items, raw, err);
    status = gt_buf_resize(raw, items * size, err);
    if (status)
        return status;
    if (!item || (size <= sizeof zeros && memcmp(item, zeros, size) == 0)) {
        memset(raw->data, 0, raw->len);
    } else {
        const struct gt_nd all = {1, {{(int64_t)items, 0, 1}}};
        gt_nd_copy(&all, size, raw->data, item);
    }
    return GT_OK;
}

static struct json_object *complex_zero(void)
{
    struct json_object *pair = json_object_new_array();
    bool ok = gt_json_add(pair, json_object_new_double(0.0)) && gt_json_add(pair, json_object_new_double(0.0));
    return gt_json_if_complete(pair, ok);
}

struct json_object *gt_fill_zero_json(enum gt_type type)
{
    if (gt_type_is_text(type))
        return json_object_new_string("");
    if (type == GT_BOOL)
        return json_object_new_boolean(0);
    if (gt_type_is_time(type))
        return json_object_new_int(0);
    if (type == GT_C64 || type == GT_C128)
        return complex_zero();
    if (type >= GT_F16)
        return json_object_new_double(0.0);
    return json_object_new_int(0);
}
