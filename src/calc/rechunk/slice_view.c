/* One array of a store: which of its items, along which axes. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/store_job.h"

bool gt_rechunk_is_main(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job)
{
    return store->main >= 0 && job == &store->job[store->main];
}

const char *gt_rechunk_axis_name(const struct gt_rechunk_job *job, int axis)
{
    return gt_axis_name(job->source, job->from.form == GT_ITEMS_PACKED, axis);
}

/* The main array's axis that is the same as this one; -1: there is none. */
static int main_axis(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, int axis)
{
    const struct gt_rechunk_job *main = &store->job[store->main];
    const char *name = gt_rechunk_axis_name(job, axis);
    for (int i = 0; name && i < main->from.ndim; i++) {
        const char *other = gt_rechunk_axis_name(main, i);
        if (other && strcmp(name, other) == 0 && job->from.shape[axis] == main->from.shape[i])
            return i;
    }
    return -1;
}

static int place_in(const struct gt_matrix_view *view, int axis)
{
    for (int i = 0; i < view->ndim; i++)
        if (view->axis[i] == axis)
            return i;
    return -1;
}

static void follow_axis(struct gt_rechunk_job *job, int axis, const struct gt_matrix_view *view, int other, bool goes)
{
    gt_matrix_view_pick(&job->view, axis, view->all.start[other], view->all.count[other], view->all.step[other], goes);
    job->view.list[axis] = view->list[other];
}

/* Sliced and ordered as the main array. */
static void follow(const struct gt_rechunk_store *store, struct gt_rechunk_job *job)
{
    const struct gt_matrix_view *view = &store->job[store->main].view;
    int place[GT_MAX_DIMS], order[GT_MAX_DIMS], n = 0;
    bool all = true;
    for (int axis = 0; axis < job->from.ndim; axis++) {
        int other = main_axis(store, job, axis);
        place[axis] = other < 0 ? -1 : place_in(view, other);
        if (other >= 0)
            follow_axis(job, axis, view, other, place[axis] < 0);
        all = all && other >= 0;
    }
    for (int k = 0; all && k < view->ndim; k++)
        for (int i = 0; i < job->view.ndim; i++)
            if (place[job->view.axis[i]] == k && n < job->view.ndim)
                order[n++] = i;
    if (all && n == job->view.ndim)
        gt_matrix_view_order(&job->view, order);
}

/* The number of one of `axes` axes, from the end where it is below 0, as in NumPy. */
static bool is_number(const char *text, size_t n, int axes, long *number)
{
    char *end;
    const bool below = n > 1 && text[0] == '-';
    *number = strtol(text, &end, 10) + (below ? axes : 0);
    return n > 0 && n < 5 && text[below] >= '0' && text[below] <= '9' && end == text + n && *number >= 0 && *number < axes;
}

bool gt_rechunk_axis_is_named(const struct gt_rechunk_job *job, int axis, const char *text, size_t n)
{
    const char *name = gt_rechunk_axis_name(job, axis);
    return name && strlen(name) == n && strncmp(name, text, n) == 0;
}

int gt_rechunk_axis_of_name(const struct gt_rechunk_job *job, const char *text, size_t n)
{
    for (int i = 0; i < job->from.ndim; i++)
        if (gt_rechunk_axis_is_named(job, i, text, n))
            return i;
    return -1;
}

int gt_rechunk_job_axis(const struct gt_rechunk_job *job, const char *text, size_t n)
{
    const int axis = gt_rechunk_axis_of_name(job, text, n);
    long number;
    return axis < 0 && is_number(text, n, job->from.ndim, &number) ? (int)number : axis;
}

/* The number of the view's axis that a text names. */
static int find_axis(const struct gt_rechunk_job *job, const char *text, size_t n)
{
    const int axis = gt_rechunk_axis_of_name(job, text, n), place = axis < 0 ? -1 : place_in(&job->view, axis);
    long number;
    return place < 0 && is_number(text, n, job->view.ndim, &number) ? (int)number : place;
}

static int set_order(struct gt_rechunk_job *job, const char *text, struct gt_err *err)
{
    int order[GT_MAX_DIMS], n = 0;
    bool seen[GT_MAX_DIMS] = {0};
    for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const size_t len = strcspn(p, ",");
        int axis = find_axis(job, p, len);
        if (axis < 0 || seen[axis])
            return gt_fail(err, GT_USAGE, axis < 0 ? "--order: '%s' has no axis '%.*s'" : "--order of '%s': axis '%.*s' is given twice",
                           gt_rechunk_name(job->source), (int)len, p);
        seen[axis] = true;
        order[n++] = axis;
    }
    if (n != job->view.ndim)
        return gt_fail(err, GT_USAGE, "--order names %d axes, and '%s' has %d", n, gt_rechunk_name(job->source), job->view.ndim);
    gt_matrix_view_order(&job->view, order);
    return 0;
}

static int reduce_axis(struct gt_rechunk_job *job, const char *text, size_t n, bool goes[GT_MAX_DIMS], struct gt_err *err)
{
    const int axis = find_axis(job, text, n);
    if (axis < 0 || goes[axis])
        return gt_fail(err, GT_USAGE, axis < 0 ? "--reduce: '%s' has no axis '%.*s'" : "--reduce of '%s': axis '%.*s' is given twice",
                       gt_rechunk_name(job->source), (int)n, text);
    goes[axis] = true;
    return 0;
}

/* The axes that --reduce names go, with all their items; without names all do. */
static int set_reduce(struct gt_rechunk_store *store, struct gt_rechunk_job *job, const char *text, struct gt_err *err)
{
    const size_t n = strcspn(text, ":");
    const struct gt_matrix_view was = job->view;
    bool goes[GT_MAX_DIMS] = {0};
    int status = 0;
    if (!(store->reduction = gt_reduction_find(text, n, &store->skip_nan)))
        return gt_fail(err, GT_USAGE, "--reduce: unknown function '%.*s'; choose %s", (int)n, text, gt_reduction_names);
    if (text[n] && !text[n + 1]) {
        gt_fail(err, GT_USAGE, "--reduce %s: axes are missing after the colon", text);
        gt_hint(err, "--reduce %.*s:0, or --reduce %.*s for all axes", (int)n, text, (int)n, text);
        return GT_USAGE;
    }
    for (const char *p = text[n] ? text + n + 1 : NULL; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        status = reduce_axis(job, p, strcspn(p, ","), goes, err);
    for (int k = 0; k < was.ndim && !status; k++) {
        const int axis = was.axis[k];
        if (!text[n] || goes[k])
            gt_matrix_view_pick(&job->view, axis, was.all.start[axis], was.all.count[axis], was.all.step[axis], true);
    }
    return status;
}

int gt_rechunk_job_view(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    const bool main = gt_rechunk_is_main(store, job);
    int status = gt_matrix_view_slice(&job->view, job->from.ndim, job->from.shape, main ? store->slice : NULL, err);
    status = status ? status : gt_rechunk_named_set(store, job, err);
    if (!status && !main && store->main >= 0)
        follow(store, job);
    else if (!status && !main)
        status = gt_rechunk_named_order(store, job, err);
    if (status || !main)
        return status ? status : gt_rechunk_ome_check(job, err);
    if ((status = gt_rechunk_index_lists_set(store, job, err)) != 0)
        return status;
    if (store->opts.transpose)
        gt_matrix_view_transpose(&job->view);
    if (store->opts.order)
        status = set_order(job, store->opts.order, err);
    return status || !store->opts.reduce ? status : set_reduce(store, job, store->opts.reduce, err);
}
