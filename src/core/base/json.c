#include "config.h"

#include "core/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"

/* json-c gives no object for the document "null", and for want of memory. */
static bool is_null(const char *text, size_t len)
{
    for (; len > 0 && memchr(" \t\r\n", *text, 4); len--)
        text++;
    return len >= 4 && memcmp(text, "null", 4) == 0;
}

/* What json-c takes for a text, at the most: tables of 16 members and lists of 32 items
 * are made for the empty ones too, and tables are doubled when two thirds full. */
static size_t tree_bytes(const char *text, size_t len)
{
    size_t bytes = 2 * len;
    for (size_t i = 0; i < len; i++)
        bytes += text[i] == '{' ? 1024 : text[i] == '[' ? 448 : text[i] == ':' ? 192 : text[i] == ',' ? 96 : 0;
    return bytes;
}

/* --- integers beyond 64 bits, which json-c clamps: with an exponent they are reals for it, of which it keeps the text --- */

#define EXPONENT "e000" /* nobody writes it otherwise */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the number at text, of which there are n.  *large: it is an integer that is clamped. */
static size_t number_len(const char *text, size_t n, bool *large)
{
    const size_t sign = *text == '-';
    const char *const most = sign ? "9223372036854775808" : "18446744073709551615";
    size_t len = sign;
    while (len < n && is_digit(text[len]))
        len++;
    const size_t digits = len - sign, limit = strlen(most);
    *large = digits > limit || (digits == limit && memcmp(text + sign, most, digits) > 0);
    *large = *large && text[sign] != '0' && !(len < n && strchr(".eE", text[len]));
    while (len < n && text[len] && (is_digit(text[len]) || strchr("+-.eE", text[len])))
        len++;
    return len;
}

/* Of the string at text, with its quotes. */
static size_t string_len(const char *text, size_t n)
{
    size_t len = 1;
    while (len < n && text[len] != '"')
        len += text[len] == '\\' ? 2 : 1;
    return len < n ? len + 1 : n;
}

/* The end of the next such integer after `at`; 0: there is none. */
static size_t next_large(const char *text, size_t len, size_t at)
{
    bool large = false;
    while (at < len && !large) {
        if (text[at] == '"')
            at += string_len(text + at, len - at);
        else if (text[at] == '-' || is_digit(text[at]))
            at += number_len(text + at, len - at, &large);
        else
            at++;
    }
    return large ? at : 0;
}

static int add_exponents(struct gt_buf *to, const char *text, size_t len, struct gt_err *err)
{
    size_t at = 0;
    int status = GT_OK;
    for (size_t end; !status && (end = next_large(text, len, at)) > 0; at = end) {
        status = gt_buf_append(to, text + at, end - at, err);
        status = status ? status : gt_buf_append(to, EXPONENT, strlen(EXPONENT), err);
    }
    return status ? status : gt_buf_append(to, text + at, len - at, err);
}

/* Off the texts that json-c keeps. */
static void drop_exponents(struct json_object *value)
{
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member)
        {
            (void)key;
            drop_exponents(member);
        }
    }
    for (size_t i = 0; json_object_is_type(value, json_type_array) && i < json_object_array_length(value); i++)
        drop_exponents(json_object_array_get_idx(value, i));
    char *text = json_object_is_type(value, json_type_double) ? json_object_get_userdata(value) : NULL;
    char *end = text ? text + strspn(text, "-0123456789") : NULL;
    if (end && strcmp(end, EXPONENT) == 0)
        *end = 0;
}

/* --- parsing --- */

struct counted {
    struct gt_budget *budget;
    size_t bytes;
};

static void give_back(struct json_object *obj, void *data)
{
    struct counted *counted = data;
    (void)obj;
    gt_budget_give(counted->budget, counted->bytes);
    free(counted);
}

/* The tree's bytes go with its root; a scalar has none to speak of. */
static int count_tree(struct json_object *obj, struct gt_budget *budget, size_t bytes, struct gt_err *err)
{
    struct counted *counted;
    if (!budget || !obj || !(json_object_is_type(obj, json_type_object) || json_object_is_type(obj, json_type_array))) {
        if (budget)
            gt_budget_give(budget, bytes);
        return GT_OK;
    }
    counted = gt_alloc(1, sizeof *counted, err);
    if (!counted) {
        gt_budget_give(budget, bytes);
        return GT_FAIL;
    }
    *counted = (struct counted){budget, bytes};
    json_object_set_userdata(obj, counted, give_back);
    return GT_OK;
}

/* *out is NULL for null, and when it fails. */
static int parse_text(struct json_object **out, struct json_tokener *tok, const char *text, size_t len, const char *name,
                      struct gt_err *err)
{
    enum json_tokener_error fault;
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
    struct json_object *obj = json_tokener_parse_ex(tok, text, (int)len);
    /* A bare number at the end of the text is only complete once its end was seen. */
    if (!obj && json_tokener_get_error(tok) == json_tokener_continue)
        obj = json_tokener_parse_ex(tok, "", 1);
    fault = json_tokener_get_error(tok);
    if (fault == json_tokener_success && (obj || is_null(text, len))) {
        *out = obj;
        return GT_OK;
    }
    json_object_put(obj);
    if (fault == json_tokener_success)
        return gt_no_memory(err);
    return gt_fail(err, GT_INPUT, "'%s': metadata is not valid JSON (%s at byte %zu)", name,
                   len == 0 ? "empty" : json_tokener_error_desc(fault), json_tokener_get_parse_end(tok));
}

/* The same, and integers keep their digits. */
static int parse_exactly(struct json_object **out, struct json_tokener *tok, const char *text, size_t len, const char *name,
                         struct gt_budget *budget, struct gt_err *err)
{
    struct gt_buf with = {.budget = budget};
    if (!next_large(text, len, 0))
        return parse_text(out, tok, text, len, name, err);
    int status = add_exponents(&with, text, len, err);
    status = status ? status : parse_text(out, tok, (const char *)with.data, with.len, name, err);
    gt_buf_release(&with);
    drop_exponents(*out);
    return status;
}

int gt_json_parse(struct json_object **out, const char *text, size_t len, const char *name, struct gt_budget *budget, struct gt_err *err)
{
    size_t bytes = budget ? tree_bytes(text, len) : 0;
    int status = GT_OK;

    *out = NULL;
    if (len > GT_META_MAX)
        return gt_fail(err, GT_INPUT, "'%s': metadata of %zu bytes is too large", name, len);
    if (budget && (status = gt_budget_take(budget, bytes, err)) != GT_OK) {
        gt_fail_prefix(err, "'%s'", name);
        return status;
    }
    struct json_tokener *tok = json_tokener_new_ex(GT_META_DEPTH);
    status = tok ? parse_exactly(out, tok, text, len, name, budget, err) : gt_no_memory(err);
    if (tok)
        json_tokener_free(tok);
    if (count_tree(*out, budget, bytes, err)) {
        json_object_put(*out);
        *out = NULL;
        return GT_FAIL;
    }
    return status;
}

struct json_object *gt_json_get(struct json_object *obj, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_is_type(obj, json_type_object) || !json_object_object_get_ex(obj, key, &value))
        return NULL;
    return value;
}

const char *gt_json_text(struct json_object *obj, const char *key)
{
    struct json_object *value = gt_json_get(obj, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

bool gt_json_i64(struct json_object *value, int64_t *out)
{
    if (json_object_is_type(value, json_type_int)) {
        *out = json_object_get_int64(value);
        return *out != INT64_MAX && *out != INT64_MIN; /* json-c saturates */
    }
    if (json_object_is_type(value, json_type_double)) {
        double d = json_object_get_double(value);
        if (!(fabs(d) < 0x1p53) || d != floor(d))
            return false;
        *out = (int64_t)d;
        return true;
    }
    return false;
}

bool gt_json_set(struct json_object *object, const char *key, struct json_object *value)
{
    if (object && value && json_object_object_add(object, key, value) == 0)
        return true;
    json_object_put(value);
    return false;
}

bool gt_json_set_int(struct json_object *object, const char *key, int64_t n)
{
    return gt_json_set(object, key, json_object_new_int64(n));
}

bool gt_json_set_real(struct json_object *object, const char *key, double x)
{
    return gt_json_set(object, key, json_object_new_double(x));
}

bool gt_json_set_text(struct json_object *object, const char *key, const char *text)
{
    return gt_json_set(object, key, json_object_new_string(text));
}

bool gt_json_set_shared(struct json_object *object, const char *key, struct json_object *value)
{
    if (value)
        return gt_json_set(object, key, json_object_get(value));
    return object && json_object_object_add(object, key, NULL) == 0;
}

bool gt_json_add(struct json_object *array, struct json_object *value)
{
    if (array && value && json_object_array_add(array, value) == 0)
        return true;
    json_object_put(value);
    return false;
}

bool gt_json_add_shared(struct json_object *array, struct json_object *value)
{
    if (value)
        return gt_json_add(array, json_object_get(value));
    return array && json_object_array_add(array, NULL) == 0;
}

struct json_object *gt_json_if_complete(struct json_object *doc, bool whole)
{
    if (whole)
        return doc;
    json_object_put(doc);
    return NULL;
}

enum { NUMBER_LEN = 32, LIST_NUMBERS = 8 };

/* The digits of n, at least one, and its sign, before `end`; where they begin. */
static char *put_int(char *end, int64_t n)
{
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do
        *--end = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        *--end = '-';
    return end;
}

/* The same of microseconds, in seconds. */
static char *put_us(char *end, int64_t us)
{
    const uint64_t all = us < 0 ? -(uint64_t)us : (uint64_t)us;
    uint64_t part = all % 1000000;
    if (part) {
        int decimals = 6;
        for (; part % 10 == 0; part /= 10)
            decimals--;
        for (; decimals; part /= 10, decimals--)
            *--end = (char)('0' + part % 10);
        *--end = '.';
    }
    end = put_int(end, (int64_t)(all / 1000000));
    if (us < 0)
        *--end = '-';
    return end;
}

struct json_object *gt_json_seconds(double seconds)
{
    char text[NUMBER_LEN], *end = text + sizeof text - 1;
    *end = '\0';
    return json_object_new_double_s(seconds, put_us(end, llround(seconds * 1e6)));
}

void gt_json_print_numbers(struct gt_str *out, const int64_t *number, int n, unsigned in_ns)
{
    char text[LIST_NUMBERS * NUMBER_LEN + 4], *end = text + sizeof text, *at = end;
    *--at = ',';
    *--at = ']';
    for (int i = n - 1; i >= 0; i--) {
        if (in_ns >> i & 1)
            at = put_us(at, (number[i] + (number[i] < 0 ? -500 : 500)) / 1000);
        else
            at = put_int(at, number[i]);
        if (i)
            *--at = ',';
    }
    *--at = '[';
    gt_str_addn(out, at, (size_t)(end - at));
}

struct json_object *gt_json_printed(struct gt_str *text)
{
    /* json-c prints a number with its own text, whatever that is */
    struct json_object *value = text->len ? json_object_new_double_s(0, text->s) : NULL;
    gt_str_release(text);
    return value;
}

struct json_object *gt_json_sizes(const int64_t *sizes, int n)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (int i = 0; ok && i < n; i++)
        ok = gt_json_add(list, json_object_new_int64(sizes[i]));
    return gt_json_if_complete(list, ok);
}

/* --- printing: json-c's own drops what it has no memory for, and says nothing --- */

/* An ASCII character that may not stand for itself in a string. */
static void print_special(struct gt_str *out, unsigned char c)
{
    static const char special[] = "\b\n\r\t\f\"\\", letter[] = "bnrtf\"\\";
    const char *found = c ? strchr(special, c) : NULL;
    if (found)
        gt_str_addf(out, "\\%c", letter[found - special]);
    else
        gt_str_addf(out, "\\u%04x", (unsigned)c);
}

/* Any other character, by its number, as zarr-python does, whose older releases take metadata for ASCII.  Returns its bytes; a byte that is
 * no character is printed as one that stands for it. */
static size_t print_number(struct gt_str *out, const char *text, size_t n)
{
    enum { REPLACEMENT = 0xfffd };
    const size_t len = gt_utf8_length(text, n);
    unsigned number = len ? (unsigned char)*text & (0x7fu >> len) : REPLACEMENT;
    for (size_t i = 1; i < len; i++)
        number = number << 6 | ((unsigned char)text[i] & 0x3f);
    if (number >= 0x10000)
        gt_str_addf(out, "\\u%04x\\u%04x", 0xd800 + ((number - 0x10000) >> 10), 0xdc00 + ((number - 0x10000) & 0x3ff));
    else
        gt_str_addf(out, "\\u%04x", number);
    return len ? len : 1;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

void gt_json_print_text(struct gt_str *out, const char *text, size_t n)
{
    gt_str_add(out, "\"");
    for (size_t i = 0, plain; i < n;) {
        for (plain = i; plain < n && is_plain((unsigned char)text[plain]); plain++)
            ;
        gt_str_addn(out, text + i, plain - i);
        i = plain;
        if (i < n && (unsigned char)text[i] >= 0x80) {
            i += print_number(out, text + i, n - i);
        } else if (i < n) {
            print_special(out, (unsigned char)text[i++]);
        }
    }
    gt_str_add(out, "\"");
}

static void new_line(struct gt_str *out, bool in_lines, int level)
{
    if (in_lines)
        gt_str_addf(out, "\n%*s", 2 * level, "");
    else
        gt_str_add(out, " ");
}

static void print_value(struct gt_str *out, struct json_object *value, bool in_lines, int level);

static void print_object(struct gt_str *out, struct json_object *object, bool in_lines, int level)
{
    bool any = false;
    gt_str_add(out, "{");
    json_object_object_foreach(object, key, value)
    {
        gt_str_add(out, any ? "," : "");
        any = true;
        new_line(out, in_lines, level + 1);
        gt_json_print_text(out, key, strlen(key));
        gt_str_add(out, ": ");
        print_value(out, value, in_lines, level + 1);
    }
    if (any || !in_lines)
        new_line(out, in_lines, level);
    gt_str_add(out, "}");
}

static void print_array(struct gt_str *out, struct json_object *array, bool in_lines, int level)
{
    size_t n = json_object_array_length(array);
    gt_str_add(out, "[");
    for (size_t i = 0; i < n; i++) {
        gt_str_add(out, i ? "," : "");
        new_line(out, in_lines, level + 1);
        print_value(out, json_object_array_get_idx(array, i), in_lines, level + 1);
    }
    if (n || !in_lines)
        new_line(out, in_lines, level);
    gt_str_add(out, "]");
}

static void print_value(struct gt_str *out, struct json_object *value, bool in_lines, int level)
{
    const char *scalar;
    switch (json_object_get_type(value)) {
    case json_type_null:
        gt_str_add(out, "null");
        break;
    case json_type_object:
        print_object(out, value, in_lines, level);
        break;
    case json_type_array:
        print_array(out, value, in_lines, level);
        break;
    case json_type_string:
        gt_json_print_text(out, json_object_get_string(value), (size_t)json_object_get_string_len(value));
        break;
    default: /* a number with its own text; or short enough for the room that json-c begins with, or NULL */
        scalar = json_object_is_type(value, json_type_double) ? json_object_get_userdata(value) : NULL;
        scalar = scalar ? scalar : json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
        gt_str_add(out, scalar ? scalar : "");
        if (!scalar)
            gt_str_fail(out);
    }
}

void gt_json_print(struct gt_str *out, struct json_object *obj, bool in_lines)
{
    print_value(out, obj, in_lines, 0);
}
