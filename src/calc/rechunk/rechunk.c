#include "calc/rechunk/rechunk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "calc/rechunk/rechunk_internal.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/packed.h"
#include "kernels/kernels.h"
#include "storage/codec/shard.h"

/* --- plan -------------------------------------------------------------------------------- */

static int set_axis(struct gt_rechunk *r, const struct gt_matrix_view *view, int k, int axis, struct gt_err *err)
{
    r->axis[k] = axis;
    r->request.size[k] = r->from.shape[axis];
    r->request.axis[k] = (struct gt_partition_axis){.n = view->all.count[axis],
                                                    .start = view->all.start[axis],
                                                    .step = view->all.step[axis],
                                                    .unit = r->from.cell[axis],
                                                    .chunk = k < r->to.ndim ? r->to.cell[k] : gt_max_i64(1, view->all.count[axis]),
                                                    .reduced = k >= r->to.ndim};
    if (r->reduction && k >= r->to.ndim && r->request.axis[k].n == 0) {
        r->request.axis[k].n = 1; /* there are places for what comes of no items */
        r->none = true;
    }
    r->whole.to[k] = r->request.axis[k].n;
    if (!view->list[axis])
        return 0;
    r->request.axis[k].list = &r->list[k];
    return gt_partition_index_make(&r->list[k], view->list[axis], view->all.count[axis], r->from.cell[axis], &r->engine->budget, err);
}

/* Axes of the view, then those that went. */
static int set_axes(struct gt_rechunk *r, const struct gt_matrix_view *view, struct gt_err *err)
{
    bool in_view[GT_MAX_DIMS] = {0};
    int n = view->ndim, status = 0;
    for (int k = 0; k < view->ndim && !status; k++) {
        status = set_axis(r, view, k, view->axis[k], err);
        in_view[view->axis[k]] = true;
    }
    for (int axis = 0; axis < view->array_ndim && !status; axis++)
        if (!in_view[axis])
            status = set_axis(r, view, n++, axis, err);
    r->request.ndim = r->whole.ndim = n;
    return status;
}

/* Would a chunk with the same items be the same bytes, before it is encoded? */
static bool same_layout_chunks(const struct gt_rechunk *r)
{
    const struct gt_rechunk_end *a = &r->from, *b = &r->to;
    bool same = !r->reduction && a->ndim == b->ndim && a->form == b->form && a->type == b->type && a->item == b->item;
    for (int k = 0; k < b->ndim; k++)
        same = same && r->axis[k] == k;
    return same;
}

/* Real numbers become others, all else stays what it is. */
static int check_types(const struct gt_rechunk *r, struct gt_err *err)
{
    const struct gt_rechunk_end *a = &r->from, *b = &r->to;
    if (r->reduction && a->type > GT_F64)
        return gt_fail(err, GT_USAGE, "'%s': --reduce needs numbers; these are %s", gt_rechunk_name(a->array),
                       gt_type_is_text(a->type) ? "texts" : "complex numbers or datetimes");
    if ((a->type <= GT_F64 && b->type <= GT_F64) || (a->type == b->type && a->item == b->item))
        return 0;
    return gt_fail(err, GT_USAGE, "'%s': %s cannot be cast", gt_rechunk_name(a->array),
                   gt_type_is_text(a->type) || gt_type_is_text(b->type) ? "texts" : "complex numbers and datetimes");
}

static int check_shape(const struct gt_rechunk *r, const struct gt_matrix_view *view, struct gt_err *err)
{
    bool same = view->ndim == r->to.ndim && view->array_ndim == r->from.ndim;
    for (int k = 0; same && k < view->ndim; k++)
        same = r->to.shape[k] == view->all.count[view->axis[k]];
    return same ? 0 : gt_fail(err, GT_USAGE, "'%s' does not have the shape that is written", gt_rechunk_name(r->from.array));
}

/* Items of an axis that stays must not be mixed: units are folded one by one. */
static int check_reduction(const struct gt_rechunk *r, struct gt_err *err)
{
    if (r->none && !gt_reduction_of_none(r->reduction))
        return gt_fail(err, GT_USAGE, "'%s': %s of an empty axis is undefined", gt_rechunk_name(r->from.array),
                       gt_reduction_name(r->reduction));
    for (int k = 0; k < r->request.ndim && r->reduction; k++)
        if (r->list[k].order) {
            gt_fail(err, GT_USAGE, "'%s': --reduce with items that --pick reorders across chunks", gt_rechunk_name(r->from.array));
            gt_hint(err, "apply --pick to the output of --reduce, or pick in the input's order");
            return GT_USAGE;
        }
    return 0;
}

/* Plans list the places where axes are cut. */
enum { MOST_CUTS = 1 << 24 };

static int check_cuts(const struct gt_rechunk *r, struct gt_err *err)
{
    for (int k = 0; k < r->request.ndim; k++) {
        const struct gt_partition_axis *axis = &r->request.axis[k];
        const int64_t units = axis->list ? axis->list->parts.n : axis->step < axis->unit ? axis->n / axis->unit * axis->step : axis->n;
        if (axis->n / axis->chunk > MOST_CUTS || units > MOST_CUTS)
            return gt_fail(err, GT_USAGE, "'%s': an axis of %lld items in chunks of %lld is more than %d chunks",
                           gt_rechunk_name(r->from.array), (long long)axis->n,
                           (long long)(axis->chunk < axis->unit ? axis->chunk : axis->unit), MOST_CUTS);
    }
    return 0;
}

/* Of index lists, and of the flags of absent units. */
static int64_t list_bytes(const struct gt_rechunk *r)
{
    int64_t bytes = gt_rechunk_absent_bytes(r);
    for (int k = 0; k < r->request.ndim; k++)
        bytes += r->list[k].bytes;
    return bytes;
}

/* The flows that each way consists of. */
static void note_steps(const struct gt_rechunk *r)
{
    const struct gt_rechunk_plan *plan = &r->plan;
    const struct gt_plan_step steps[][3] = {
        [GT_RECHUNK_COPY] = {{.flow = "copy", .read = "read", .tasks = plan->slabs, .passes = 1}},
        [GT_RECHUNK_RECODE] = {{.flow = "recode", .read = "read", .work = "work", .tasks = plan->slabs, .passes = 1}},
        [GT_RECHUNK_TILES] = {{.flow = "rechunk", .read = "read", .work = "work", .tasks = plan->slabs, .passes = 1}},
        [GT_RECHUNK_BATCHES] = {{.flow = "decode", .read = "read", .work = "decode", .tasks = -1, .passes = plan->bands},
                                {.flow = "encode", .work = "encode", .tasks = -1, .passes = plan->bands}},
        [GT_RECHUNK_SPILL] = {{.flow = "spill", .read = "read", .work = "decode", .tasks = plan->slabs, .passes = 1},
                              {.flow = "read back", .read = "read", .work = "read back", .tasks = -1, .passes = plan->bands},
                              {.flow = "encode", .work = "encode", .tasks = -1, .passes = plan->bands}},
        [GT_RECHUNK_GATHER] = {{.flow = "decode", .read = "read", .work = "decode", .tasks = -1, .passes = plan->bands},
                               {.flow = "encode", .work = "encode", .tasks = -1, .passes = plan->bands}},
        [GT_RECHUNK_TEXTS] = {{.flow = "rechunk", .read = "read", .work = "strings", .tasks = plan->chunks, .passes = 1}}};
    for (int i = 0; i < 3 && steps[plan->way][i].flow; i++)
        gt_plan_record_step(r->engine->plan, &steps[plan->way][i]);
}

/* Bytes that are free there; 0: not known. */
static int64_t room_in(const char *folder)
{
    struct statvfs fs;
    return statvfs(folder, &fs) ? 0 : gt_bytes_mul((int64_t)fs.f_bavail, (int64_t)fs.f_frsize);
}

static int make_plan(struct gt_rechunk *r, const struct gt_matrix_view *view, int64_t memory, struct gt_err *err)
{
    int status = set_axes(r, view, err);
    status = status ? status : check_reduction(r, err);
    status = status ? status : check_cuts(r, err);
    if (status)
        return status;
    r->request.item_bytes = (int64_t)r->item;
    r->request.held_bytes = (int64_t)r->from.array->unit_bytes;
    r->request.unit_bytes = gt_rechunk_unit_bytes(&r->from, r->type != r->from.type);
    r->request.chunk_bytes = gt_rechunk_chunk_bytes(&r->to, r->type != r->to.type);
    if (r->reduction) {
        r->request.whole_boxes = true;
        r->request.item_bytes = gt_rechunk_reduce_cell(r);
        r->request.unit_bytes = gt_bytes_add(gt_rechunk_unit_bytes(&r->from, false), gt_rechunk_reduce_unit(r));
    }
    r->request.texts = r->from.type == GT_STRING;
    const struct gt_codec_chain *codec[2] = {r->from.array->codecs, r->to.array->codecs};
    const bool alike = same_layout_chunks(r);
    r->request.same = alike && !r->to.drop_empty && gt_codec_same_chain(codec[0], codec[1]);
    r->request.alike = alike && !r->request.texts && !gt_codec_shard(codec[0]) && !gt_codec_shard(codec[1]);
    r->request.tasks = gt_flow_most_items(r->engine, r->engine->limits.io_threads);
    r->request.memory = memory - list_bytes(r);
    r->request.file_room = room_in(r->engine->tmpdir);
    status = gt_rechunk_plan_make(&r->plan, &r->request, err);
    r->plan.minimum += list_bytes(r);
    gt_memory_plan_note(r->engine, r->plan.minimum, r->plan.peak);
    note_steps(r);
    const bool boxes =
        !status && (r->plan.way == GT_RECHUNK_BATCHES || r->plan.way == GT_RECHUNK_GATHER || r->plan.way == GT_RECHUNK_SPILL);
    for (int k = 0; k < r->request.ndim && boxes && !status; k++)
        status = gt_partition_make(&r->chunk_partition[k], &r->request.axis[k], GT_PARTITION_CHUNKS, 1, err);
    if (status == GT_NOFIT)
        gt_hint(err, "--memory %lldM would do", (long long)gt_memory_plan_ceiling(r->engine, r->plan.minimum));
    return status;
}

void gt_rechunk_end_init(struct gt_rechunk_end *end, struct gt_array *array, bool written, enum gt_item_layout form, int64_t samples)
{
    *end = (struct gt_rechunk_end){.array = array, .form = form, .ndim = array->ndim, .type = array->dtype.type, .item = array->dtype.size};
    memcpy(end->shape, array->shape, sizeof end->shape);
    memcpy(end->cell, written ? array->chunk : array->unit, sizeof end->cell);
    end->ploidy = gt_packed_ploidy(array);
    if (form != GT_ITEMS_PLAIN) {
        end->ndim = 2;
        end->type = GT_I8;
        end->item = 1;
    }
    if (form == GT_ITEMS_PACKED) {
        end->shape[1] = samples;
        end->cell[1] *= 4;
    }
}

const char *gt_rechunk_name(const struct gt_array *array)
{
    return *array->path || !array->store ? array->path : array->store->name;
}

static void set_ends(struct gt_rechunk *r, const struct gt_rechunk_end *from, const struct gt_rechunk_end *to)
{
    bool narrow = to->item < from->item;
    r->from = *from;
    r->to = *to;
    r->type = narrow ? to->type : from->type;
    r->item = narrow ? to->item : from->item;
    r->reduction = to->reduction;
    if (r->reduction && from->type <= GT_F64) {
        r->type = gt_reduction_type(r->reduction, from->type);
        r->item = gt_dtype_of(r->type).size;
    }
}

int gt_rechunk_new(struct gt_rechunk **out, struct gt_engine *engine, const struct gt_rechunk_setup *setup, struct gt_err *err)
{
    const struct gt_rechunk_end *from = setup->from;
    const struct gt_cache_opts opts = {.budget = &engine->budget,
                                       .texts = from->type == GT_STRING,
                                       .ordered = from->type == GT_STRING && from->ndim > 0,
                                       .behind = 1,
                                       .pad = from->form != GT_ITEMS_PLAIN ? GT_KERNEL_PAD : 0};
    struct gt_rechunk *r = gt_alloc(1, sizeof *r, err);
    *out = NULL;
    if (!r)
        return GT_FAIL;
    pthread_mutex_init(&r->lock, NULL);
    r->engine = engine;
    r->wrap = setup->wrap;
    set_ends(r, from, setup->to);
    r->spool = (struct gt_spoolfile){.fd = -1, .tmpdir = engine->tmpdir};
    int status = check_types(r, err);
    status = status ? status : check_shape(r, setup->view, err);
    status = status ? status : gt_cache_new(&r->cache, from->array, &opts, err);
    status = status ? status : make_plan(r, setup->view, setup->memory, err);
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

struct gt_rechunk_done gt_rechunk_done(const struct gt_rechunk *r)
{
    return (struct gt_rechunk_done){.read = atomic_load(&r->bytes_read),
                                    .written = atomic_load(&r->bytes_written),
                                    .chunks_kept = atomic_load(&r->chunks_kept),
                                    .bytes_kept = atomic_load(&r->bytes_kept)};
}

void gt_rechunk_free(struct gt_rechunk *r)
{
    if (!r)
        return;
    gt_rechunk_plan_release(&r->plan);
    for (int k = 0; k < GT_MAX_DIMS; k++) {
        gt_partition_release(&r->chunk_partition[k]);
        gt_partition_index_release(&r->list[k]);
    }
    gt_cache_free(r->cache);
    gt_spoolfile_release(&r->spool);
    gt_buf_release(&r->absent);
    while (r->n_spare > 0)
        gt_rechunk_coder_release(&r->spare[--r->n_spare]);
    free(r->spare);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

int gt_rechunk_run(struct gt_rechunk *r, struct gt_err *err)
{
    if (gt_box_items(&r->whole) == 0)
        return 0;
    if (r->plan.peak <= r->request.memory / 2) {
        if (!(r->spare = gt_alloc((size_t)r->plan.tasks, sizeof *r->spare, err)))
            return GT_FAIL;
        r->cap_spare = r->plan.tasks;
    }
    r->absent.budget = &r->engine->budget;
    const int status = gt_buf_zeros(&r->absent, (size_t)gt_rechunk_absent_bytes(r), err);
    if (status)
        return status;
    switch (r->plan.way) {
    case GT_RECHUNK_COPY:
    case GT_RECHUNK_RECODE:
        return gt_rechunk_copy(r, err);
    case GT_RECHUNK_TILES:
        return gt_rechunk_tiles(r, err);
    case GT_RECHUNK_TEXTS:
        return gt_rechunk_texts(r, err);
    default:
        return gt_rechunk_boxes(r, err);
    }
}

int gt_rechunk_flow(struct gt_rechunk *r, const struct gt_flow_ops *ops, int64_t tasks, int64_t task_bytes, void *ctx,
                    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err)
{
    const struct gt_flow_opts opts = {.tasks = tasks,
                                      .readers = r->engine->limits.io_threads,
                                      .task_bytes = (size_t)task_bytes,
                                      .memory = r->plan.tasks * task_bytes,
                                      .max_items = (int)r->plan.tasks};
    return gt_flow_run(r->engine, ops, &opts, ctx, commit, err);
}
