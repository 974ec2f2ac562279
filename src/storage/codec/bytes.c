/* bytes: numbers in memory order <-> little or big endian. */
#include "config.h"

#include "storage/codec/step.h"

#include <string.h>

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    const char *endian;
    int rc = gt_conf_text(conf, "endian", &endian, err);
    (void)array;
    if (rc)
        return rc;
    if (endian && strcmp(endian, "little") != 0 && strcmp(endian, "big") != 0)
        return gt_fail(err, GT_INPUT, "'endian' is '%s', neither little nor big", endian);
    if (!endian && step->unit > 1 && zarr_format == 3)
        return gt_fail(err, GT_INPUT, "'endian' is missing for items of %zu bytes", step->unit);
    bool swaps = endian && endian[0] == 'b' && step->unit > 1;
    step->writes = swaps || step->bits > 0;
    step->idle = !step->writes;
    if (swaps && step->unit != 2 && step->unit != 4 && step->unit != 8)
        return gt_fail_unsupported(err, "big endian items of %zu bytes are not supported", step->unit);
    return 0;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = true;
    return n;
}

/* memcpy of a fixed size compiles to plain moves, so the bytes need no alignment. */
#define SWAP_LOOP(type, swap)                                                                                                              \
    for (size_t i = 0; i + sizeof(type) <= n; i += sizeof(type)) {                                                                         \
        type x;                                                                                                                            \
        memcpy(&x, from + i, sizeof x);                                                                                                    \
        x = swap(x);                                                                                                                       \
        memcpy(to + i, &x, sizeof x);                                                                                                      \
    }

static void swap_copy(uint8_t *to, const uint8_t *from, size_t n, size_t unit)
{
    if (unit == 1)
        memcpy(to, from, n);
    else if (unit == 2)
        SWAP_LOOP(uint16_t, __builtin_bswap16)
    else if (unit == 4)
        SWAP_LOOP(uint32_t, __builtin_bswap32)
    else
        SWAP_LOOP(uint64_t, __builtin_bswap64)
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_room(out, in.n, err);
    if (!rc)
        swap_copy(out->data, in.data, in.n, step->unit);
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_check_size(step, view->n, err);
    if (rc || !step->writes)
        return rc;
    if ((rc = gt_step_room(out, view->n, err)) != 0)
        return rc;
    swap_copy(out->data, view->data, view->n, step->unit);
    for (size_t i = 0; step->bits > 0 && i < out->len; i++) /* the other bits say nothing */
        out->data[i] = gt_step_widen(step, out->data[i]);
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

const struct gt_codec gt_codec_bytes = {
    .name = "bytes", .kind = GT_ARRAY_BYTES, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
