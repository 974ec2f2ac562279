/* --slice, --pick, --transpose and --order by axis names, in all arrays of a group that have these axes. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/store_job.h"
#include "core/base/json.h"
#include "core/base/mem.h"

/* GT_USAGE if no array has the axis, or arrays differ in its length. */
static int find_length(const struct gt_rechunk_store *store, const char *option, const char *name, int64_t *length, struct gt_err *err)
{
    const struct gt_rechunk_job *first = NULL;
    for (const struct gt_rechunk_job *job = store->job; job < store->job + store->n_jobs; job++)
        for (int axis = 0; axis < job->from.ndim; axis++) {
            if (!gt_rechunk_axis_is_named(job, axis, name, strlen(name)))
                continue;
            if (first && job->from.shape[axis] != *length) {
                gt_fail(err, GT_USAGE, "%s: axis '%s' has %lld items in '%s', and %lld in '%s'", option, name, (long long)*length,
                        gt_rechunk_name(first->source), (long long)job->from.shape[axis], gt_rechunk_name(job->source));
                gt_hint(err, "--array PATH copies one array or group alone");
                return GT_USAGE;
            }
            first = first ? first : job;
            *length = job->from.shape[axis];
        }
    return first ? GT_OK : gt_fail(err, GT_USAGE, "%s: no array has an axis '%s'", option, name);
}

/* A new entry, whose name is taken over. */
static int add_axis(struct gt_rechunk_store *store, const char *option, char *name, struct gt_named_axis **axis, struct gt_err *err)
{
    int status = name ? gt_grow(&store->named, &store->cap_named, store->n_named + 1, sizeof *store->named, err) : GT_FAIL;
    if (status) {
        free(name);
        return status;
    }
    *axis = &store->named[store->n_named++];
    **axis = (struct gt_named_axis){.name = name};
    for (size_t i = 0; i + 1 < store->n_named; i++)
        if (strcmp(store->named[i].name, name) == 0)
            return gt_fail(err, GT_USAGE, "%s: items of axis '%s' were chosen before", option, name);
    return find_length(store, option, name, &(*axis)->length, err);
}

/* --- --slice -------------------------------------------------------------------------------------- */

bool gt_rechunk_slice_is_named(const char *slice)
{
    return slice && strchr(slice, '=');
}

/* "time=:10" */
static int add_slice(struct gt_rechunk_store *store, const char *text, size_t n, struct gt_err *err)
{
    const char *equals = memchr(text, '=', n);
    struct gt_named_axis *axis;
    if (!equals || equals == text)
        return gt_fail(err, GT_USAGE, "--slice: '%.*s' is not AXIS=SLICE; name all axes or none", (int)n, text);
    char *slice = gt_strndup(equals + 1, n - (size_t)(equals + 1 - text), err);
    int status = slice ? add_axis(store, "--slice", gt_strndup(text, (size_t)(equals - text), err), &axis, err) : GT_FAIL;
    status = status ? status : gt_slice_parse(slice, &axis->slice, 1, err);
    if (!status && axis->slice.step < 0) {
        status = gt_index_list_of_slice(&axis->pick, store->engine, &axis->slice, axis->length, err);
        axis->picked = true;
    }
    free(slice);
    return status;
}

int gt_rechunk_named_slices(struct gt_rechunk_store *store, struct gt_err *err)
{
    int status = GT_OK;
    for (const char *p = store->opts.slice; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        status = add_slice(store, p, strcspn(p, ","), err);
    return status;
}

int gt_rechunk_named_pick(struct gt_rechunk_store *store, const struct gt_index_list_arg *part, struct gt_err *err)
{
    struct gt_named_axis *axis;
    int status = add_axis(store, "--pick", gt_strdup(part->axis, err), &axis, err);
    if (status)
        return status;
    axis->picked = true;
    return gt_index_list_read(&axis->pick, store->engine, part, axis->length, err);
}

static int set_axis(const struct gt_named_axis *named, struct gt_rechunk_job *job, int axis, struct gt_err *err)
{
    int64_t start, stop, step;
    if (named->picked) {
        const bool slice = gt_index_list_is_slice(&named->pick, &start, &step);
        gt_matrix_view_pick(&job->view, axis, slice ? start : 0, named->pick.n, slice ? step : 1, false);
        job->view.list[axis] = slice ? NULL : gt_buf_i64(&named->pick.place);
        return GT_OK;
    }
    int status = gt_slice_resolve(&named->slice, named->length, named->name, &start, &stop, &step, err);
    if (!status)
        gt_matrix_view_pick(&job->view, axis, start, stop > start ? (stop - start - 1) / step + 1 : 0, step, named->slice.is_index);
    return status;
}

int gt_rechunk_named_set(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    int status = GT_OK;
    for (size_t i = 0; i < store->n_named; i++) {
        const char *name = store->named[i].name;
        for (int axis = 0; axis < job->from.ndim && !status; axis++)
            if (gt_rechunk_axis_is_named(job, axis, name, strlen(name)))
                status = set_axis(&store->named[i], job, axis, err);
    }
    return status;
}

/* --- --transpose, --order ---------------------------------------------------------------------------- */

/* The axes of the array in the order of the names, all of which some array has. */
static int order_axes(struct gt_rechunk_job *job, const char *text, struct gt_err *err)
{
    int order[GT_MAX_DIMS], n = 0;
    for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        for (int k = 0; k < job->view.ndim && n < GT_MAX_DIMS; k++)
            if (gt_rechunk_axis_is_named(job, job->view.axis[k], p, strcspn(p, ",")))
                order[n++] = k;
    for (int k = 0; k < job->view.ndim; k++) {
        bool there = false;
        for (int i = 0; i < n; i++)
            there = there || order[i] == k;
        const char *name = gt_rechunk_axis_name(job, job->view.axis[k]);
        if (!there)
            return gt_fail(err, GT_USAGE, "--order: axis '%s' of '%s' is missing; name the axes of all arrays", name ? name : "",
                           gt_rechunk_name(job->source));
    }
    if (n != job->view.ndim)
        return gt_fail(err, GT_USAGE, "--order: an axis of '%s' is given twice", gt_rechunk_name(job->source));
    gt_matrix_view_order(&job->view, order);
    return GT_OK;
}

static int check_names(const struct gt_rechunk_store *store, const char *text, struct gt_err *err)
{
    int status = GT_OK;
    for (const char *p = text; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        bool any = false;
        for (size_t i = 0; i < store->n_jobs; i++)
            any = any || gt_rechunk_axis_of_name(&store->job[i], p, strcspn(p, ",")) >= 0;
        if (!any)
            status = gt_fail(err, GT_USAGE, "--order: no array has an axis '%.*s'", (int)strcspn(p, ","), p);
    }
    return status;
}

int gt_rechunk_named_order(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    if (store->opts.transpose)
        gt_matrix_view_transpose(&job->view);
    if (!store->opts.order)
        return GT_OK;
    int status = check_names(store, store->opts.order, err);
    return status ? status : order_axes(job, store->opts.order, err);
}

/* --- coordinates of axes that went ---------------------------------------------------------------------- */

/* Has the group of the job an array that is named as the axis and has only this one? */
static bool has_coordinate(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, const char *name)
{
    const char *path = job->source->path, *slash = strrchr(path, '/');
    const size_t group = slash ? (size_t)(slash + 1 - path) : 0;
    for (size_t i = 0; i < store->n_jobs; i++) {
        const struct gt_array *other = store->job[i].source;
        if (&store->job[i] != job && other->ndim == 1 && strncmp(other->path, path, group) == 0 && strcmp(other->path + group, name) == 0)
            return true;
    }
    return false;
}

static bool stays(const struct gt_matrix_view *view, int axis)
{
    bool there = false;
    for (int k = 0; k < view->ndim; k++)
        there = there || view->axis[k] == axis;
    return there;
}

int gt_rechunk_named_coordinates(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct json_object *attrs,
                                 struct gt_err *err)
{
    struct json_object *before = gt_json_get(attrs, "coordinates");
    struct gt_str text = {0};
    int status = GT_OK;
    bool any = false;
    if (json_object_is_type(before, json_type_string))
        gt_str_add(&text, json_object_get_string(before));
    for (int axis = 0; axis < job->from.ndim; axis++) {
        const char *name = stays(&job->view, axis) ? NULL : gt_rechunk_axis_name(job, axis);
        if (!name || !has_coordinate(store, job, name))
            continue;
        gt_str_addf(&text, "%s%s", text.len ? " " : "", name);
        any = true;
    }
    status = gt_str_check(&text, err);
    if (!status && any && !gt_json_set(attrs, "coordinates", json_object_new_string(text.s)))
        status = gt_no_memory(err);
    gt_str_release(&text);
    return status;
}

void gt_rechunk_named_release(struct gt_rechunk_store *store)
{
    for (size_t i = 0; i < store->n_named; i++) {
        free(store->named[i].name);
        gt_index_list_release(&store->named[i].pick);
    }
    free(store->named);
}
