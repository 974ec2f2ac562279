/* lz4 as numcodecs writes it: u32 little endian size, then one LZ4 block. */
#include "config.h"

#include <limits.h>
#include <lz4.h>

#include "core/base/le.h"
#include "storage/codec/step.h"

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)zarr_format, (void)array;
    step->level = 1;
    if (step->raw_exact && step->raw_limit > LZ4_MAX_INPUT_SIZE)
        return gt_fail(err, GT_INPUT, "a chunk of %zu bytes is larger than the codec's %d", step->raw_limit, LZ4_MAX_INPUT_SIZE);
    return gt_conf_int(conf, "acceleration", INT_MIN, INT_MAX, &step->level, err);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n + n / 255 + 64;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    if (in.n > LZ4_MAX_INPUT_SIZE)
        return gt_fail(err, GT_FAIL, "a chunk of %zu bytes is larger than the codec's %d", in.n, LZ4_MAX_INPUT_SIZE);
    int room = LZ4_compressBound((int)in.n);
    int rc = gt_step_room(out, 4 + (size_t)room, err);
    if (rc)
        return rc;
    int n = LZ4_compress_fast((const char *)in.data, (char *)out->data + 4, (int)in.n, room, step->level);
    if (n <= 0)
        return gt_fail(err, GT_FAIL, "cannot compress %zu bytes", in.n);
    gt_le_put(out->data, in.n, 4);
    return gt_buf_resize(out, 4 + (size_t)n, err);
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    if (view->n < 5 || view->n - 4 > INT_MAX)
        return gt_fail(err, GT_INPUT, "%zu bytes are not an lz4 block", view->n);
    const uint8_t *p = view->data;
    uint32_t n = gt_le32(p);
    int rc = gt_step_check_size(step, n, err);
    if (rc)
        return rc;
    /* A block cannot hold more than 255 bytes for each of its own. */
    if (n > LZ4_MAX_INPUT_SIZE || n / 255 > view->n)
        return gt_fail(err, GT_INPUT, "a size of %u bytes in an lz4 block of %zu", n, view->n - 4);
    if ((rc = gt_step_room(out, n, err)) != 0)
        return rc;
    int got = LZ4_decompress_safe((const char *)p + 4, (char *)out->data, (int)(view->n - 4), (int)n);
    if (got < 0 || (uint32_t)got != n)
        return gt_fail(err, GT_INPUT, "damaged lz4 block");
    *view = (struct gt_view){out->data, n};
    return 0;
}

const struct gt_codec gt_codec_lz4 = {.name = "lz4",
                                      .kind = GT_BYTES_BYTES,
                                      .v2_only = true,
                                      .parse = parse,
                                      .bound = bound,
                                      .encode = encode,
                                      .decode = decode,
                                      .describe = gt_step_describe_level};
