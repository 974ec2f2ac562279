#include "zarr/group.h"

#include <string.h>

#include "zarr/meta.h"

void gt_attrs_add_history(struct json_object *attrs, const char *line)
{
    struct json_object *history;

    if (!line)
        return;
    history = json_object_new_array();
    json_object_array_add(history, json_object_new_string(line));
    json_object_object_add(attrs, "gt:history", history);
}

/* Metadata of a new store: the root's and each array's documents, once alone and
 * once consolidated.  Groups between root and array are made as well. */
struct writer {
    struct gt_store *store;
    int zarr_format;
    struct json_object *attrs;
    struct gt_array *const *arrays;
    size_t n;
    struct json_object *all; /* consolidated: key -> document */
};

static struct json_object *group_doc(int zarr_format, struct json_object *attrs)
{
    struct json_object *doc = json_object_new_object();
    json_object_object_add(doc, "zarr_format", json_object_new_int(zarr_format));
    if (zarr_format == 3) {
        json_object_object_add(doc, "node_type", json_object_new_string("group"));
        json_object_object_add(doc, "attributes", attrs ? json_object_get(attrs) : json_object_new_object());
    }
    return doc;
}

/* The groups that `path` passes through, which are not yet in `all`. */
static void add_parents(struct writer *w, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct gt_str key = {0};
        gt_str_addn(&key, path, (size_t)(slash - path));
        if (w->zarr_format == 2)
            gt_str_add(&key, "/.zgroup");
        if (!gt_json_get(w->all, key.s))
            json_object_object_add(w->all, key.s, group_doc(w->zarr_format, NULL));
        gt_str_release(&key);
    }
}

static void add_array(struct writer *w, const struct gt_array *array)
{
    struct gt_str key = {0};

    add_parents(w, array->path);
    gt_str_add(&key, array->path);
    if (w->zarr_format == 2)
        gt_str_add(&key, "/.zarray");
    json_object_object_add(w->all, key.s, gt_array_meta_json(array));
    if (w->zarr_format == 2) {
        gt_str_clear(&key);
        gt_str_addf(&key, "%s/.zattrs", array->path);
        json_object_object_add(w->all, key.s, gt_array_attrs_json(array));
    }
    gt_str_release(&key);
}

static int put_root_v2(struct writer *w, struct gt_err *err)
{
    struct json_object *doc = json_object_new_object();
    int status;

    json_object_object_add(doc, "metadata", json_object_get(w->all));
    json_object_object_add(doc, "zarr_consolidated_format", json_object_new_int(1));
    status = gt_meta_put(w->store, "", ".zmetadata", doc, err);
    json_object_put(doc);
    return status;
}

static int put_root_v3(struct writer *w, struct gt_err *err)
{
    struct json_object *doc = group_doc(3, w->attrs), *inl = json_object_new_object();
    int status;

    json_object_object_add(inl, "kind", json_object_new_string("inline"));
    json_object_object_add(inl, "must_understand", json_object_new_boolean(0));
    json_object_object_add(inl, "metadata", json_object_get(w->all));
    json_object_object_add(doc, "consolidated_metadata", inl);
    status = gt_meta_put(w->store, "", "zarr.json", doc, err);
    json_object_put(doc);
    return status;
}

int gt_group_put_meta(struct gt_store *store, int zarr_format, struct json_object *attrs, struct gt_array *const *arrays, size_t n,
                      struct gt_err *err)
{
    struct writer w = {store, zarr_format, attrs, arrays, n, json_object_new_object()};
    int status;

    if (zarr_format == 2) {
        json_object_object_add(w.all, ".zgroup", group_doc(2, NULL));
        json_object_object_add(w.all, ".zattrs", attrs ? json_object_get(attrs) : json_object_new_object());
    }
    for (size_t i = 0; i < n; i++)
        add_array(&w, arrays[i]);
    status = zarr_format == 3 ? put_root_v3(&w, err) : put_root_v2(&w, err);
    json_object_object_foreach(w.all, key, doc)
    {
        if (!status)
            status = zarr_format == 3 ? gt_meta_put(store, key, "zarr.json", doc, err) : gt_meta_put(store, "", key, doc, err);
    }
    json_object_put(w.all);
    return status;
}
