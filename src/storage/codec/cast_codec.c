/* Filters that lose digits when they encode, and are little or nothing when they decode: astype and quantize
 * store numbers of another type, bitround stores numbers with fewer bits.  The latter two are read, not written. */
#include "config.h"

#include "core/base/mem.h"
#include "storage/codec/number.h"

struct cast {
    struct gt_dtype in, out; /* when encoding */
};

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    bool astype = step->codec == &gt_codec_astype;
    struct cast *c = step->own = gt_alloc(1, sizeof *c, err);
    int rc = c ? gt_conf_number(conf, astype ? "decode_dtype" : "dtype", false, &c->in, err) : GT_FAIL;
    (void)zarr_format;
    if (rc)
        return rc;
    c->out = c->in;
    if ((rc = gt_conf_number(conf, astype ? "encode_dtype" : "astype", !astype, &c->out, err)))
        return rc;
    return gt_step_retype(step, array, &c->in, &c->out, err);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    const struct cast *c = step->own;
    *exact = true;
    return n / c->in.size * c->out.size;
}

/* As C and numpy cast: wholes wrap round, what is after a point is cut off.  False when the whole part of a real does not fit. */
static bool cast_one(struct gt_dtype from, const uint8_t *p, struct gt_dtype to, uint8_t *q)
{
    if (gt_number_is_float(from) || gt_number_is_float(to))
        return gt_number_store(to, q, gt_number_load(from, p));
    gt_number_store_int(to, q, gt_number_load_int(from, p));
    return true;
}

static int cast_all(struct gt_dtype from, const uint8_t *in, struct gt_dtype to, uint8_t *out, size_t n, int status, struct gt_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!cast_one(from, in + i * from.size, to, out + i * to.size))
            return gt_fail(err, status, "value %zu does not fit the other type", i);
    return 0;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    const struct cast *c = step->own;
    if (step->codec != &gt_codec_astype)
        return gt_fail_unsupported(err, "it can be read but not written");
    size_t n = in.n / c->in.size;
    int rc = gt_step_room(out, n * c->out.size, err);
    return rc ? rc : cast_all(c->in, in.data, c->out, out->data, n, GT_FAIL, err);
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    const struct cast *c = step->own;
    size_t n;
    int rc = gt_step_items(step, view, c->out.size, c->in.size, &n, out, err);
    if (rc || (rc = cast_all(c->out, view->data, c->in, out->data, n, GT_INPUT, err)))
        return rc;
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

const struct gt_codec gt_codec_astype = {.name = "astype",
                                         .kind = GT_ARRAY_ARRAY,
                                         .v2_only = true,
                                         .filter = true,
                                         .parse = parse,
                                         .bound = bound,
                                         .encode = encode,
                                         .decode = decode};
const struct gt_codec gt_codec_quantize = {.name = "quantize",
                                           .kind = GT_ARRAY_ARRAY,
                                           .v2_only = true,
                                           .filter = true,
                                           .parse = parse,
                                           .bound = bound,
                                           .encode = encode,
                                           .decode = decode};

/* --- bitround ----------------------------------------------------------------------------- */

static int round_parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)conf, (void)zarr_format, (void)array, (void)err;
    step->writes = false;
    return 0;
}

static size_t round_bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return n;
}

static int round_encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    (void)step, (void)in, (void)out;
    return gt_fail_unsupported(err, "it can be read but not written");
}

static int round_decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    (void)out;
    return gt_step_check_size(step, view->n, err);
}

const struct gt_codec gt_codec_bitround = {.name = "bitround",
                                           .kind = GT_ARRAY_ARRAY,
                                           .v2_only = true,
                                           .filter = true,
                                           .parse = round_parse,
                                           .bound = round_bound,
                                           .encode = round_encode,
                                           .decode = round_decode};
