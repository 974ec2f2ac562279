/* transpose: the axes of a chunk in another order.  v3 has it as a codec; v2's order
 * "F" is the same with the axes the other way round. */
#include "config.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/nd.h"
#include "storage/codec/step.h"
#include "storage/codec/vlen.h"

/* Items of the chunk as the array has it (from) and as it is stored (to), and the
 * other way round. */
struct turn {
    struct gt_nd encode, decode;
};

/* order[i]: which axis of the array becomes axis i of what is stored. */
static bool is_order(const int *order, int n)
{
    bool seen[GT_MAX_DIMS] = {0};
    for (int i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= n || seen[order[i]])
            return false;
        seen[order[i]] = true;
    }
    return true;
}

static bool read_order(struct json_object *value, int ndim, int *order)
{
    bool list = json_object_is_type(value, json_type_array);
    const char *name = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
    if (!list && strcmp(name, "C") != 0 && strcmp(name, "F") != 0)
        return false;
    if (list && json_object_array_length(value) != (size_t)ndim)
        return false;
    for (int i = 0; i < ndim; i++) {
        struct json_object *axis = list ? json_object_array_get_idx(value, (size_t)i) : NULL;
        if (list && !json_object_is_type(axis, json_type_int))
            return false;
        order[i] = list ? json_object_get_int(axis) : *name == 'F' ? ndim - 1 - i : i;
    }
    return is_order(order, ndim);
}

static void make_turn(struct turn *turn, const int64_t *shape, const int *order, int ndim)
{
    int64_t stored[GT_MAX_DIMS], from[GT_MAX_DIMS], to[GT_MAX_DIMS];
    for (int i = 0; i < ndim; i++)
        stored[i] = shape[order[i]];
    gt_nd_strides(ndim, shape, from);
    gt_nd_strides(ndim, stored, to);
    turn->encode.ndim = turn->decode.ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        turn->encode.axis[i] = (struct gt_nd_axis){stored[i], from[order[i]], to[i]};
        turn->decode.axis[i] = (struct gt_nd_axis){stored[i], to[i], from[order[i]]};
    }
    gt_nd_tidy(&turn->encode);
    gt_nd_tidy(&turn->decode);
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    struct json_object *value = NULL;
    int64_t stored[GT_MAX_DIMS];
    int order[GT_MAX_DIMS];
    struct turn *turn;
    (void)zarr_format;
    if (!conf || !json_object_object_get_ex(conf, "order", &value) || !read_order(value, array->ndim, order))
        return gt_fail(err, GT_INPUT, "'order' is not a permutation of %d axes", array->ndim);
    step->own = turn = gt_alloc(1, sizeof *turn, err);
    if (!turn)
        return GT_FAIL;
    make_turn(turn, array->chunk, order, array->ndim);
    step->idle = turn->encode.ndim == 1 && turn->encode.axis[0].from == turn->encode.axis[0].to;
    step->writes = !step->idle;
    for (int i = 0; i < array->ndim; i++)
        stored[i] = array->chunk[order[i]];
    memcpy(array->chunk, stored, (size_t)array->ndim * sizeof *stored);
    return 0;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return n;
}

/* Texts come in the order of the walk, which is that of the destination. */
static int turn_texts(const struct gt_nd *nd, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    struct gt_buf raw = {.data = (uint8_t *)in.data, .len = in.n};
    struct gt_strs from = {.budget = out->budget}, to = {.budget = out->budget};
    struct gt_nd_walk walk;
    int rc = gt_vlen_unpack(&raw, true, &from, err);
    for (gt_nd_walk_begin(&walk, nd); !rc && gt_nd_walk_run(&walk); gt_nd_walk_next(&walk))
        for (int64_t i = 0; i < walk.run.n && !rc; i++) {
            size_t at = (size_t)(walk.from + i * walk.run.from);
            rc = gt_strs_add(&to, gt_strs_get(&from, at), gt_strs_len(&from, at), err);
        }
    if (!rc)
        rc = gt_vlen_pack(&to, 0, to.n, to.n, out, err);
    gt_strs_release(&from);
    gt_strs_release(&to);
    return rc;
}

static int turn_items(const struct gt_step *step, const struct gt_nd *nd, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    if (step->item_size == 0)
        return turn_texts(nd, in, out, err);
    int rc = gt_step_room(out, in.n, err);
    if (!rc)
        gt_nd_copy(nd, step->item_size, out->data, in.data);
    return rc;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    return turn_items(step, &((struct turn *)step->own)->encode, in, out, err);
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_check_size(step, view->n, err);
    if (rc || step->idle)
        return rc;
    if ((rc = turn_items(step, &((struct turn *)step->own)->decode, *view, out, err)) != 0)
        return rc;
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

const struct gt_codec gt_codec_transpose = {
    .name = "transpose", .kind = GT_ARRAY_ARRAY, .v3_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
