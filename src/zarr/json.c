#include "zarr/json.h"

#include <math.h>

int gt_json_parse(struct json_object **out, const char *text, size_t len, const char *name, struct gt_err *err)
{
    struct json_tokener *tok;
    struct json_object *obj;
    int status = GT_OK;

    *out = NULL;
    if (len > GT_META_MAX)
        return gt_fail(err, GT_INPUT, "'%s': metadata of %zu bytes is too large", name, len);
    tok = json_tokener_new_ex(GT_META_DEPTH);
    if (!tok)
        return gt_fail(err, GT_FAIL, "'%s': no memory to read metadata", name);
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
    obj = json_tokener_parse_ex(tok, text, (int)len);
    /* A bare number at the end of the text is only complete once its end was seen. */
    if (!obj && json_tokener_get_error(tok) == json_tokener_continue)
        obj = json_tokener_parse_ex(tok, "", 1);
    if (!obj || json_tokener_get_error(tok) != json_tokener_success) {
        status = gt_fail(err, GT_INPUT, "'%s': metadata is not valid JSON (%s at byte %zu)", name,
                         len == 0 ? "empty" : json_tokener_error_desc(json_tokener_get_error(tok)), json_tokener_get_parse_end(tok));
        json_object_put(obj);
        obj = NULL;
    }
    json_tokener_free(tok);
    *out = obj;
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

const char *gt_json_print(struct json_object *obj, size_t *len)
{
    return json_object_to_json_string_length(obj, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE, len);
}
