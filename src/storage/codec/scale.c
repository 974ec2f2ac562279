/* fixedscaleoffset: (x - offset) * scale, rounded to the nearest whole number (ties
 * to even), as another type.  Calculated in float32 where numpy would, else in float64. */
#include "config.h"

#include <math.h>

#include "core/base/mem.h"
#include "storage/codec/number.h"

struct scaling {
    struct gt_dtype in, out; /* when encoding */
    double scale, offset;
};

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    struct scaling *s = step->own = gt_alloc(1, sizeof *s, err);
    int rc = s ? gt_conf_number(conf, "dtype", false, &s->in, err) : GT_FAIL;
    (void)zarr_format;
    if (rc)
        return rc;
    s->out = s->in;
    if ((rc = gt_conf_number(conf, "astype", true, &s->out, err)) || (rc = gt_conf_real(conf, "scale", &s->scale, err)) ||
        (rc = gt_conf_real(conf, "offset", &s->offset, err)))
        return rc;
    if (s->scale == 0)
        return gt_fail(err, GT_INPUT, "'scale' is 0");
    return gt_step_retype(step, array, &s->in, &s->out, err);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    const struct scaling *s = step->own;
    *exact = true;
    return n / s->in.size * s->out.size;
}

static double encoded(const struct scaling *s, double x)
{
    if (s->in.type == GT_F32)
        return (double)rintf(((float)x - (float)s->offset) * (float)s->scale);
    return rint((x - s->offset) * s->scale);
}

static double decoded(const struct scaling *s, double x)
{
    if (s->out.type == GT_F32)
        return (double)((float)x / (float)s->scale + (float)s->offset);
    return x / s->scale + s->offset;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    const struct scaling *s = step->own;
    size_t n = in.n / s->in.size;
    int rc = gt_step_room(out, n * s->out.size, err);
    for (size_t i = 0; i < n && !rc; i++) {
        double x = gt_number_load(s->in, in.data + i * s->in.size);
        if (!gt_number_store(s->out, out->data + i * s->out.size, encoded(s, x)))
            rc = gt_fail(err, GT_FAIL, "%g does not fit the stored type", x);
    }
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    const struct scaling *s = step->own;
    size_t n;
    int rc = gt_step_items(step, view, s->out.size, s->in.size, &n, out, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++) {
        double x = decoded(s, gt_number_load(s->out, view->data + i * s->out.size));
        if (!gt_number_store(s->in, out->data + i * s->in.size, x))
            return gt_fail(err, GT_INPUT, "decodes to %g, which the array cannot hold", x);
    }
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

const struct gt_codec gt_codec_fixedscaleoffset = {.name = "fixedscaleoffset",
                                                   .kind = GT_ARRAY_ARRAY,
                                                   .v2_only = true,
                                                   .filter = true,
                                                   .parse = parse,
                                                   .bound = bound,
                                                   .encode = encode,
                                                   .decode = decode};
