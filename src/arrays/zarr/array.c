#include "arrays/zarr/array.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/fill.h"
#include "arrays/zarr/meta.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "storage/codec/shard.h"

static void (*watcher)(const struct gt_array *array, bool written);

void gt_array_watch(void (*seen)(const struct gt_array *array, bool written))
{
    watcher = seen;
}

void gt_array_seen(const struct gt_array *array, bool written)
{
    if (watcher)
        watcher(array, written);
}

void gt_array_free(struct gt_array *array)
{
    if (!array)
        return;
    for (int i = 0; i < array->ndim; i++)
        free(array->dim_names[i]);
    free(array->path);
    free(array->columns);
    free(array->fill_text);
    json_object_put(array->fill_json);
    json_object_put(array->attrs);
    json_object_put(array->codec_meta[0]);
    json_object_put(array->codec_meta[1]);
    gt_codec_free(array->codecs);
    if (array->counted)
        gt_budget_give(array->counted, GT_ARRAY_BYTES);
    free(array);
}

int gt_array_from_json(struct gt_array **out, struct gt_store *store, const char *path, int zarr_format, struct json_object *meta,
                       struct json_object *attrs, struct gt_err *err)
{
    struct gt_array *array = gt_alloc(1, sizeof *array, err);
    int status;

    *out = NULL;
    if (!array)
        return GT_FAIL;
    array->store = store;
    if (store && store->budget) {
        if ((status = gt_budget_take(store->budget, GT_ARRAY_BYTES, err)) != 0) {
            gt_array_free(array);
            return status;
        }
        array->counted = store->budget;
    }
    array->path = gt_strdup(path, err);
    array->zarr_format = zarr_format;
    array->whole = store && store->all_chunks;
    if (zarr_format == 3)
        attrs = gt_json_get(meta, "attributes");
    array->attrs = json_object_is_type(attrs, json_type_object) ? json_object_get(attrs) : json_object_new_object();
    if (!array->path || !array->attrs)
        status = gt_no_memory(err);
    else
        status = zarr_format == 3 ? gt_meta_parse_v3(array, meta, err) : gt_meta_parse_v2(array, meta, err);
    if (!status)
        gt_meta_set_unit(array);
    if (status) {
        gt_fail_prefix(err, "%s%sarray '%s'", store ? store->name : "", store ? ": " : "", gt_array_name(path));
        gt_array_free(array);
        array = NULL;
    } else {
        gt_array_seen(array, false);
    }
    *out = array;
    return status;
}

static int open_v2(struct gt_array **out, struct gt_store *store, const char *path, struct gt_err *err)
{
    struct json_object *meta, *attrs = NULL;
    int status = gt_meta_get(store, path, ".zarray", &meta, err);

    if (status)
        return status;
    status = gt_meta_get(store, path, ".zattrs", &attrs, err);
    if (status <= 0)
        status = gt_array_from_json(out, store, path, 2, meta, attrs, err);
    json_object_put(meta);
    json_object_put(attrs);
    return status;
}

int gt_array_open(struct gt_array **out, struct gt_store *store, const char *path, struct gt_err *err)
{
    struct json_object *meta = NULL;
    int status = gt_meta_expect_node(store, path, false, err);

    *out = NULL;
    status = status ? status : gt_meta_get(store, path, "zarr.json", &meta, err);
    if (status == GT_NOENT)
        return open_v2(out, store, path, err);
    if (status)
        return status;
    if (gt_meta_is_group(meta))
        status = GT_NOENT;
    else
        status = gt_array_from_json(out, store, path, 3, meta, NULL, err);
    json_object_put(meta);
    return status;
}

int64_t gt_array_grid(const struct gt_array *array, int axis)
{
    return gt_ceil_div(array->shape[axis], array->chunk[axis]);
}

int64_t gt_array_units(const struct gt_array *array, int axis)
{
    return gt_ceil_div(array->shape[axis], array->unit[axis]);
}

int gt_array_key(const struct gt_array *array, const int64_t *index, struct gt_str *key, struct gt_err *err)
{
    gt_str_clear(key);
    gt_str_addf(key, "%s%s", array->path, *array->path ? "/" : "");
    if (!array->v2_keys)
        gt_str_add(key, "c");
    else if (array->ndim == 0)
        gt_str_add(key, "0");
    for (int i = 0; i < array->ndim; i++) {
        if (i > 0 || !array->v2_keys)
            gt_str_addn(key, &array->separator, 1);
        gt_str_addf(key, "%lld", (long long)index[i]);
    }
    return gt_str_check(key, err);
}

bool gt_array_left_out(const struct gt_array *array, const int64_t *index)
{
    size_t low = 0, high = array->n_columns;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (index[0] < array->columns[mid].end)
            high = mid;
        else
            low = mid + 1;
    }
    return low < array->n_columns && index[1] >= array->columns[low].columns;
}

int gt_array_fetch(struct gt_array *array, const int64_t *index, struct gt_buf *stored, struct gt_err *err)
{
    struct gt_str key = {0};
    int status;

    if (gt_array_left_out(array, index))
        return GT_NOENT;
    status = gt_array_key(array, index, &key, err);
    if (!status)
        status = gt_store_get(array->store, key.s, stored, err);
    status = gt_array_check_fetched(array, key.s, status, stored, err);
    gt_str_release(&key);
    return status;
}

int gt_array_check_fetched(const struct gt_array *array, const char *key, int status, const struct gt_buf *stored, struct gt_err *err)
{
    if (!status && stored->len == 0)
        return gt_fail(err, GT_INPUT, "%s: chunk '%s' is empty (no bytes)", array->store->name, key);
    if (status == GT_NOENT && array->whole) {
        status = gt_fail(err, GT_INPUT, "%s: chunk '%s' is missing", array->store->name, key);
        gt_hint(err, array->store->all_chunks ? "--missing-chunks fill reads it as fill values, if all chunks of the array may be missing"
                                              : "the store is incomplete; was it copied in part?");
    }
    return status;
}

void gt_array_blame(const struct gt_array *array, const int64_t *index, struct gt_err *err)
{
    struct gt_str key = {0};

    if (!gt_array_key(array, index, &key, NULL))
        gt_fail_prefix(err, "%s: chunk '%s'", array->store ? array->store->name : "", key.s);
    gt_str_release(&key);
}

int gt_array_decode(const struct gt_array *array, const int64_t *index, const struct gt_buf *stored, struct gt_buf *raw,
                    struct gt_buf scratch[2], struct gt_err *err)
{
    int status = stored ? gt_codec_decode(array->codecs, stored->data, stored->len, raw, scratch, err)
                        : gt_fill_chunk(array, array->chunk_items, raw, err);

    if (status > 0)
        gt_array_blame(array, index, err);
    return status;
}

/* What codes a read unit. */
static const struct gt_codec_chain *unit_codecs(const struct gt_array *array)
{
    const struct gt_shard *shard = gt_codec_shard(array->codecs);
    return shard ? shard->inner : array->codecs;
}

static int blame_unit(const struct gt_array *array, const int64_t *unit, int status, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS];

    if (status <= 0)
        return status;
    if (gt_codec_shard(array->codecs))
        gt_fail_prefix(err, "inner chunk %lld", (long long)gt_array_unit_chunk(array, unit, index));
    else
        gt_array_unit_chunk(array, unit, index);
    gt_array_blame(array, index, err);
    return status;
}

int gt_array_decode_unit(const struct gt_array *array, const int64_t *unit, const void *data, size_t n, struct gt_buf *raw,
                         struct gt_buf scratch[2], struct gt_err *err)
{
    int status = data ? gt_codec_decode(unit_codecs(array), data, n, raw, scratch, err) : gt_fill_chunk(array, array->unit_items, raw, err);
    return blame_unit(array, unit, status, err);
}

bool gt_array_has_part(const struct gt_array *array, const void *data, size_t n, size_t *first, size_t *end)
{
    return gt_codec_has_part(unit_codecs(array), data, n, first, end);
}

int gt_array_decode_part(const struct gt_array *array, const int64_t *unit, const void *data, size_t n, size_t first, size_t end,
                         struct gt_buf *raw, struct gt_err *err)
{
    return blame_unit(array, unit, gt_codec_decode_part(unit_codecs(array), data, n, first, end, raw, err), err);
}

int64_t gt_array_unit_chunk(const struct gt_array *array, const int64_t *unit, int64_t *index)
{
    int64_t per[GT_MAX_DIMS], in[GT_MAX_DIMS];

    for (int i = 0; i < array->ndim; i++) {
        per[i] = array->chunk[i] / array->unit[i];
        index[i] = unit[i] / per[i];
        in[i] = unit[i] % per[i];
    }
    return gt_nd_number(array->ndim, per, in);
}
