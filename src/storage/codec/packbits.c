/* packbits: items of a few bits without gaps.  Two codecs have the name: v3's makes
 * bytes of an array, with the first item in the lowest bits; numcodecs' is a filter of
 * booleans, first item in the highest bit, after a byte that counts the bits of padding. */
#include "config.h"

#include "storage/codec/step.h"

#include <string.h>

enum { NO_PAD, PAD_FIRST, PAD_LAST };

/* --- v3 --------------------------------------------------------------------------- */

/* Bits of an item: those of the type, whatever memory has. */
static size_t bits_of(const struct gt_codec_array *array)
{
    if (array->bits > 0)
        return array->bits;
    return array->type == GT_BOOL ? 1 : 8 * array->item_size;
}

/* A range of bits other than all of them is legal; nobody is known to write one. */
static int check_range(struct json_object *conf, size_t bits, struct gt_err *err)
{
    struct json_object *first = NULL, *last = NULL;
    if (!conf)
        return 0;
    json_object_object_get_ex(conf, "first_bit", &first);
    json_object_object_get_ex(conf, "last_bit", &last);
    if ((first && json_object_get_int64(first) != 0) || (last && json_object_get_int64(last) != (int64_t)bits - 1))
        return gt_fail_unsupported(err, "a range of bits ('first_bit', 'last_bit') is not supported");
    return 0;
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    static const char *const names[] = {"none", "first_byte", "last_byte"};
    const char *padding;
    int rc = gt_conf_text(conf, "padding_encoding", &padding, err);
    (void)zarr_format;
    if (!rc)
        rc = check_range(conf, bits_of(array), err);
    if (rc)
        return rc;
    step->padding = NO_PAD;
    while (padding && step->padding <= PAD_LAST && strcmp(padding, names[step->padding]) != 0)
        step->padding++;
    if (step->padding > PAD_LAST)
        return gt_fail(err, GT_INPUT, "'padding_encoding' is '%s'; it must be none, first_byte or last_byte", padding);
    step->bits = (int)bits_of(array);
    if (step->bits > 8) /* whole bytes: as they lie in memory */
        step->bits = 8;
    return 0;
}

static size_t packed(const struct gt_step *step, size_t n)
{
    return n * (size_t)step->bits / 8 + (n * (size_t)step->bits % 8 > 0);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return packed(step, n) + (step->padding != NO_PAD);
}

static uint8_t pad_bits(const struct gt_step *step, size_t n)
{
    return (uint8_t)(8 * packed(step, n) - n * (size_t)step->bits);
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    size_t bytes = packed(step, in.n), per = 8 / (size_t)step->bits;
    int rc = gt_step_room(out, bytes + (step->padding != NO_PAD), err);
    if (rc)
        return rc;
    uint8_t *to = out->data + (step->padding == PAD_FIRST), mask = (uint8_t)((1u << step->bits) - 1);
    if (step->padding != NO_PAD)
        out->data[step->padding == PAD_FIRST ? 0 : bytes] = pad_bits(step, in.n);
    for (size_t i = 0; i < bytes; i++) {
        unsigned byte = 0;
        for (size_t k = 0; k < per && i * per + k < in.n; k++)
            byte |= (unsigned)(in.data[i * per + k] & mask) << (k * (size_t)step->bits);
        to[i] = (uint8_t)byte;
    }
    return 0;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    size_t n = step->raw_limit, bytes = packed(step, n), per = 8 / (size_t)step->bits;
    if (view->n != bytes + (step->padding != NO_PAD))
        return gt_fail(err, GT_INPUT, "%zu bytes instead of %zu", view->n, bytes + (step->padding != NO_PAD));
    if (step->padding != NO_PAD && view->data[step->padding == PAD_FIRST ? 0 : bytes] != pad_bits(step, n))
        return gt_fail(err, GT_INPUT, "damaged: wrong number of padding bits");
    int rc = gt_step_room(out, n, err);
    if (rc)
        return rc;
    const uint8_t *from = view->data + (step->padding == PAD_FIRST);
    for (size_t i = 0; i < n; i++)
        out->data[i] = gt_step_widen(step, (uint8_t)(from[i / per] >> (i % per * (size_t)step->bits)));
    *view = (struct gt_view){out->data, n};
    return 0;
}

const struct gt_codec gt_codec_packbits = {
    .name = "packbits", .kind = GT_ARRAY_BYTES, .v3_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};

/* --- numcodecs ----------------------------------------------------------------------- */

static int filter_parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)conf, (void)zarr_format;
    if (array->type != GT_BOOL)
        return gt_fail(err, GT_INPUT, "items are not booleans");
    if (array->zarr_format == 3) { /* what comes out is an array of bytes with one axis */
        array->type = GT_U8;
        array->n_items = 1 + (step->raw_limit + 7) / 8;
        array->ndim = 1;
        array->chunk[0] = (int64_t)array->n_items;
    }
    return 0;
}

static size_t filter_bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return 1 + n / 8 + (n % 8 > 0);
}

static int filter_encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    size_t bytes = in.n / 8 + (in.n % 8 > 0);
    int rc = gt_step_room(out, 1 + bytes, err);
    (void)step;
    if (rc)
        return rc;
    memset(out->data, 0, out->len);
    out->data[0] = (uint8_t)(8 * bytes - in.n);
    for (size_t i = 0; i < in.n; i++)
        if (in.data[i])
            out->data[1 + i / 8] |= (uint8_t)(0x80u >> (i % 8));
    return 0;
}

static int filter_decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    if (view->n < 1 || view->data[0] > 7 || (view->n == 1 && view->data[0] > 0))
        return gt_fail(err, GT_INPUT, "truncated or damaged: the number of padding bits is missing");
    size_t n = 8 * (view->n - 1) - view->data[0];
    int rc = gt_step_check_size(step, n, err);
    if (rc || (rc = gt_step_room(out, n, err)))
        return rc;
    for (size_t i = 0; i < n; i++)
        out->data[i] = view->data[1 + i / 8] >> (7 - i % 8) & 1;
    *view = (struct gt_view){out->data, n};
    return 0;
}

const struct gt_codec gt_codec_packbits_filter = {.name = "packbits",
                                                  .kind = GT_ARRAY_ARRAY,
                                                  .v2_only = true,
                                                  .filter = true,
                                                  .parse = filter_parse,
                                                  .bound = filter_bound,
                                                  .encode = filter_encode,
                                                  .decode = filter_decode};
