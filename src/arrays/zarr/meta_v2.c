/* .zarray */
#include "arrays/zarr/fill.h"
#include "arrays/zarr/meta.h"

#include <string.h>

static int parse_order(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    const char *order = gt_json_text(meta, "order");
    const char *separator = gt_json_text(meta, "dimension_separator");

    if (!order || (strcmp(order, "C") != 0 && strcmp(order, "F") != 0))
        return gt_fail(err, GT_INPUT, "order is neither \"C\" nor \"F\"");
    array->order_f = *order == 'F' && array->ndim > 1;
    if (gt_json_get(meta, "dimension_separator") && (!separator || (strcmp(separator, ".") != 0 && strcmp(separator, "/") != 0)))
        return gt_fail(err, GT_INPUT, "dimension_separator is neither \".\" nor \"/\"");
    array->separator = separator ? *separator : '.';
    array->v2_keys = true;
    return GT_OK;
}

/* The dtype of objects says nothing: of strings and of bytes it is the same. */
static bool has_vlen_bytes(struct json_object *filters)
{
    for (size_t i = 0; i < json_object_array_length(filters); i++) {
        const char *id = gt_json_text(json_object_array_get_idx(filters, i), "id");
        if (id && strcmp(id, "vlen-bytes") == 0)
            return true;
    }
    return false;
}

static bool is_of_netcdf(const struct gt_array *array, struct json_object *meta)
{
    static const char *const names[] = {"_nczarr_array", "_NCZARR_ARRAY", "_nczarr_attr", "_NCZARR_ATTR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (gt_json_get(meta, names[i]) || gt_json_get(array->attrs, names[i]))
            return true;
    return false;
}

static int parse_codecs(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    struct json_object *filters = gt_json_get(meta, "filters");
    struct gt_codec_array info = gt_meta_codec_array(array);

    if (filters && !json_object_is_type(filters, json_type_array))
        return gt_fail(err, GT_INPUT, "filters is not a list");
    if (filters && json_object_array_length(filters) == 0)
        filters = NULL;
    if (array->dtype.type == GT_STRING && !filters)
        return gt_fail_unsupported(err, "an array of objects without a filter such as vlen-utf8 is not supported");
    info.netcdf = is_of_netcdf(array, meta);
    array->dtype.binary = array->dtype.type == GT_STRING && has_vlen_bytes(filters);
    return gt_codec_parse_v2(&array->codecs, filters, gt_json_get(meta, "compressor"), &info, err);
}

int gt_meta_parse_v2(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    struct json_object *dtype = gt_json_get(meta, "dtype");
    int status = gt_meta_check_format(meta, 2, err);

    if (status)
        return status;
    if (json_object_is_type(dtype, json_type_array))
        return gt_fail_unsupported(err, "structured data type '%.200s' is not supported", json_object_to_json_string(dtype));
    if (!json_object_is_type(dtype, json_type_string))
        return gt_fail(err, GT_INPUT, "dtype is missing");
    status = gt_dtype_parse_v2(&array->dtype, json_object_get_string(dtype), err);
    if (!status)
        status = gt_meta_shape(array, gt_json_get(meta, "shape"), gt_json_get(meta, "chunks"), err);
    if (!status)
        status = gt_meta_chunk_size(array, err);
    if (!status)
        status = parse_order(array, meta, err);
    if (!status)
        status = gt_fill_parse(array, gt_json_get(meta, "fill_value"), err);
    if (!status)
        status = parse_codecs(array, meta, err);
    if (!status)
        status = gt_meta_dim_names(array, gt_json_get(array->attrs, "_ARRAY_DIMENSIONS"), err);
    return status;
}
