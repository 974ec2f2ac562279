#include "arrays/zarr/mask.h"

#include <math.h>
#include <string.h>

#include "arrays/zarr/fill.h"
#include "core/base/json.h"
#include "kernels/kernels.h"

enum { TEXT = 12 }; /* 8 bytes in base64, one '=' at the end */

static void encode_real(double value, char text[TEXT + 1])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t bytes[9] = {0};
    memcpy(bytes, &value, 8);
    for (int i = 0; i < TEXT; i++) {
        const int at = i / 4 * 3, shift = 18 - 6 * (i % 4);
        text[i] = digits[(bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2]) >> shift & 63];
    }
    text[TEXT - 1] = '=';
    text[TEXT] = 0;
}

static bool decode_real(const char *text, double *value)
{
    char bytes[TEXT];
    size_t n;
    if (strlen(text) != TEXT || !gt_fill_base64(text, TEXT, bytes, &n) || n != sizeof *value)
        return false;
    memcpy(value, bytes, sizeof *value);
    return true;
}

static bool parse(const struct gt_array *array, struct json_object *value, uint8_t item[8])
{
    struct gt_array probe = {.dtype = array->dtype, .zarr_format = array->zarr_format};
    double real;
    if (!value || array->dtype.type > GT_F64)
        return false;
    if (array->dtype.type >= GT_F16 && json_object_is_type(value, json_type_string) && decode_real(json_object_get_string(value), &real)) {
        gt_kernels()->cast(GT_NUMBER_F64, &real, (enum gt_number)array->dtype.type, item, 1);
        return true;
    }
    const bool is = gt_fill_parse(&probe, value, NULL) == GT_OK;
    memcpy(item, probe.fill, 8);
    json_object_put(probe.fill_json);
    return is;
}

bool gt_mask_fill(const struct gt_array *array, uint8_t item[8])
{
    if (array->zarr_format == 2 && !array->fill_null && array->dtype.type <= GT_F64) {
        memcpy(item, array->fill, 8);
        return true;
    }
    return parse(array, gt_json_get(array->attrs, "_FillValue"), item);
}

int gt_mask_all(const struct gt_array *array, uint8_t item[GT_MASKS][8])
{
    int n = gt_mask_fill(array, item[0]);
    return n + parse(array, gt_json_get(array->attrs, "missing_value"), item[n]);
}

static double real_of(enum gt_type type, const uint8_t *item)
{
    double real = 0;
    gt_kernels()->cast((enum gt_number)type, item, GT_NUMBER_F64, &real, 1);
    return real;
}

static struct json_object *whole_json(enum gt_type type, const uint8_t *item)
{
    int64_t whole = 0;
    uint64_t large;
    if (type == GT_U64) {
        memcpy(&large, item, 8);
        return json_object_new_uint64(large);
    }
    if (gt_type_is_time(type))
        memcpy(&whole, item, 8);
    else
        gt_kernels()->cast((enum gt_number)type, item, GT_NUMBER_I64, &whole, 1);
    return json_object_new_int64(whole);
}

struct json_object *gt_mask_fill_json(enum gt_type type, const uint8_t *item)
{
    const int64_t none = INT64_MIN;
    if (type == GT_BOOL)
        return json_object_new_boolean(item[0] != 0);
    if (gt_type_is_time(type) && memcmp(item, &none, 8) == 0)
        return json_object_new_string("NaT");
    if (type < GT_F16 || gt_type_is_time(type))
        return whole_json(type, item);
    const double real = real_of(type, item);
    if (isnan(real))
        return json_object_new_string("NaN");
    if (isinf(real))
        return json_object_new_string(real > 0 ? "Infinity" : "-Infinity");
    return json_object_new_double(real);
}

struct json_object *gt_mask_attr_json(enum gt_type type, const uint8_t *item)
{
    char text[TEXT + 1];
    if (type < GT_F16)
        return gt_mask_fill_json(type, item);
    encode_real(real_of(type, item), text);
    return json_object_new_string(text);
}
