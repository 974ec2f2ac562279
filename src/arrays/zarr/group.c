#include "arrays/zarr/group.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/meta.h"
#include "core/base/mem.h"
#include "storage/codec/shard.h"

static const char *const KNOWN_V3[] = {"zarr_format", "node_type", "attributes", "consolidated_metadata", NULL};

void gt_group_free(struct gt_group *group)
{
    if (!group)
        return;
    free(group->path);
    json_object_put(group->attrs);
    json_object_put(group->document);
    free(group);
}

/* What the root says of all nodes below it, in a form that is known. */
static struct json_object *consolidated_of(struct json_object *meta)
{
    struct json_object *all = gt_json_get(meta, "consolidated_metadata");
    const char *kind = gt_json_text(all, "kind");
    return !gt_json_get(all, "kind") || (kind && strcmp(kind, "inline") == 0) ? gt_json_get(all, "metadata") : NULL;
}

static int open_v3(struct gt_group *group, struct json_object *meta, struct gt_err *err)
{
    struct json_object *attrs = gt_json_get(meta, "attributes"), *all = consolidated_of(meta);
    const char *node = gt_json_text(meta, "node_type");
    int status = gt_meta_check_format(meta, 3, err);

    if (!status && node && strcmp(node, "array") == 0)
        return GT_NOENT;
    if (!status && !node)
        status = gt_fail(err, GT_INPUT, "node_type is missing");
    if (!status && strcmp(node, "group") != 0)
        status = gt_fail_unsupported(err, "a node of type '%.64s' is not supported", node);
    if (!status)
        status = gt_meta_check_keys(meta, KNOWN_V3, err);
    if (status) {
        gt_fail_prefix(err, "'%s%szarr.json'", group->path, *group->path ? "/" : "");
        return status;
    }
    group->zarr_format = 3;
    if (json_object_is_type(attrs, json_type_object))
        group->attrs = json_object_get(attrs);
    if (json_object_is_type(all, json_type_object)) {
        group->consolidated = all;
        group->document = json_object_get(meta);
    }
    return GT_OK;
}

static int open_v2(struct gt_group *group, struct gt_err *err)
{
    struct json_object *doc = NULL, *all;
    int status = gt_meta_get(group->store, group->path, ".zgroup", &doc, err);

    if (!status && (status = gt_meta_check_format(doc, 2, err)) != GT_OK)
        gt_fail_prefix(err, "'%s%s.zgroup'", group->path, *group->path ? "/" : "");
    json_object_put(doc);
    if (status)
        return status;
    group->zarr_format = 2;
    status = gt_meta_get(group->store, group->path, ".zmetadata", &group->document, err);
    all = gt_json_get(group->document, "metadata");
    if (json_object_is_type(all, json_type_object))
        group->consolidated = all;
    if (status <= 0)
        status = gt_meta_get(group->store, group->path, ".zattrs", &group->attrs, err);
    if (status != GT_NOENT)
        return status;
    all = gt_json_get(group->consolidated, ".zattrs");
    if (json_object_is_type(all, json_type_object))
        group->attrs = json_object_get(all);
    return GT_OK;
}

int gt_group_open(struct gt_group **out, struct gt_store *store, const char *path, struct gt_err *err)
{
    struct gt_group *group = gt_alloc(1, sizeof *group, err);
    struct json_object *meta = NULL;
    int status;

    *out = NULL;
    if (!group)
        return GT_FAIL;
    group->store = store;
    group->path = gt_strdup(path, err);
    status = group->path ? gt_meta_expect_node(store, path, true, err) : GT_FAIL;
    status = status ? status : gt_meta_get(store, path, "zarr.json", &meta, err);
    if (!status)
        status = open_v3(group, meta, err);
    else if (status == GT_NOENT)
        status = open_v2(group, err);
    json_object_put(meta);
    if (!status && !group->attrs && !(group->attrs = json_object_new_object()))
        status = gt_no_memory(err);
    if (status) {
        gt_fail_prefix(err, "%s", store->name);
        gt_group_free(group);
        group = NULL;
    }
    *out = group;
    return status;
}

int gt_group_bare(struct gt_group **out, struct gt_store *store, struct gt_err *err)
{
    struct gt_group *group = gt_alloc(1, sizeof *group, err);

    *out = group;
    if (!group)
        return GT_FAIL;
    group->store = store;
    group->zarr_format = 2;
    group->path = gt_strdup("", err);
    group->attrs = group->path ? json_object_new_object() : NULL;
    return group->attrs ? GT_OK : gt_no_memory(err);
}

bool gt_group_provisional(const struct gt_group *group)
{
    struct json_object *flag = gt_json_get(gt_json_get(group->attrs, "gt_stream"), "provisional");
    return json_object_is_type(flag, json_type_boolean) && json_object_get_boolean(flag);
}

int gt_group_document(struct gt_group *group, const char *path, const char *document, struct json_object **out, struct gt_err *err)
{
    return gt_meta_get(group->store, path, document, out, err);
}

int gt_group_expect_documents(struct gt_group *group, struct gt_err *err)
{
    struct gt_strs keys = {0};
    int status = GT_OK;

    json_object_object_foreach(group->consolidated, key, doc)
    {
        (void)doc;
        if (!status)
            status = gt_meta_add_key(&keys, key, group->zarr_format == 3 ? "zarr.json" : "", err);
    }
    status = status ? status : gt_meta_expect(group->store, &keys, err);
    gt_strs_release(&keys);
    return status;
}

int gt_group_expect_arrays(struct gt_group *group, const char *const *names, size_t n, struct gt_err *err)
{
    static const char *const documents[] = {"zarr.json", ".zarray", ".zattrs"};
    struct gt_strs keys = {0};
    int status = GT_OK;

    for (size_t i = 0; i < 3 * n && !status; i++)
        status = gt_meta_add_key(&keys, names[i / 3], documents[i % 3], err);
    status = status ? status : gt_meta_expect(group->store, &keys, err);
    gt_strs_release(&keys);
    return status;
}

/* *value: the document, NULL when it is not there. */
static int consolidated_get(const struct gt_group *group, const char *name, const char *document, struct json_object **value,
                            struct gt_err *err)
{
    struct gt_str key = {0};
    int status;

    gt_str_addf(&key, "%s%s%s", name, *document && *name ? "/" : "", document);
    status = gt_str_check(&key, err);
    *value = status ? NULL : gt_json_get(group->consolidated, key.s);
    gt_str_release(&key);
    return status;
}

int gt_group_array(struct gt_group *group, const char *name, struct gt_array **out, struct gt_err *err)
{
    struct gt_str path = {0};
    struct json_object *meta, *attrs;
    int status = consolidated_get(group, name, group->zarr_format == 3 ? "" : ".zarray", &meta, err);

    *out = NULL;
    gt_str_addf(&path, "%s%s%s", group->path, *group->path && *name ? "/" : "", name);
    if (!status)
        status = gt_str_check(&path, err);
    if (!status)
        status = consolidated_get(group, name, ".zattrs", &attrs, err);
    if (!status && meta && (group->zarr_format == 2 || !gt_meta_is_group(meta)))
        status = gt_array_from_json(out, group->store, path.s, group->zarr_format, meta, attrs, err);
    else if (!status && group->consolidated && (group->store->stream || !group->store->ops->list))
        status = GT_NOENT; /* never read a whole stream on to find out that an array is absent */
    else if (!status)
        status = gt_array_open(out, group->store, path.s, err);
    gt_str_release(&path);
    return status;
}

/* The keys of an array's chunks, where they are few and small, and none of them is a shard. */
static int add_chunks(struct gt_strs *keys, const struct gt_array *array, struct gt_err *err)
{
    enum { FEW = 16, SMALL = 1 << 20 };
    int64_t grid[GT_MAX_DIMS], index[GT_MAX_DIMS] = {0}, chunks = 1;
    struct gt_str key = {0};
    int status = GT_OK;

    if (gt_codec_shard(array->codecs) || array->chunk_items > SMALL || array->chunk_bytes > SMALL)
        return GT_OK;
    for (int i = 0; i < array->ndim && chunks > 0; i++) {
        grid[i] = gt_array_grid(array, i);
        chunks = grid[i] <= FEW / chunks ? chunks * grid[i] : 0;
    }
    for (; chunks > 0 && !status; chunks--) {
        status = gt_array_key(array, index, &key, err);
        status = status ? status : gt_strs_add(keys, key.s, key.len, err);
        gt_nd_next(array->ndim, grid, index);
    }
    gt_str_release(&key);
    return status;
}

int gt_group_expect_values(struct gt_group *group, const char *const *names, size_t n, struct gt_err *err)
{
    struct gt_strs keys = {0};
    int status = GT_OK;

    for (size_t i = 0; i < n && !status && group->consolidated && !group->store->ops->list; i++) {
        struct gt_array *array = NULL;
        if (gt_group_array(group, names[i], &array, NULL) == GT_OK) /* a fault is reported when it is read */
            status = add_chunks(&keys, array, err);
        gt_array_free(array);
    }
    status = status ? status : gt_meta_expect(group->store, &keys, err);
    gt_strs_release(&keys);
    return status;
}
