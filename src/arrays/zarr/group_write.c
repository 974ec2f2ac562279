#include "arrays/zarr/group.h"

#include <string.h>

#include "arrays/zarr/meta.h"
#include "core/base/mem.h"

static bool add_all(struct json_object *to, struct json_object *from)
{
    bool ok = to;
    for (size_t i = 0; ok && json_object_is_type(from, json_type_array) && i < json_object_array_length(from); i++)
        ok = gt_json_add_shared(to, json_object_array_get_idx(from, i));
    return ok;
}

int gt_attrs_add_history(struct json_object *attrs, const char *line, struct gt_err *err)
{
    struct json_object *history;
    bool ok;

    if (!line)
        return GT_OK;
    history = json_object_new_array();
    ok = add_all(history, gt_json_get(attrs, "gt:history")) && gt_json_add(history, json_object_new_string(line)) &&
         gt_json_set_shared(attrs, "gt:history", history);
    json_object_put(history);
    return ok ? GT_OK : gt_no_memory(err);
}

/* Metadata of a new store: the root's and each array's documents, once alone and
 * once consolidated.  Groups between root and array are made as well. */
struct writer {
    struct gt_store *store;
    int zarr_format;
    struct json_object *attrs; /* of the root */
    struct json_object *all;   /* consolidated: key -> document */
};

static struct json_object *group_doc(int zarr_format, struct json_object *attrs)
{
    struct json_object *doc = json_object_new_object();
    bool ok = gt_json_set_int(doc, "zarr_format", zarr_format);
    if (zarr_format == 3)
        ok = ok && gt_json_set_text(doc, "node_type", "group") &&
             gt_json_set(doc, "attributes", attrs ? json_object_get(attrs) : json_object_new_object());
    return gt_json_if_complete(doc, ok);
}

/* A group below the root. */
static bool add_group(struct writer *w, const char *path, struct json_object *attrs)
{
    struct gt_str group = {0}, own = {0};
    bool v3 = w->zarr_format == 3, ok;
    gt_str_addf(&group, "%s%s", path, v3 ? "" : "/.zgroup");
    gt_str_addf(&own, "%s/.zattrs", path);
    ok = !group.failed && !own.failed && gt_json_set(w->all, group.s, group_doc(w->zarr_format, attrs));
    if (ok && !v3 && attrs)
        ok = gt_json_set_shared(w->all, own.s, attrs);
    gt_str_release(&group);
    gt_str_release(&own);
    return ok;
}

/* The groups that `path` passes through, which are not yet in `all`. */
static bool add_parents(struct writer *w, const char *path)
{
    bool ok = true;
    for (const char *slash = strchr(path, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        struct gt_str key = {0};
        gt_str_addn(&key, path, (size_t)(slash - path));
        if (w->zarr_format == 2)
            gt_str_add(&key, "/.zgroup");
        ok = !key.failed && (gt_json_get(w->all, key.s) || gt_json_set(w->all, key.s, group_doc(w->zarr_format, NULL)));
        gt_str_release(&key);
    }
    return ok;
}

static bool add_array(struct writer *w, const struct gt_array *array)
{
    struct gt_str meta = {0}, attrs = {0};
    bool ok = add_parents(w, array->path);

    gt_str_addf(&meta, "%s%s", array->path, w->zarr_format == 2 ? "/.zarray" : "");
    gt_str_addf(&attrs, "%s/.zattrs", array->path);
    ok = ok && !meta.failed && !attrs.failed && gt_json_set(w->all, meta.s, gt_array_meta_json(array));
    if (w->zarr_format == 2)
        ok = ok && gt_json_set(w->all, attrs.s, gt_array_attrs_json(array));
    if (ok)
        gt_array_seen(array, true);
    gt_str_release(&meta);
    gt_str_release(&attrs);
    return ok;
}

static int put_root_v2(struct writer *w, struct gt_err *err)
{
    struct json_object *doc = json_object_new_object();
    bool ok = gt_json_set_shared(doc, "metadata", w->all) && gt_json_set_int(doc, "zarr_consolidated_format", 1);
    int status = gt_meta_put(w->store, "", ".zmetadata", ok ? doc : NULL, err);
    json_object_put(doc);
    return status;
}

static int put_root_v3(struct writer *w, struct gt_err *err)
{
    struct json_object *doc = group_doc(3, w->attrs), *inl = json_object_new_object();
    bool ok = gt_json_set_text(inl, "kind", "inline") && gt_json_set(inl, "must_understand", json_object_new_boolean(0)) &&
              gt_json_set_shared(inl, "metadata", w->all) && gt_json_set_shared(doc, "consolidated_metadata", inl);
    int status = gt_meta_put(w->store, "", "zarr.json", ok ? doc : NULL, err);
    json_object_put(inl);
    json_object_put(doc);
    return status;
}

static int put_each(struct writer *w, struct gt_err *err)
{
    int status = GT_OK;
    json_object_object_foreach(w->all, key, doc)
    {
        if (!status)
            status = w->zarr_format == 3 ? gt_meta_put(w->store, key, "zarr.json", doc, err) : gt_meta_put(w->store, "", key, doc, err);
    }
    return status;
}

static bool add_root(struct writer *w)
{
    return w->all &&
           (w->zarr_format == 3 || (gt_json_set(w->all, ".zgroup", group_doc(2, NULL)) &&
                                    gt_json_set(w->all, ".zattrs", w->attrs ? json_object_get(w->attrs) : json_object_new_object())));
}

int gt_group_put_all(struct gt_store *store, int zarr_format, const struct gt_group_spec *groups, size_t n_groups,
                     struct gt_array *const *arrays, size_t n, struct gt_err *err)
{
    struct writer w = {.store = store, .zarr_format = zarr_format, .all = json_object_new_object()};
    int status;

    for (size_t i = 0; i < n_groups; i++)
        if (!*groups[i].path)
            w.attrs = groups[i].attrs;
    bool ok = add_root(&w);
    for (size_t i = 0; ok && i < n_groups; i++)
        ok = !*groups[i].path || (add_parents(&w, groups[i].path) && add_group(&w, groups[i].path, groups[i].attrs));
    for (size_t i = 0; ok && i < n; i++)
        ok = add_array(&w, arrays[i]);
    status = !ok ? gt_no_memory(err) : zarr_format == 3 ? put_root_v3(&w, err) : put_root_v2(&w, err);
    if (!status)
        status = put_each(&w, err);
    json_object_put(w.all);
    return status;
}

int gt_group_put_meta(struct gt_store *store, int zarr_format, struct json_object *attrs, struct gt_array *const *arrays, size_t n,
                      struct gt_err *err)
{
    const struct gt_group_spec root = {"", attrs};
    return gt_group_put_all(store, zarr_format, &root, 1, arrays, n, err);
}
