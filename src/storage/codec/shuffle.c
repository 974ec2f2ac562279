/* shuffle: first bytes of all items, then all second bytes, and so on. */
#include "config.h"

#include "storage/codec/step.h"

/* Of elementsize 0 nothing is moved, as of 1; but netCDF means the size of an item by it. */
static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    int size = 4; /* numcodecs' default */
    (void)zarr_format;
    int rc = gt_conf_int(conf, "elementsize", 0, 65536, &size, err);
    if (size > 0 || !array->netcdf)
        step->unit = size > 1 ? (size_t)size : 1;
    if (!rc && step->raw_exact && step->raw_limit % step->unit)
        rc = gt_fail(err, GT_INPUT, "'elementsize' does not divide a chunk of %zu bytes", step->raw_limit);
    return rc;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return n;
}

/* apart: from items to their bytes apart, else the way back. */
static void move(uint8_t *to, const uint8_t *from, size_t n, size_t unit, bool apart)
{
    size_t items = n / unit;
    for (size_t b = 0; b < unit; b++)
        for (size_t i = 0; i < items; i++) {
            size_t whole = i * unit + b, split = b * items + i;
            to[apart ? split : whole] = from[apart ? whole : split];
        }
}

static int shuffle(const struct gt_step *step, struct gt_view in, bool apart, struct gt_buf *out, struct gt_err *err)
{
    if (in.n % step->unit)
        return gt_fail(err, GT_INPUT, "%zu bytes are not a whole number of items of %zu", in.n, step->unit);
    int rc = gt_step_room(out, in.n, err);
    if (!rc)
        move(out->data, in.data, in.n, step->unit, apart);
    return rc;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    return shuffle(step, in, true, out, err);
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_check_size(step, view->n, err);
    if (rc || (rc = shuffle(step, *view, false, out, err)))
        return rc;
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

static void describe(const struct gt_step *step, struct gt_str *text)
{
    gt_str_addf(text, ":%zu", step->unit);
}

const struct gt_codec gt_codec_shuffle = {.name = "shuffle",
                                          .kind = GT_BYTES_BYTES,
                                          .v2_only = true,
                                          .filter = true,
                                          .parse = parse,
                                          .bound = bound,
                                          .encode = encode,
                                          .decode = decode,
                                          .describe = describe};
