/* New arrays: metadata, and whole small arrays. */
#include "arrays/zarr/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/fill.h"
#include "arrays/zarr/meta.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "core/engine/trace.h"

/* An object of a name and this configuration, which is taken over; ok: it is whole. */
static struct json_object *configured(const char *name, struct json_object *config, bool ok)
{
    struct json_object *obj = json_object_new_object();
    ok = ok && gt_json_set_text(obj, "name", name) && gt_json_set_shared(obj, "configuration", config);
    json_object_put(config);
    return gt_json_if_complete(obj, ok);
}

static struct json_object *named(const char *name, const char *key, struct json_object *value)
{
    struct json_object *config = json_object_new_object();
    bool ok = gt_json_set(config, key, value);
    return configured(name, config, ok);
}

/* Shards of chunks of this shape with these codecs; the index is at the end, as is the default. */
static struct json_object *shard_json(const int64_t *inner, int ndim, struct json_object *codecs)
{
    struct json_object *config = json_object_new_object(), *index = json_object_new_array(), *list = json_object_new_array(),
                       *crc = json_object_new_object();
    bool ok = gt_json_set_text(crc, "name", "crc32c") && gt_json_add(index, named("bytes", "endian", json_object_new_string("little"))) &&
              gt_json_add_shared(index, crc) && gt_json_set(config, "chunk_shape", gt_json_sizes(inner, ndim)) &&
              gt_json_set_shared(config, "codecs", codecs) && gt_json_set_shared(config, "index_codecs", index);
    json_object_put(index);
    json_object_put(crc);
    ok = gt_json_add(list, configured("sharding_indexed", config, ok));
    return gt_json_if_complete(list, ok);
}

static int shard_codecs(struct gt_array *array, const struct gt_array_spec *spec, struct gt_codec_array info, struct gt_err *err)
{
    struct json_object *codecs = NULL;
    info.n_items = 1;
    for (int i = 0; i < spec->ndim; i++) {
        info.chunk[i] = spec->inner[i];
        info.n_items *= (size_t)spec->inner[i];
    }
    int status = gt_codec_spec_v3(spec->codec, &info, &codecs, err);
    if (!status && !(array->codec_meta[0] = shard_json(spec->inner, spec->ndim, codecs)))
        status = gt_no_memory(err);
    json_object_put(codecs);
    return status;
}

static int make_codecs(struct gt_array *array, const struct gt_array_spec *spec, struct gt_err *err)
{
    struct gt_codec_array info = gt_meta_codec_array(array);
    int status;

    info.genotypes = spec->genotypes;
    if (spec->inner[0] && array->zarr_format != 3)
        return gt_fail(err, GT_USAGE, "Zarr %d has no shards", array->zarr_format);
    if (array->zarr_format == 3) {
        status = spec->inner[0] ? shard_codecs(array, spec, info, err) : gt_codec_spec_v3(spec->codec, &info, &array->codec_meta[0], err);
        if (!status)
            status = gt_codec_parse_v3(&array->codecs, array->codec_meta[0], &info, err);
    } else {
        status = gt_codec_spec_v2(spec->codec, &info, &array->codec_meta[0], &array->codec_meta[1], err);
        if (!status)
            status = gt_codec_parse_v2(&array->codecs, array->codec_meta[0], array->codec_meta[1], &info, err);
    }
    return status;
}

static bool copy_attrs(struct json_object *to, struct json_object *from)
{
    if (!to || !from)
        return to;
    json_object_object_foreach(from, key, value)
    {
        if (!gt_json_set_shared(to, key, value))
            return false;
    }
    return true;
}

int gt_array_new(struct gt_array **out, struct gt_store *store, const struct gt_array_spec *spec, int zarr_format, struct gt_err *err)
{
    struct gt_array *array = gt_alloc(1, sizeof *array, err);
    int status = GT_OK;

    *out = NULL;
    if (!array)
        return GT_FAIL;
    array->store = store;
    array->path = gt_strdup(spec->path, err);
    array->zarr_format = zarr_format;
    array->v2_keys = zarr_format == 2;
    array->separator = spec->separator ? spec->separator : zarr_format == 2 ? '.' : '/';
    array->dtype = gt_dtype_of(spec->type);
    if (spec->type == GT_BYTES || spec->type == GT_UCS4)
        array->dtype = (struct gt_dtype){.type = spec->type, .size = spec->item_size};
    if (gt_type_is_time(spec->type) && spec->unit)
        snprintf(array->dtype.unit, sizeof array->dtype.unit, "%s", spec->unit);
    array->attrs = json_object_new_object();
    if (!array->path || !copy_attrs(array->attrs, spec->attrs))
        status = gt_no_memory(err);
    else if (spec->fill)
        status = gt_fill_parse(array, spec->fill, err);
    else
        array->fill_null = zarr_format == 2 && !spec->fill_zero;
    for (int i = 0; i < spec->ndim; i++) {
        array->shape[i] = spec->shape[i];
        array->chunk[i] = spec->chunk[i];
        if (spec->shape[i] < 0 || spec->chunk[i] < 1)
            status = gt_fail(err, GT_USAGE, "array '%s': shape or chunk shape out of range", gt_array_name(spec->path));
        array->ndim = i + 1;
        if (spec->dim_names[i] && !(array->dim_names[i] = gt_strdup(spec->dim_names[i], err)))
            status = GT_FAIL;
    }
    if (!status)
        status = gt_meta_chunk_size(array, err);
    if (!status)
        status = make_codecs(array, spec, err);
    if (!status)
        gt_meta_set_unit(array);
    if (status) {
        gt_fail_prefix(err, "array '%s'", gt_array_name(spec->path));
        gt_array_free(array);
        return status;
    }
    *out = array;
    return GT_OK;
}

/* The names of the dimensions as a member of doc, null where there is none; as long as that many have one. */
static bool set_names(struct json_object *doc, const char *key, const struct gt_array *array, int minimum)
{
    int n = 0;
    for (int i = 0; i < array->ndim; i++)
        n += array->dim_names[i] != NULL;
    if (n < minimum)
        return true;
    struct json_object *list = json_object_new_array();
    bool ok = true;
    for (int i = 0; ok && i < array->ndim; i++)
        ok = array->dim_names[i] ? gt_json_add(list, json_object_new_string(array->dim_names[i])) : gt_json_add_shared(list, NULL);
    return gt_json_set(doc, key, gt_json_if_complete(list, ok));
}

static bool set_fill(struct json_object *meta, const struct gt_array *array)
{
    return array->fill_json || array->fill_null ? gt_json_set_shared(meta, "fill_value", array->fill_json)
                                                : gt_json_set(meta, "fill_value", gt_fill_zero_json(array->dtype.type));
}

/* "25us" is 25 of "us". */
static struct json_object *time_v3(const struct gt_dtype *dtype)
{
    struct json_object *config = json_object_new_object();
    char *unit;
    long scale = strtol(dtype->unit, &unit, 10);
    bool ok = gt_json_set_text(config, "unit", *unit ? unit : "generic") && gt_json_set_int(config, "scale_factor", scale > 0 ? scale : 1);
    return configured(dtype->type == GT_DATETIME ? "numpy.datetime64" : "numpy.timedelta64", config, ok);
}

static struct json_object *type_v3(const struct gt_dtype *dtype)
{
    char name[GT_DTYPE_NAME];
    if (dtype->type == GT_BYTES || dtype->type == GT_UCS4)
        return named(dtype->type == GT_UCS4 ? "fixed_length_utf32" : "null_terminated_bytes", "length_bytes",
                     json_object_new_int64((int64_t)dtype->size));
    if (gt_type_is_time(dtype->type))
        return time_v3(dtype);
    return json_object_new_string(gt_dtype_name_v3(dtype, name));
}

static struct json_object *separator_json(const struct gt_array *array)
{
    return json_object_new_string_len(&array->separator, 1);
}

static struct json_object *meta_v3(const struct gt_array *array)
{
    struct json_object *meta = json_object_new_object();
    bool ok = gt_json_set_int(meta, "zarr_format", 3) && gt_json_set_text(meta, "node_type", "array") &&
              gt_json_set(meta, "shape", gt_json_sizes(array->shape, array->ndim)) &&
              gt_json_set(meta, "data_type", type_v3(&array->dtype)) &&
              gt_json_set(meta, "chunk_grid", named("regular", "chunk_shape", gt_json_sizes(array->chunk, array->ndim))) &&
              gt_json_set(meta, "chunk_key_encoding", named("default", "separator", separator_json(array))) && set_fill(meta, array) &&
              gt_json_set_shared(meta, "codecs", array->codec_meta[0]) && gt_json_set_shared(meta, "attributes", array->attrs) &&
              set_names(meta, "dimension_names", array, array->ndim ? 1 : 0);
    return gt_json_if_complete(meta, ok);
}

static struct json_object *meta_v2(const struct gt_array *array)
{
    struct json_object *meta = json_object_new_object();
    char type[GT_DTYPE_NAME];
    bool ok = gt_json_set_int(meta, "zarr_format", 2) && gt_json_set(meta, "shape", gt_json_sizes(array->shape, array->ndim)) &&
              gt_json_set(meta, "chunks", gt_json_sizes(array->chunk, array->ndim)) &&
              gt_json_set_text(meta, "dtype", gt_dtype_name_v2(&array->dtype, type)) &&
              gt_json_set_shared(meta, "compressor", array->codec_meta[1]) && set_fill(meta, array) &&
              gt_json_set_text(meta, "order", "C") && gt_json_set_shared(meta, "filters", array->codec_meta[0]) &&
              gt_json_set(meta, "dimension_separator", separator_json(array));
    return gt_json_if_complete(meta, ok);
}

struct json_object *gt_array_meta_json(const struct gt_array *array)
{
    return array->zarr_format == 3 ? meta_v3(array) : meta_v2(array);
}

struct json_object *gt_array_attrs_json(const struct gt_array *array)
{
    struct json_object *attrs = json_object_new_object();
    bool ok = set_names(attrs, "_ARRAY_DIMENSIONS", array, array->ndim) && copy_attrs(attrs, array->attrs);
    return gt_json_if_complete(attrs, ok);
}

int gt_meta_put(struct gt_store *store, const char *path, const char *document, struct json_object *obj, struct gt_err *err)
{
    struct gt_str key = {0}, text = {0};
    int status;

    gt_str_addf(&key, "%s%s%s", path, *path ? "/" : "", document);
    gt_json_print(&text, obj, true);
    status = obj ? gt_str_check(&text, err) : gt_no_memory(err);
    if (!status)
        status = gt_str_check(&key, err);
    if (!status)
        status = gt_store_put(store, key.s, text.s, text.len, err);
    gt_str_release(&key);
    gt_str_release(&text);
    return status;
}

int gt_array_put_meta(struct gt_array *array, struct gt_err *err)
{
    struct json_object *meta = gt_array_meta_json(array), *attrs = NULL;
    int status = gt_meta_put(array->store, array->path, array->zarr_format == 3 ? "zarr.json" : ".zarray", meta, err);

    if (!status && array->zarr_format == 2) {
        attrs = gt_array_attrs_json(array);
        status = gt_meta_put(array->store, array->path, ".zattrs", attrs, err);
    }
    json_object_put(meta);
    json_object_put(attrs);
    if (!status)
        gt_array_seen(array, true);
    return status;
}

int gt_array_encode(const struct gt_array *array, const struct gt_buf *raw, struct gt_buf *stored, struct gt_buf scratch[2],
                    struct gt_err *err)
{
    if (array->dtype.type != GT_STRING && raw->len != array->chunk_bytes)
        return gt_fail(err, GT_FAIL, "array '%s': a chunk of %zu bytes; its shape needs %zu", gt_array_name(array->path), raw->len,
                       array->chunk_bytes);
    return gt_codec_encode(array->codecs, raw, stored, scratch, err);
}

int gt_array_put(struct gt_array *array, const int64_t *index, const struct gt_buf *stored, struct gt_err *err)
{
    struct gt_str key = {0};
    int status;

    status = gt_array_key(array, index, &key, err);
    if (!status)
        status = gt_store_put(array->store, key.s, stored->data, stored->len, err);
    if (!status)
        gt_trace_bytes((int64_t)stored->len);
    gt_str_release(&key);
    return status;
}

int gt_array_done(const struct gt_array *array, const int64_t *index, int64_t *size, struct gt_err *err)
{
    struct gt_str key = {0};
    if (!array->store->ops->done)
        return GT_NOENT;
    int status = gt_array_key(array, index, &key, err);
    if (!status)
        status = gt_store_done(array->store, key.s, size, err);
    gt_str_release(&key);
    return status;
}
