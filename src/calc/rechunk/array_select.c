/* --pick: items of the main array's axes. */
#include <string.h>

#include "calc/rechunk/store_job.h"

static int read_pick(struct gt_rechunk_store *store, const struct gt_index_list_arg *part, struct gt_err *err)
{
    const struct gt_rechunk_job *job = store->main < 0 ? NULL : &store->job[store->main];
    const int axis = job ? gt_rechunk_job_axis(job, part->axis, strlen(part->axis)) : -1;
    if (axis < 0 && (!job || store->n_jobs > 1))
        return gt_rechunk_named_pick(store, part, err);
    if (axis < 0)
        return gt_fail(err, GT_USAGE, "--pick: '%s' has no axis '%s'", gt_rechunk_name(job->source), part->axis);
    if (store->picked[axis])
        return gt_fail(err, GT_USAGE, "--pick: axis '%s' was given twice", part->axis);
    store->picked[axis] = true;
    return gt_index_list_read(&store->pick[axis], store->engine, part, job->from.shape[axis], err);
}

/* Axes that are reversed get lists. */
static int read_slice(struct gt_rechunk_store *store, struct gt_err *err)
{
    if (gt_rechunk_slice_is_named(store->opts.slice))
        return gt_rechunk_named_slices(store, err);
    const struct gt_rechunk_job *job = &store->job[store->main];
    int status = gt_slice_parse(store->opts.slice, store->slice, job->from.ndim, err);
    for (int axis = 0; axis < job->from.ndim && !status; axis++)
        if (store->slice[axis].step < 0) {
            status = gt_index_list_of_slice(&store->pick[axis], store->engine, &store->slice[axis], job->from.shape[axis], err);
            store->slice[axis] = (struct gt_slice){0};
            store->picked[axis] = true;
        }
    return status;
}

int gt_rechunk_index_lists_read(struct gt_rechunk_store *store, struct gt_err *err)
{
    int status = store->opts.slice ? read_slice(store, err) : 0;
    for (const char *p = store->opts.pick, *next; p && !status; p = next) {
        struct gt_index_list_arg part;
        status = gt_index_list_arg(&part, p, &next, err);
        status = status ? status : read_pick(store, &part, err);
        gt_index_list_arg_release(&part);
    }
    return status || !store->opts.selected_by ? status : gt_rechunk_select(store, err);
}

/* Is nothing sliced of an axis of n items? */
static bool is_whole(const struct gt_matrix_view *view, int axis, int64_t n)
{
    bool there = false;
    for (int i = 0; i < view->ndim; i++)
        there = there || view->axis[i] == axis;
    return there && view->all.count[axis] == n;
}

int gt_rechunk_index_lists_set(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err)
{
    struct gt_matrix_view *view = &job->view;
    for (int axis = 0; axis < job->from.ndim; axis++) {
        const struct gt_index_list *pick = &store->pick[axis];
        int64_t start, step;
        if (!store->picked[axis])
            continue;
        if (!is_whole(view, axis, job->from.shape[axis]))
            return gt_fail(err, GT_USAGE, "%s and --slice: both choose items of '%s' along axis %d",
                           store->opts.pick ? "--pick" : "a selection", gt_rechunk_name(job->source), axis);
        const bool slice = gt_index_list_is_slice(pick, &start, &step);
        gt_matrix_view_pick(view, axis, slice ? start : 0, pick->n, slice ? step : 1, false);
        view->list[axis] = slice ? NULL : gt_buf_i64(&pick->place);
    }
    return 0;
}

void gt_rechunk_index_lists_release(struct gt_rechunk_store *store)
{
    for (int axis = 0; axis < GT_MAX_DIMS; axis++)
        gt_index_list_release(&store->pick[axis]);
    gt_rechunk_named_release(store);
}
