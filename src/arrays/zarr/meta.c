/* What v2 and v3 metadata have in common. */
#include "arrays/zarr/meta.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "storage/codec/shard.h"

int gt_meta_shape(struct gt_array *array, struct json_object *shape, struct json_object *chunk, struct gt_err *err)
{
    int64_t items = 1;
    size_t ndim;

    if (!json_object_is_type(shape, json_type_array) || !json_object_is_type(chunk, json_type_array))
        return gt_fail(err, GT_INPUT, "shape or chunk shape is missing or not a list");
    ndim = json_object_array_length(shape);
    if (ndim > GT_MAX_DIMS)
        return gt_fail_unsupported(err, "%zu dimensions, more than %d, are not supported", ndim, GT_MAX_DIMS);
    if (json_object_array_length(chunk) != ndim)
        return gt_fail(err, GT_INPUT, "shape has %zu dimensions, chunk shape %zu", ndim, json_object_array_length(chunk));
    array->ndim = (int)ndim;
    for (size_t i = 0; i < ndim; i++) {
        int64_t *s = &array->shape[i], *c = &array->chunk[i];
        if (!gt_json_i64(json_object_array_get_idx(shape, i), s) || *s < 0)
            return gt_fail(err, GT_INPUT, "shape %.200s is not a list of sizes", json_object_to_json_string(shape));
        if (!gt_json_i64(json_object_array_get_idx(chunk, i), c) || *c < 0 || (*c == 0 && *s > 0))
            return gt_fail(err, GT_INPUT, "chunk shape %.200s is not a list of sizes above 0", json_object_to_json_string(chunk));
        if (*c == 0)
            *c = 1; /* some writers give an empty axis chunks of 0 */
        if (!gt_mul_i64(items, *s > 0 ? *s : 1, &items))
            return gt_fail(err, GT_INPUT, "shape %.200s is too large", json_object_to_json_string(shape));
    }
    return GT_OK;
}

int gt_meta_chunk_size(struct gt_array *array, struct gt_err *err)
{
    size_t items = 1, bytes;

    for (int i = 0; i < array->ndim; i++)
        if (!gt_mul_size(items, (size_t)array->chunk[i], &items))
            return gt_fail(err, GT_INPUT, "chunk shape is too large");
    if (!gt_mul_size(items, array->dtype.type == GT_STRING ? 4 : array->dtype.size, &bytes) || bytes > GT_CHUNK_MAX)
        return gt_fail(err, GT_INPUT, "chunks of %zu items are too large", items);
    array->chunk_items = items;
    array->chunk_bytes = array->dtype.type == GT_STRING ? 0 : bytes;
    return GT_OK;
}

void gt_meta_set_unit(struct gt_array *array)
{
    const struct gt_shard *shard = gt_codec_shard(array->codecs);

    memcpy(array->unit, shard ? shard->unit : array->chunk, sizeof array->unit);
    array->unit_items = shard ? shard->unit_items : array->chunk_items;
    array->unit_bytes = array->unit_items * array->dtype.size;
}

struct gt_codec_array gt_meta_codec_array(const struct gt_array *array)
{
    enum gt_type type = array->dtype.type;
    struct gt_codec_array info = {
        .item_size = array->dtype.size,
        .unit = gt_dtype_turned(&array->dtype),
        .type = type,
        .bits = array->dtype.bits,
        .n_items = array->chunk_items,
        .ndim = array->ndim,
        .fill = gt_type_is_text(type) ? array->fill_text : (const void *)array->fill,
        .big_endian = array->dtype.big_endian,
        .order_f = array->order_f,
        .zarr_format = array->zarr_format,
    };
    memcpy(info.chunk, array->chunk, sizeof info.chunk);
    return info;
}

int gt_meta_dim_names(struct gt_array *array, struct json_object *names, struct gt_err *err)
{
    if (!json_object_is_type(names, json_type_array) || json_object_array_length(names) != (size_t)array->ndim)
        return GT_OK;
    for (int i = 0; i < array->ndim; i++) {
        struct json_object *name = json_object_array_get_idx(names, (size_t)i);
        if (json_object_is_type(name, json_type_string) && !(array->dim_names[i] = gt_strdup(json_object_get_string(name), err)))
            return GT_FAIL;
    }
    return GT_OK;
}

bool gt_meta_is_group(struct json_object *meta)
{
    const char *node = gt_json_text(meta, "node_type");
    return node && strcmp(node, "group") == 0;
}

int gt_meta_check_format(struct json_object *meta, int format, struct gt_err *err)
{
    const char *url = gt_json_text(meta, "zarr_format");
    int64_t is;

    if (url && strncmp(url, "http", 4) == 0) /* drafts of v3, which GDAL wrote before 3.8 and zarr-python 2 */
        return gt_fail_unsupported(err, "zarr_format '%.80s' is not supported: a draft of Zarr v3", url);
    if (!gt_json_i64(gt_json_get(meta, "zarr_format"), &is))
        return gt_fail(err, GT_INPUT, "zarr_format is missing or not an integer");
    if (is == format)
        return GT_OK;
    if (is == 2 || is == 3)
        return gt_fail(err, GT_INPUT, "zarr_format is %d in a document of %d", (int)is, format);
    return gt_fail_unsupported(err, "zarr_format %lld is not supported", (long long)is);
}

int gt_meta_check_keys(struct json_object *meta, const char *const *known, struct gt_err *err)
{
    json_object_object_foreach(meta, key, value)
    {
        struct json_object *must = gt_json_get(value, "must_understand");
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i] && !(json_object_is_type(must, json_type_boolean) && !json_object_get_boolean(must)))
            return gt_fail_unsupported(err, "metadata has the key '%.64s', which is not supported", key);
    }
    return GT_OK;
}

int gt_meta_get(struct gt_store *store, const char *path, const char *document, struct json_object **out, struct gt_err *err)
{
    struct gt_budget most; /* a file of any size may stand there */
    struct gt_buf buf = {.budget = &most};
    struct gt_str key = {0};
    struct gt_err why = {0};
    int status;

    *out = NULL;
    gt_budget_init(&most, 2 * (int64_t)GT_META_MAX);
    most.parent = store->budget;
    gt_str_addf(&key, "%s%s%s", path, *path ? "/" : "", document);
    status = gt_str_check(&key, &why);
    if (!status)
        status = gt_store_get(store, key.s, &buf, &why);
    if (status == GT_NOFIT && most.refused) {
        status = gt_fail(err, GT_INPUT, "%s: '%s': metadata of more than %u MiB", store->name, key.s, GT_META_MAX >> 20);
    } else if (status > 0) {
        if (err && !err->status)
            *err = why;
    } else if (!status) {
        status = gt_json_parse(out, (const char *)buf.data, buf.len, key.s, store->budget, err);
        if (!status && !json_object_is_type(*out, json_type_object)) {
            status = gt_fail(err, GT_INPUT, "'%s': metadata is not a JSON object", key.s);
            json_object_put(*out);
            *out = NULL;
        }
        if (status)
            gt_fail_prefix(err, "%s", store->name);
    }
    gt_buf_release(&buf);
    gt_str_release(&key);
    return status;
}

int gt_meta_expect(struct gt_store *store, const struct gt_strs *keys, struct gt_err *err)
{
    enum { AT_ONCE = 64 };
    struct gt_get gets[AT_ONCE];
    struct gt_buf bufs[AT_ONCE];
    struct gt_budget most;
    bool near = store->ops->list || !store->ops->get_many; /* what lists its keys is */
    int status = GT_OK;

    for (size_t from = 0; from < keys->n && !near && !status; from += AT_ONCE) {
        size_t n = keys->n - from < AT_ONCE ? keys->n - from : AT_ONCE;
        gt_budget_init(&most, 2 * (int64_t)GT_META_MAX);
        most.parent = store->budget;
        for (size_t i = 0; i < n; i++) {
            bufs[i] = (struct gt_buf){.budget = &most};
            gets[i] = (struct gt_get){.key = gt_strs_get(keys, from + i), .buf = &bufs[i], .keep = true};
        }
        status = gt_store_get_many(store, gets, n, err);
        for (size_t i = 0; i < n; i++)
            gt_buf_release(&bufs[i]);
    }
    return status;
}

int gt_meta_add_key(struct gt_strs *keys, const char *path, const char *document, struct gt_err *err)
{
    return gt_strs_addf(keys, err, "%s%s%s", path, *path && *document ? "/" : "", document);
}

int gt_meta_expect_node(struct gt_store *store, const char *path, bool group, struct gt_err *err)
{
    static const char *const documents[] = {".zarray", "zarr.json", ".zattrs", ".zgroup", ".zmetadata"};
    struct gt_strs keys = {0};
    int status = GT_OK;

    if (store->ops->list)
        return GT_OK;
    for (int i = group && *path; i < (group || !*path ? 5 : 3) && !status; i++)
        status = gt_meta_add_key(&keys, path, documents[i], err);
    status = status ? status : gt_meta_expect(store, &keys, err);
    gt_strs_release(&keys);
    return status;
}
