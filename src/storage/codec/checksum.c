/* Checksums: four bytes, little endian, after the data or, as v2 has it for some,
 * before them.  crc32c is v3's own, the others are numcodecs'. */
#include "config.h"

#include "storage/codec/step.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/le.h"
#include "kernels/kernels.h"

/* As in HDF5: of big-endian numbers of 16 bits; a last odd byte is one's high half. */
static uint32_t fletcher32(const uint8_t *p, size_t n)
{
    uint32_t low = 0, high = 0;
    for (size_t i = 0; i < n; i += 2) {
        low += (uint32_t)p[i] << 8 | (i + 1 < n ? p[i + 1] : 0);
        low = (low & 0xFFFF) + (low >> 16);
        high += low;
        high = (high & 0xFFFF) + (high >> 16);
    }
    return high << 16 | low;
}

static uint32_t sum_of(const struct gt_step *step, const uint8_t *data, size_t n)
{
    if (step->codec == &gt_codec_crc32c)
        return gt_kernels()->crc32c(0, data, n);
    if (step->codec == &gt_codec_fletcher32)
        return fletcher32(data, n);
    return step->codec == &gt_codec_adler32 ? libdeflate_adler32(1, data, n) : libdeflate_crc32(0, data, n);
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    const char *where;
    (void)zarr_format, (void)array;
    step->writes = false;
    int rc = gt_conf_text(conf, "location", &where, err);
    if (!rc && where && strcmp(where, "start") != 0 && strcmp(where, "end") != 0)
        rc = gt_fail(err, GT_INPUT, "'location' is '%s', neither start nor end", where);
    if (!where) /* what numcodecs' classes have by default */
        where = step->codec == &gt_codec_crc32 || step->codec == &gt_codec_adler32 ? "start" : "end";
    step->at_start = strcmp(where, "start") == 0;
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
    uint8_t *mark = out->data + (step->at_start ? 0 : in.n);
    if (in.n > 0)
        memcpy(out->data + (step->at_start ? 4 : 0), in.data, in.n);
    gt_le_put(mark, sum_of(step, in.data, in.n), 4);
    return 0;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    (void)out;
    if (view->n < 4)
        return gt_fail(err, GT_INPUT, "%zu bytes are too short for a checksum", view->n);
    size_t n = view->n - 4;
    const uint8_t *data = view->data + (step->at_start ? 4 : 0), *mark = step->at_start ? view->data : data + n;
    uint32_t want = gt_le32(mark), have = sum_of(step, data, n);
    if (have != want)
        return gt_fail(err, GT_INPUT, "stored checksum %08x, computed %08x", want, have);
    *view = (struct gt_view){data, n};
    return gt_step_check_size(step, n, err);
}

const struct gt_codec gt_codec_crc32c = {
    .name = "crc32c", .kind = GT_BYTES_BYTES, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
const struct gt_codec gt_codec_crc32 = {
    .name = "crc32", .kind = GT_BYTES_BYTES, .v2_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
const struct gt_codec gt_codec_adler32 = {
    .name = "adler32", .kind = GT_BYTES_BYTES, .v2_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
const struct gt_codec gt_codec_fletcher32 = {
    .name = "fletcher32", .kind = GT_BYTES_BYTES, .v2_only = true, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
