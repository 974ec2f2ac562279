/* What stands below a group: from consolidated metadata, else from the keys of
 * the store, if it can list them. */
#include "arrays/zarr/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/meta.h"
#include "core/base/mem.h"

struct nodes {
    struct gt_group *group;
    struct gt_node *list;
    size_t n, cap;
    struct gt_err *err;
};

/* Keys are made of node paths, so a path must not climb out of the store. */
static bool is_safe(const char *path, size_t len)
{
    for (size_t i = 0; i < len;) {
        const char *end = memchr(path + i, '/', len - i);
        size_t n = end ? (size_t)(end - path) - i : len - i;
        if (n == 0 || (n == 1 && path[i] == '.') || (n == 2 && path[i] == '.' && path[i + 1] == '.'))
            return false;
        i += n + 1;
    }
    return len == 0 || path[len - 1] != '/';
}

static int add(struct nodes *nodes, const char *path, size_t len, bool is_array, int zarr_format)
{
    int status;
    if (!is_safe(path, len))
        return GT_OK;
    if ((status = gt_grow(&nodes->list, &nodes->cap, nodes->n + 1, sizeof *nodes->list, nodes->err)) != GT_OK)
        return status;
    nodes->list[nodes->n] = (struct gt_node){gt_strndup(path, len, nodes->err), is_array, zarr_format};
    return nodes->list[nodes->n].path ? (nodes->n++, GT_OK) : GT_FAIL;
}

/* Is `key` the document `name` of a node?  *len: length of the node's path. */
static bool ends_in(const char *key, const char *name, size_t *len)
{
    size_t k = strlen(key), n = strlen(name);

    if (k < n || strcmp(key + k - n, name) != 0 || (k > n && key[k - n - 1] != '/'))
        return false;
    *len = k > n ? k - n - 1 : 0;
    return true;
}

static int from_consolidated(struct nodes *nodes)
{
    int status = GT_OK;
    json_object_object_foreach(nodes->group->consolidated, key, doc)
    {
        size_t len;
        if (nodes->group->zarr_format == 3) {
            status = add(nodes, key, strlen(key), !gt_meta_is_group(doc), 3);
        } else if (ends_in(key, ".zarray", &len)) {
            status = add(nodes, key, len, true, 2);
        } else if (ends_in(key, ".zgroup", &len)) {
            status = add(nodes, key, len, false, 2);
        }
        if (status)
            break;
    }
    return status;
}

static int on_key(void *ctx, const char *key, int64_t size)
{
    struct nodes *nodes = ctx;
    size_t skip = strlen(nodes->group->path), len;
    const char *rel = skip && strncmp(key, nodes->group->path, skip) == 0 && key[skip] == '/' ? key + skip + 1 : key;
    struct json_object *doc;
    struct gt_err why = {0};
    int status;

    (void)size;
    if (ends_in(rel, ".zarray", &len))
        return add(nodes, rel, len, true, 2);
    if (ends_in(rel, ".zgroup", &len))
        return add(nodes, rel, len, false, 2);
    if (!ends_in(rel, "zarr.json", &len))
        return GT_OK;
    status = gt_meta_get(nodes->group->store, "", key, &doc, &why);
    if (status == GT_INPUT || (status > 0 && why.errnum == EACCES)) /* opening it reports the fault */
        return add(nodes, rel, len, true, 3);
    if (status > 0 && nodes->err)
        *nodes->err = why;
    if (status)
        return status;
    status = add(nodes, rel, len, !gt_meta_is_group(doc), 3);
    json_object_put(doc);
    return status;
}

/* By path; of two nodes at one path the v3 one first. */
static int by_path(const void *a, const void *b)
{
    const struct gt_node *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : y->zarr_format != x->zarr_format ? y->zarr_format - x->zarr_format : (int)y->is_array - (int)x->is_array;
}

int gt_group_nodes(struct gt_group *group, struct gt_node **list, size_t *n, struct gt_err *err)
{
    struct nodes nodes = {group, NULL, 0, 0, err};
    size_t kept = 0;
    int status = GT_OK;

    if (group->consolidated)
        status = from_consolidated(&nodes);
    else if (group->store->ops->list)
        status = group->store->ops->list(group->store, group->path, on_key, &nodes, err);
    if (!status)
        status = add(&nodes, "", 0, false, group->zarr_format);
    if (status) {
        gt_nodes_free(nodes.list, nodes.n);
        return status;
    }
    qsort(nodes.list, nodes.n, sizeof *nodes.list, by_path);
    for (size_t i = 0; i < nodes.n; i++) {
        if (kept > 0 && strcmp(nodes.list[kept - 1].path, nodes.list[i].path) == 0)
            free(nodes.list[i].path);
        else
            nodes.list[kept++] = nodes.list[i];
    }
    *list = nodes.list;
    *n = kept;
    return GT_OK;
}

void gt_nodes_free(struct gt_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(nodes[i].path);
    free(nodes);
}
