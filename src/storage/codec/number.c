#include "config.h"

#include "storage/codec/number.h"

#include <math.h>

int gt_conf_number(struct json_object *conf, const char *key, bool may_lack, struct gt_dtype *dtype, struct gt_err *err)
{
    const char *text;
    int rc = gt_conf_text(conf, key, &text, err);
    if (rc || (!text && may_lack))
        return rc;
    if (!text)
        return gt_fail(err, GT_INPUT, "'%s' is missing", key);
    if ((rc = gt_dtype_parse_v2(dtype, text, err)))
        return rc;
    if (dtype->type == GT_BOOL || dtype->type == GT_F16 || dtype->type > GT_F64)
        return gt_fail_unsupported(err, "'%s' '%s' is not supported", key, text);
    return 0;
}

int gt_step_retype(struct gt_step *step, struct gt_codec_array *array, struct gt_dtype *in, struct gt_dtype *out, struct gt_err *err)
{
    if (array->zarr_format == 2) /* it has bytes before it, and they are what it says they are */
        return step->raw_limit % in->size ? gt_fail(err, GT_INPUT, "'dtype' does not divide a chunk of %zu bytes", step->raw_limit) : 0;
    if (in->type != array->type)
        return gt_fail(err, GT_INPUT, "'dtype' is not the type of the array");
    in->big_endian = out->big_endian = false; /* numbers, of which bytes are made later */
    array->type = out->type;
    array->item_size = array->unit = out->size;
    return 0;
}

double gt_number_load(struct gt_dtype d, const uint8_t *p)
{
    if (gt_number_is_float(d))
        return gt_number_load_real(d, p);
    int64_t x = gt_number_load_int(d, p);
    return d.type == GT_U64 ? (double)(uint64_t)x : (double)x;
}

bool gt_number_store(struct gt_dtype d, uint8_t *p, double x)
{
    double bits = 8.0 * (double)d.size, high = gt_number_is_signed(d) ? exp2(bits - 1) : exp2(bits),
           low = gt_number_is_signed(d) ? -high : 0;
    if (gt_number_is_float(d)) {
        gt_number_store_real(d, p, x);
        return true;
    }
    x = trunc(x);
    if (!(x >= low && x < high))
        return false;
    gt_number_store_int(d, p, d.type == GT_U64 ? (int64_t)(uint64_t)x : (int64_t)x);
    return true;
}
