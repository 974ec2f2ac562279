#include "calc/rechunk.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/size.h"
#include "calc/rechunk_impl.h"

/* --- plan -------------------------------------------------------------------------------- */

/* A unit as stored and as decoded, and what codecs need in between; a chunk likewise. */
static int64_t unit_work(const struct gt_array *array)
{
    return gt_bytes_add(gt_bytes_mul(3, (int64_t)array->unit_bytes), 64 << 10);
}

static int64_t chunk_work(const struct gt_array *array)
{
    bool exact;
    size_t bound = gt_codec_bound(array->codecs, &exact), work = gt_codec_work_bytes(array->codecs, array->chunk_bytes);
    int64_t beside = work > GT_CODEC_KEPT ? (int64_t)work : 0;
    return gt_bytes_add(gt_bytes_mul(2, (int64_t)array->chunk_bytes), gt_bytes_add((int64_t)bound, beside + (64 << 10)));
}

static void set_axis(struct gt_rechunk *r, const struct gt_matrix_view *view, int k, int axis)
{
    const struct gt_array *source = r->source;
    r->axis[k] = axis;
    r->wish.size[k] = source->shape[axis];
    r->wish.axis[k] = (struct gt_cut_axis){.n = view->all.count[axis],
                                           .start = view->all.start[axis],
                                           .step = view->all.step[axis],
                                           .unit = source->unit[axis],
                                           .chunk = k < r->to->ndim ? r->to->chunk[k] : 1};
    r->whole.to[k] = view->all.count[axis];
}

/* Axes of the view, then those that went. */
static void set_axes(struct gt_rechunk *r, const struct gt_matrix_view *view)
{
    bool in_view[GT_MAX_DIMS] = {0};
    int n = view->ndim;
    for (int k = 0; k < view->ndim; k++) {
        set_axis(r, view, k, view->axis[k]);
        in_view[view->axis[k]] = true;
    }
    for (int axis = 0; axis < view->array_ndim; axis++)
        if (!in_view[axis])
            set_axis(r, view, n++, axis);
    r->wish.ndim = r->whole.ndim = n;
}

/* Would a chunk with the same items be the same bytes? */
static bool same_chunks(const struct gt_rechunk *r)
{
    const struct gt_array *a = r->source, *b = r->to;
    bool same = a->ndim == b->ndim && gt_codec_alike(a->codecs, b->codecs);
    for (int k = 0; k < b->ndim; k++)
        same = same && r->axis[k] == k;
    return same;
}

static int check(const struct gt_rechunk *r, const struct gt_matrix_view *view, struct gt_err *err)
{
    bool same = view->ndim == r->to->ndim && r->to->dtype.type == r->source->dtype.type && r->to->dtype.size == r->source->dtype.size;
    if (r->source->dtype.type == GT_STRING)
        return gt_fail_unsupported(err, "array '%s' holds texts of variable length, and its chunks cannot be changed", r->source->path);
    for (int k = 0; same && k < view->ndim; k++)
        same = r->to->shape[k] == view->all.count[view->axis[k]];
    return same ? 0 : gt_fail(err, GT_USAGE, "array '%s' has another shape or type than is written", r->source->path);
}

static int make_plan(struct gt_rechunk *r, const struct gt_matrix_view *view, int64_t memory, struct gt_err *err)
{
    set_axes(r, view);
    r->wish.item_bytes = (int64_t)r->item;
    r->wish.unit_bytes = unit_work(r->source);
    r->wish.chunk_bytes = chunk_work(r->to);
    r->wish.same = same_chunks(r);
    r->wish.tickets = gt_flow_most_items(r->engine, r->engine->limits.io_threads);
    r->wish.memory = memory;
    int status = gt_rechunk_plan_make(&r->plan, &r->wish, err);
    if (status == GT_NOFIT)
        gt_hint(err, "--memory %lldM would do", (long long)gt_shares_memory(r->engine, r->plan.least));
    return status;
}

int gt_rechunk_new(struct gt_rechunk **out, struct gt_engine *engine, struct gt_array *source, const struct gt_matrix_view *view,
                   struct gt_array *to, int64_t memory, struct gt_err *err)
{
    const struct gt_cache_opts opts = {.budget = &engine->budget};
    struct gt_rechunk *r = gt_alloc(1, sizeof *r, err);
    *out = NULL;
    if (!r)
        return GT_FAIL;
    r->engine = engine;
    r->source = source;
    r->to = to;
    r->item = source->dtype.size;
    r->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    int status = check(r, view, err);
    if (!status)
        status = gt_cache_new(&r->cache, source, &opts, err);
    if (!status)
        status = make_plan(r, view, memory, err);
    if (status)
        gt_rechunk_free(r);
    else
        *out = r;
    return status;
}

const struct gt_rechunk_plan *gt_rechunk_plan(const struct gt_rechunk *r)
{
    return &r->plan;
}

void gt_rechunk_free(struct gt_rechunk *r)
{
    if (!r)
        return;
    gt_rechunk_plan_release(&r->plan);
    gt_cache_free(r->cache);
    gt_spoolfile_release(&r->spool);
    free(r);
}

int gt_rechunk_run(struct gt_rechunk *r, struct gt_err *err)
{
    if (gt_box_items(&r->whole) == 0)
        return 0;
    switch (r->plan.way) {
    case GT_RECHUNK_COPY:
        return gt_rechunk_copy(r, err);
    case GT_RECHUNK_TILES:
        return gt_rechunk_tiles(r, err);
    default:
        return gt_rechunk_boxes(r, err);
    }
}
