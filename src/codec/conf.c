#include "config.h"

#include "codec/step.h"

int gt_conf_int(struct json_object *conf, const char *key, int low, int high, int *value, struct gt_err *err)
{
    struct json_object *member;
    if (!conf || !json_object_object_get_ex(conf, key, &member))
        return 0;
    if (!json_object_is_type(member, json_type_int))
        return gt_fail(err, GT_INPUT, "'%s' is not a whole number", key);
    int64_t n = json_object_get_int64(member);
    if (n < low || n > high)
        return gt_fail(err, GT_INPUT, "'%s' is %lld, outside %d to %d", key, (long long)n, low, high);
    *value = (int)n;
    return 0;
}

int gt_conf_real(struct json_object *conf, const char *key, double *value, struct gt_err *err)
{
    struct json_object *member = NULL;
    if (conf)
        json_object_object_get_ex(conf, key, &member);
    if (!json_object_is_type(member, json_type_int) && !json_object_is_type(member, json_type_double))
        return gt_fail(err, GT_INPUT, "'%s' is no number", key);
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
        return gt_fail(err, GT_INPUT, "'%s' is not a text", key);
    *value = json_object_get_string(member);
    return 0;
}
