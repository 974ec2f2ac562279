/* zarr.json of an array */
#include "arrays/zarr/fill.h"
#include "arrays/zarr/meta.h"

#include <stdio.h>
#include <string.h>

static const char *const KNOWN[] = {"zarr_format",          "node_type",  "shape",  "data_type",  "chunk_grid",
                                    "chunk_key_encoding",   "fill_value", "codecs", "attributes", "dimension_names",
                                    "storage_transformers", NULL};

/* The name of an extension point: a bare string, or an object with "name". */
static const char *extension_name(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : gt_json_text(value, "name");
}

/* numpy.datetime64 and numpy.timedelta64: a unit, and how many of it. */
static int parse_time(struct gt_array *array, const char *name, struct json_object *config, struct gt_err *err)
{
    const char *unit = gt_json_text(config, "unit");
    char text[32];
    int64_t scale = 1;

    if (gt_json_get(config, "scale_factor") &&
        (!gt_json_i64(gt_json_get(config, "scale_factor"), &scale) || scale < 1 || scale > INT32_MAX))
        return gt_fail(err, GT_INPUT, "data type '%s' has no usable scale_factor", name);
    snprintf(text, sizeof text, scale > 1 ? "%2$lld%1$.16s" : "%1$.16s", unit ? unit : "generic", (long long)scale);
    if (!gt_dtype_is_unit(text))
        return gt_fail_unsupported(err, "data type '%s' in units of '%s' is not supported", name, text);
    array->dtype = gt_dtype_of(strcmp(name, "numpy.datetime64") == 0 ? GT_DATETIME : GT_TIMEDELTA);
    memcpy(array->dtype.unit, text, strlen(text) + 1);
    return GT_OK;
}

/* Plain types by name; texts of fixed length and times have a configuration. */
static int parse_dtype(struct gt_array *array, struct json_object *value, struct gt_err *err)
{
    const char *name = extension_name(value);
    int64_t bytes;
    bool ucs4;

    if (!name)
        return gt_fail(err, GT_INPUT, "data_type is missing");
    if (strcmp(name, "numpy.datetime64") == 0 || strcmp(name, "numpy.timedelta64") == 0)
        return parse_time(array, name, gt_json_get(value, "configuration"), err);
    ucs4 = strcmp(name, "fixed_length_utf32") == 0;
    if (!ucs4 && strcmp(name, "null_terminated_bytes") != 0)
        return gt_dtype_parse_v3(&array->dtype, name, err);
    if (!gt_json_i64(gt_json_get(gt_json_get(value, "configuration"), "length_bytes"), &bytes) || bytes <= 0 || bytes > 65536 ||
        (ucs4 && bytes % 4 != 0))
        return gt_fail(err, GT_INPUT, "data type '%s' has no usable length_bytes", name);
    array->dtype = (struct gt_dtype){.type = ucs4 ? GT_UCS4 : GT_BYTES, .size = (size_t)bytes};
    return GT_OK;
}

static int parse_grid(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    struct json_object *grid = gt_json_get(meta, "chunk_grid");
    const char *name = extension_name(grid);

    if (!name)
        return gt_fail(err, GT_INPUT, "chunk_grid is missing or has no name");
    if (strcmp(name, "regular") != 0)
        return gt_fail_unsupported(err, "chunk grid '%.64s' is not supported", name);
    return gt_meta_shape(array, gt_json_get(meta, "shape"), gt_json_get(gt_json_get(grid, "configuration"), "chunk_shape"), err);
}

static int parse_keys(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    struct json_object *encoding = gt_json_get(meta, "chunk_key_encoding");
    struct json_object *config = gt_json_get(encoding, "configuration");
    const char *name = extension_name(encoding), *separator = gt_json_text(config, "separator");

    if (!name)
        return gt_fail(err, GT_INPUT, "chunk_key_encoding is missing or has no name");
    if (strcmp(name, "default") != 0 && strcmp(name, "v2") != 0)
        return gt_fail_unsupported(err, "chunk key encoding '%.64s' is not supported", name);
    array->v2_keys = strcmp(name, "v2") == 0;
    if (gt_json_get(config, "separator") && (!separator || (strcmp(separator, ".") != 0 && strcmp(separator, "/") != 0)))
        return gt_fail(err, GT_INPUT, "the separator of chunk keys is neither \".\" nor \"/\"");
    array->separator = separator ? *separator : array->v2_keys ? '.' : '/';
    return GT_OK;
}

static int parse_codecs(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    struct gt_codec_array info = gt_meta_codec_array(array);

    if (!gt_json_get(meta, "codecs"))
        return gt_fail(err, GT_INPUT, "codecs is missing");
    return gt_codec_parse_v3(&array->codecs, gt_json_get(meta, "codecs"), &info, err);
}

static int check_document(struct json_object *meta, struct gt_err *err)
{
    struct json_object *transformers = gt_json_get(meta, "storage_transformers");
    const char *node = gt_json_text(meta, "node_type");
    int status = gt_meta_check_format(meta, 3, err);

    if (status)
        return status;
    if (!node)
        return gt_fail(err, GT_INPUT, "node_type is missing");
    if (strcmp(node, "array") != 0)
        return gt_fail_unsupported(err, "a node of type '%.64s' is not supported", node);
    if (transformers && !(json_object_is_type(transformers, json_type_array) && json_object_array_length(transformers) == 0))
        return gt_fail_unsupported(err, "storage transformers are not supported");
    return gt_meta_check_keys(meta, KNOWN, err);
}

int gt_meta_parse_v3(struct gt_array *array, struct json_object *meta, struct gt_err *err)
{
    int status = check_document(meta, err);

    if (!status)
        status = parse_dtype(array, gt_json_get(meta, "data_type"), err);
    if (!status)
        status = parse_grid(array, meta, err);
    if (!status)
        status = gt_meta_chunk_size(array, err);
    if (!status)
        status = parse_keys(array, meta, err);
    if (!status)
        status = gt_fill_parse(array, gt_json_get(meta, "fill_value"), err);
    if (!status)
        status = parse_codecs(array, meta, err);
    if (!status)
        status = gt_meta_dim_names(array, gt_json_get(meta, "dimension_names"), err);
    return status;
}
