/* .npy files: rows of a view are gathered from where they lie in the file.
 *
 * The items of a block are a box in the file, maybe with gaps.  Its innermost axes, as the
 * file has them, are read in one piece while that is small and not mostly gaps, and copied
 * out of it; the outer ones are walked. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "storage/input/spool.h"

#define PIECE ((int64_t)4 << 20) /* bytes read at once, at most */
#define SPARSE 16                /* of that many items read one at least is wanted */

struct npy {
    struct gt_matrix_back base;
    struct gt_input input;
    struct gt_npy head;
    int64_t stride[GT_MAX_DIMS]; /* of the file, in items */
};

/* --- reading ------------------------------------------------------------------------ */

/* The box of a block: `to` is the place in the file, `from` that in the block, so that
 * gt_nd_tidy puts the axes into the order of the file. */
static int64_t box_of(const struct npy *npy, const struct gt_region *region, const int64_t *stride, struct gt_nd *box)
{
    int64_t first = 0;
    box->ndim = npy->head.ndim;
    for (int i = 0; i < box->ndim; i++) {
        box->axis[i] = (struct gt_nd_axis){region->count[i], stride[i], npy->stride[i] * region->step[i]};
        first += region->start[i] * npy->stride[i];
    }
    if (!box->ndim)
        box->axis[box->ndim++] = (struct gt_nd_axis){1, 1, 1};
    gt_nd_tidy(box);
    return first;
}

/* Items from the first to the last of axes i and following. */
static int64_t hull_of(const struct gt_nd *box, int i)
{
    int64_t hull = 1;
    for (; i < box->ndim; i++)
        hull += (box->axis[i].n - 1) * box->axis[i].to;
    return hull;
}

/* The outermost axis whose items, with the axes inside of it, are read in one piece. */
static int innermost(const struct gt_nd *box, int64_t size)
{
    int64_t wanted = 1;
    int at = box->ndim;
    while (at > 0) {
        wanted *= box->axis[at - 1].n;
        int64_t hull = hull_of(box, at - 1);
        if (hull * size > PIECE || hull / SPARSE > wanted)
            break;
        at--;
    }
    return at;
}

struct gather {
    struct npy *npy;
    struct gt_matrix_item *item;
    struct gt_nd box; /* the axes of a piece */
};

/* The items of a piece: the first of them at `place` in the file, at `at` in the block. */
static int gather(struct gather *g, int64_t place, int64_t at, struct gt_err *err)
{
    struct npy *npy = g->npy;
    struct gt_nd box = g->box;
    int64_t size = (int64_t)npy->head.dtype.size, bytes = hull_of(&box, 0) * size;
    uint8_t *to = g->item->stored.data + at * size;
    gt_nd_tidy(&box);
    bool straight = box.ndim == 1 && box.axis[0].from == 1 && box.axis[0].to == 1;
    int status = straight ? 0 : gt_buf_resize(&g->item->hull, (size_t)bytes, err);
    if (!status)
        status = gt_input_pread(&npy->input, straight ? to : g->item->hull.data, (size_t)bytes, npy->head.data + place * size, err);
    if (status || straight)
        return status;
    for (int i = 0; i < box.ndim; i++)
        box.axis[i] = (struct gt_nd_axis){box.axis[i].n, box.axis[i].to, box.axis[i].from};
    gt_nd_copy(&box, (size_t)size, to, g->item->hull.data);
    return 0;
}

/* Axis 0 of the piece in parts of `most` items. */
static int gather_parts(struct gather *g, int64_t most, int64_t place, int64_t at, struct gt_err *err)
{
    struct gt_nd_axis axis = g->box.axis[0];
    int status = 0;
    for (int64_t i = 0; i < axis.n && !status; i += most < axis.n ? most : axis.n) {
        g->box.axis[0].n = axis.n - i < most ? axis.n - i : most;
        status = gather(g, place + i * axis.to, at + i * axis.from, err);
    }
    g->box.axis[0] = axis;
    return status;
}

static int npy_fetch(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err)
{
    struct npy *npy = (struct npy *)back;
    struct gather g = {.npy = npy, .item = item};
    int64_t index[GT_MAX_DIMS] = {0}, extent[GT_MAX_DIMS];
    struct gt_nd box;
    int64_t first = box_of(npy, &item->region, stride, &box), most = INT64_MAX;
    int inner = innermost(&box, (int64_t)npy->head.dtype.size), status;
    if (box.axis[0].n == 0)
        return 0;
    if (inner == box.ndim) { /* a run that is too long, or mostly gaps */
        int64_t step = box.axis[--inner].to;
        most = step > SPARSE ? 1 : PIECE / (int64_t)npy->head.dtype.size / step;
    }
    g.box.ndim = box.ndim - inner;
    memcpy(g.box.axis, box.axis + inner, (size_t)g.box.ndim * sizeof *box.axis);
    for (int i = 0; i < inner; i++)
        extent[i] = box.axis[i].n;
    do {
        int64_t place = first, at = 0;
        for (int i = 0; i < inner; i++) {
            place += index[i] * box.axis[i].to;
            at += index[i] * box.axis[i].from;
        }
        status = gather_parts(&g, most, place, at, err);
    } while (!status && gt_nd_next(inner, extent, index));
    gt_flow_bytes((int64_t)item->stored.len);
    return status;
}

static int npy_make(struct gt_matrix_back *back, const int64_t *stride, struct gt_matrix_item *item, struct gt_err *err)
{
    (void)stride;
    (void)err;
    if (back->dtype.big_endian)
        gt_matrix_swap(back->dtype.size, item->stored.data, item->stored.len / back->dtype.size);
    return 0;
}

static void npy_free(struct gt_matrix_back *back)
{
    struct npy *npy = (struct npy *)back;
    gt_input_release(&npy->input);
    free(npy);
}

/* --- opening ------------------------------------------------------------------------ */

static int read_header(struct gt_npy *head, struct gt_input *input, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_buf text = {.budget = budget};
    size_t need = 12;
    int status = 0;
    while (!status && need > text.len) {
        if ((int64_t)need > input->size) {
            status = gt_fail(err, GT_INPUT, "'%s' is truncated: it ends inside its header", input->name);
            break;
        }
        status = gt_buf_resize(&text, need, err);
        if (!status)
            status = gt_input_pread(input, text.data, need, 0, err);
        if (!status)
            status = gt_npy_parse(head, input->name, text.data, text.len, &need, err);
    }
    gt_buf_release(&text);
    return status;
}

int gt_npy_read_head(struct gt_npy *head, struct gt_input *input, struct gt_budget *budget, struct gt_err *err)
{
    int status = read_header(head, input, budget, err);
    const int64_t end = status ? 0 : head->data + head->items * (int64_t)head->dtype.size;
    if (status || input->size == end)
        return status;
    return gt_fail(err, GT_INPUT, "'%s' %s: it has %lld bytes, but its header needs %lld", input->name,
                   input->size < end ? "is truncated" : "is too long", (long long)input->size, (long long)end);
}

static void take_shape(struct npy *npy)
{
    struct gt_matrix_back *base = &npy->base;
    base->ndim = npy->head.ndim;
    base->dtype = npy->head.dtype;
    base->read_bytes = (int64_t)base->dtype.size;
    for (int i = 0; i < base->ndim; i++) {
        base->shape[i] = npy->head.shape[i];
        base->unit[i] = 1;
        base->read_bytes = gt_bytes_mul(base->read_bytes, base->shape[i]);
    }
    base->read_bytes = base->read_bytes < PIECE ? base->read_bytes : PIECE;
    base->outer_axis = npy->head.fortran && base->ndim ? base->ndim - 1 : 0;
    if (npy->head.fortran)
        gt_nd_strides_f(base->ndim, base->shape, npy->stride);
    else
        gt_nd_strides(base->ndim, base->shape, npy->stride);
}

int gt_matrix_open_npy(struct gt_matrix_back **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    static const struct gt_matrix_back_ops ops = {.fetch = npy_fetch, .make = npy_make, .free = npy_free};
    struct npy *npy = gt_alloc(1, sizeof *npy, err);
    if (!npy)
        return GT_FAIL;
    struct gt_matrix_back *base = &npy->base;
    base->ops = &ops;
    base->kind = "npy";
    base->raw = base->fast = true;
    base->budget = &engine->budget;
    int status = gt_spool(input, engine->tmpdir, err);
    if (!status)
        status = gt_npy_read_head(&npy->head, input, base->budget, err);
    if (status) {
        free(npy);
        return status;
    }
    npy->input = *input;
    take_shape(npy);
    *out = base;
    return 0;
}
