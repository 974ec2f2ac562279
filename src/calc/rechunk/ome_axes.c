/* Names of axes that OME-Zarr 0.4 keeps in the attribute `multiscales` of a group, for its arrays (0.5 has dimension_names too). */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/store_job.h"
#include "core/base/json.h"
#include "core/base/mem.h"

static struct json_object *multiscales(struct json_object *attrs)
{
    struct json_object *ome = gt_json_get(attrs, "ome"), *list = gt_json_get(ome ? ome : attrs, "multiscales");
    return json_object_is_type(list, json_type_array) ? list : NULL;
}

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *text = gt_json_get(object, key);
    return json_object_is_type(text, json_type_string) ? json_object_get_string(text) : NULL;
}

/* Axes that have no name get it. */
static int name_axes(struct gt_array *array, struct json_object *axes, struct gt_err *err)
{
    if (!json_object_is_type(axes, json_type_array) || (int)json_object_array_length(axes) != array->ndim)
        return GT_OK;
    for (int k = 0; k < array->ndim; k++) {
        const char *name = text_of(json_object_array_get_idx(axes, (size_t)k), "name");
        if (name && !array->dim_names[k] && !(array->dim_names[k] = gt_strdup(name, err)))
            return GT_FAIL;
    }
    return GT_OK;
}

/* Is it the array at path `name` of the group? */
static bool is_at(const char *array, const char *group, const char *name)
{
    const size_t n = strlen(group);
    return strncmp(array, group, n) == 0 && (n == 0 || array[n] == '/') && strcmp(array + n + (n > 0), name) == 0;
}

static int name_datasets(struct gt_rechunk_store *store, const char *group, struct json_object *scale, struct gt_err *err)
{
    struct json_object *datasets = gt_json_get(scale, "datasets");
    const size_t n = json_object_is_type(datasets, json_type_array) ? json_object_array_length(datasets) : 0;
    int status = GT_OK;
    for (size_t k = 0; k < n && !status; k++) {
        const char *path = text_of(json_object_array_get_idx(datasets, k), "path");
        for (size_t i = 0; i < store->n_jobs && path && !status; i++)
            if (is_at(gt_rechunk_in_group(store, store->job[i].source->path), group, path)) {
                status = name_axes(store->job[i].source, gt_json_get(scale, "axes"), err);
                store->job[i].image = true;
            }
    }
    return status;
}

/* Of an array alone: its group is looked at. */
static int name_alone(struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_array *array = store->job[0].source;
    struct gt_group *group = NULL;
    struct gt_err ignored = {0};
    char *path = gt_strdup(array->path, err), *slash = path ? strrchr(path, '/') : NULL;
    int status = path ? GT_OK : GT_FAIL;
    const char *name = slash ? slash + 1 : path;
    if (slash)
        *slash = '\0';
    if (!status && *name && !gt_group_open(&group, array->store, slash ? path : "", &ignored)) {
        struct json_object *list = multiscales(group->attrs);
        for (size_t k = 0; list && k < json_object_array_length(list) && !status; k++) {
            struct json_object *scale = json_object_array_get_idx(list, k), *datasets = gt_json_get(scale, "datasets");
            for (size_t i = 0; json_object_is_type(datasets, json_type_array) && i < json_object_array_length(datasets) && !status; i++) {
                const char *at = text_of(json_object_array_get_idx(datasets, i), "path");
                if (at && strcmp(at, name) == 0)
                    status = name_axes(array, gt_json_get(scale, "axes"), err);
            }
        }
    }
    gt_group_free(group);
    free(path);
    return status;
}

int gt_rechunk_ome_axes(struct gt_rechunk_store *store, struct gt_err *err)
{
    int status = store->group || !store->n_jobs ? GT_OK : name_alone(store, err);
    for (size_t g = 0; g < store->n_groups && !status; g++) {
        struct json_object *list = multiscales(store->groups[g].attrs);
        for (size_t k = 0; list && k < json_object_array_length(list) && !status; k++)
            status = name_datasets(store, store->groups[g].path, json_object_array_get_idx(list, k), err);
    }
    return status;
}

int gt_rechunk_ome_check(const struct gt_rechunk_job *job, struct gt_err *err)
{
    bool same = job->view.ndim == job->from.ndim;
    for (int k = 0; k < job->view.ndim; k++)
        same = same && job->view.axis[k] == k;
    if (same || !job->image)
        return GT_OK;
    gt_fail(err, GT_USAGE, "'%s' is an image of an OME-Zarr group, whose metadata list its axes in order: axes cannot go or change places",
            gt_rechunk_name(job->source));
    gt_hint(err, "--array PATH copies the array alone; a slice such as c=0:1 keeps the axis");
    return GT_USAGE;
}
