/* crc32c: four bytes, little endian, after the data (v2 also: before it). */
#include "config.h"

#include "codec/step.h"

#include <string.h>

#include "base/le.h"
#include "kernels/kernels.h"

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    const char *where;
    (void)zarr_format, (void)array;
    step->writes = false;
    int rc = gt_conf_text(conf, "location", &where, err);
    if (!rc && where && strcmp(where, "start") != 0 && strcmp(where, "end") != 0)
        rc = gt_fail(err, GT_INPUT, "'location' is '%s', neither start nor end", where);
    step->at_start = where && strcmp(where, "start") == 0;
    return rc;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return n + 4;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_room(out, in.n + 4, err);
    if (rc)
        return rc;
    uint32_t crc = gt_kernels()->crc32c(0, in.data, in.n);
    uint8_t *mark = out->data + (step->at_start ? 0 : in.n);
    if (in.n > 0)
        memcpy(out->data + (step->at_start ? 4 : 0), in.data, in.n);
    gt_le_put(mark, crc, 4);
    return 0;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    (void)out;
    if (view->n < 4)
        return gt_fail(err, GT_INPUT, "%zu bytes are too short for a checksum", view->n);
    size_t n = view->n - 4;
    const uint8_t *data = view->data + (step->at_start ? 4 : 0), *mark = step->at_start ? view->data : data + n;
    uint32_t want = gt_le32(mark);
    uint32_t have = gt_kernels()->crc32c(0, data, n);
    if (have != want)
        return gt_fail(err, GT_INPUT, "checksum is %08x, of the data %08x", want, have);
    *view = (struct gt_view){data, n};
    return gt_step_check_size(step, n, err);
}

const struct gt_codec gt_codec_crc32c = {
    .name = "crc32c", .kind = GT_BYTES_BYTES, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
