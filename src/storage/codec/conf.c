#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "storage/codec/step.h"

/* 4, 4.0 or, as netCDF writes it, "4". */
static bool whole_number(struct json_object *member, int64_t *n)
{
    if (!json_object_is_type(member, json_type_string))
        return gt_json_i64(member, n);
    const char *text = json_object_get_string(member);
    const char *digits = text + (*text == '-');
    char *end;
    errno = 0;
    *n = strtoll(text, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && !errno;
}

int gt_conf_int(struct json_object *conf, const char *key, int low, int high, int *value, struct gt_err *err)
{
    struct json_object *member;
    int64_t n;
    if (!conf || !json_object_object_get_ex(conf, key, &member) || !member)
        return 0;
    if (!whole_number(member, &n))
        return gt_fail(err, GT_INPUT, "'%s' is not an integer", key);
    if (n < low || n > high)
        return gt_fail(err, GT_INPUT, "'%s' is %lld; it must be from %d to %d", key, (long long)n, low, high);
    *value = (int)n;
    return 0;
}

int gt_conf_real(struct json_object *conf, const char *key, double *value, struct gt_err *err)
{
    struct json_object *member = NULL;
    if (conf)
        json_object_object_get_ex(conf, key, &member);
    if (!json_object_is_type(member, json_type_int) && !json_object_is_type(member, json_type_double))
        return gt_fail(err, GT_INPUT, "'%s' is not a number", key);
    *value = json_object_get_double(member);
    return 0;
}

int gt_conf_bool(struct json_object *conf, const char *key, bool *value, struct gt_err *err)
{
    struct json_object *member;
    if (!conf || !json_object_object_get_ex(conf, key, &member))
        return 0;
    if (!json_object_is_type(member, json_type_boolean))
        return gt_fail(err, GT_INPUT, "'%s' is neither true nor false", key);
    *value = json_object_get_boolean(member);
    return 0;
}

int gt_conf_text(struct json_object *conf, const char *key, const char **value, struct gt_err *err)
{
    struct json_object *member;
    *value = NULL;
    if (!conf || !json_object_object_get_ex(conf, key, &member))
        return 0;
    if (!json_object_is_type(member, json_type_string))
        return gt_fail(err, GT_INPUT, "'%s' is not a string", key);
    *value = json_object_get_string(member);
    return 0;
}
