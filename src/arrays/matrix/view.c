#include "config.h"

#include "arrays/matrix/view.h"

#include <stdio.h>

/* Strides of a block: the view's axes in C order, those of the array that went 0. */
static void set_strides(struct gt_matrix_view *view)
{
    int64_t stride = 1;
    for (int i = 0; i < view->array_ndim; i++)
        view->stride[i] = 0;
    for (int i = view->ndim - 1; i >= 0; i--) {
        view->stride[view->axis[i]] = stride;
        stride *= view->all.count[view->axis[i]];
    }
}

int gt_matrix_view_make(struct gt_matrix_view *view, int ndim, const int64_t *shape, const char *slice, struct gt_err *err)
{
    struct gt_slice axes[GT_MAX_DIMS];
    int status = slice ? gt_slice_parse(slice, axes, ndim, err) : 0;
    return status ? status : gt_matrix_view_slice(view, ndim, shape, slice ? axes : NULL, err);
}

int gt_matrix_view_slice(struct gt_matrix_view *view, int ndim, const int64_t *shape, const struct gt_slice *axes, struct gt_err *err)
{
    const struct gt_slice whole = {0};
    char name[24];
    int status = 0;
    *view = (struct gt_matrix_view){.array_ndim = ndim};
    for (int i = 0; i < ndim && !status; i++) {
        int64_t start, stop, step;
        snprintf(name, sizeof name, "%d.", i + 1);
        status = gt_slice_resolve(axes ? &axes[i] : &whole, shape[i], name, &start, &stop, &step, err);
        if (status)
            break;
        view->all.start[i] = start;
        view->all.step[i] = step;
        view->all.count[i] = stop > start ? (stop - start - 1) / step + 1 : 0;
        if (!axes || !axes[i].is_index)
            view->axis[view->ndim++] = i;
    }
    set_strides(view);
    return status;
}

void gt_matrix_view_transpose(struct gt_matrix_view *view)
{
    for (int i = 0; i < view->ndim / 2; i++) {
        int axis = view->axis[i];
        view->axis[i] = view->axis[view->ndim - 1 - i];
        view->axis[view->ndim - 1 - i] = axis;
    }
    set_strides(view);
}

void gt_matrix_view_order(struct gt_matrix_view *view, const int *order)
{
    const struct gt_matrix_view was = *view;
    for (int i = 0; i < view->ndim; i++)
        view->axis[i] = was.axis[order[i]];
    set_strides(view);
}

void gt_matrix_view_pick(struct gt_matrix_view *view, int axis, int64_t start, int64_t count, int64_t step, bool goes)
{
    int n = 0;
    view->all.start[axis] = start;
    view->all.count[axis] = count;
    view->all.step[axis] = step;
    for (int i = 0; i < view->ndim; i++)
        if (!goes || view->axis[i] != axis)
            view->axis[n++] = view->axis[i];
    view->ndim = n;
    set_strides(view);
}

void gt_matrix_view_rows(const struct gt_matrix_view *view, int64_t first, int64_t n, struct gt_region *region)
{
    *region = view->all;
    if (!view->ndim)
        return;
    int rows = view->axis[0];
    region->start[rows] += first * region->step[rows];
    region->count[rows] = n;
}
