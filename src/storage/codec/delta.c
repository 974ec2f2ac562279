/* delta: the first number, then the difference of each to the one before it, as
 * another type if need be.  Whole numbers wrap round, as numcodecs' do. */
#include "config.h"

#include "core/base/mem.h"
#include "storage/codec/number.h"

struct delta {
    struct gt_dtype in, out; /* when encoding */
};

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    struct delta *delta = step->own = gt_alloc(1, sizeof *delta, err);
    int rc = delta ? gt_conf_number(conf, "dtype", false, &delta->in, err) : GT_FAIL;
    (void)zarr_format;
    if (rc)
        return rc;
    delta->out = delta->in;
    if ((rc = gt_conf_number(conf, "astype", true, &delta->out, err)))
        return rc;
    if (gt_number_is_float(delta->in) != gt_number_is_float(delta->out))
        return gt_fail_unsupported(err, "delta between integer and floating-point types is not supported");
    return gt_step_retype(step, array, &delta->in, &delta->out, err);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    const struct delta *delta = step->own;
    *exact = true;
    return n / delta->in.size * delta->out.size;
}

static void encode_whole(const struct delta *d, const uint8_t *from, uint8_t *to, size_t n)
{
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++, from += d->in.size, to += d->out.size) {
        uint64_t x = (uint64_t)gt_number_load_int(d->in, from);
        gt_number_store_int(d->out, to, (int64_t)(x - last));
        last = x;
    }
}

static void decode_whole(const struct delta *d, const uint8_t *from, uint8_t *to, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++, from += d->out.size, to += d->in.size) {
        sum += (uint64_t)gt_number_load_int(d->out, from);
        gt_number_store_int(d->in, to, (int64_t)sum);
    }
}

/* Sums and differences are rounded to the type of the numbers, each of them. */
static double rounded(struct gt_dtype d, double x)
{
    return d.type == GT_F32 ? (double)(float)x : x;
}

static void encode_real(const struct delta *d, const uint8_t *from, uint8_t *to, size_t n)
{
    double last = 0;
    for (size_t i = 0; i < n; i++, from += d->in.size, to += d->out.size) {
        double x = gt_number_load_real(d->in, from);
        gt_number_store_real(d->out, to, i ? rounded(d->in, x - last) : x);
        last = x;
    }
}

static void decode_real(const struct delta *d, const uint8_t *from, uint8_t *to, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++, from += d->out.size, to += d->in.size) {
        double x = rounded(d->in, gt_number_load_real(d->out, from));
        sum = i ? rounded(d->in, sum + x) : x;
        gt_number_store_real(d->in, to, sum);
    }
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    const struct delta *d = step->own;
    size_t n = in.n / d->in.size;
    int rc = gt_step_room(out, n * d->out.size, err);
    if (!rc)
        (gt_number_is_float(d->in) ? encode_real : encode_whole)(d, in.data, out->data, n);
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    const struct delta *d = step->own;
    size_t n;
    int rc = gt_step_items(step, view, d->out.size, d->in.size, &n, out, err);
    if (rc)
        return rc;
    (gt_number_is_float(d->in) ? decode_real : decode_whole)(d, view->data, out->data, n);
    *view = (struct gt_view){out->data, out->len};
    return 0;
}

const struct gt_codec gt_codec_delta = {.name = "delta",
                                        .kind = GT_ARRAY_ARRAY,
                                        .v2_only = true,
                                        .filter = true,
                                        .parse = parse,
                                        .bound = bound,
                                        .encode = encode,
                                        .decode = decode};
