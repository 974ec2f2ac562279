/* bz2, one or more streams after one another. */
#include "config.h"

#include <bzlib.h>
#include <limits.h>

#include "core/base/mem.h"
#include "storage/codec/step.h"

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)zarr_format, (void)array;
    step->level = 1;
    return gt_conf_int(conf, "level", 1, 9, &step->level, err);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n + n / 100 + 600;
}

/* By the manual of libbz2. */
static size_t work(const struct gt_step *step, size_t n)
{
    (void)n;
    return (400u << 10) + (size_t)step->level * 800000;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    bool exact;
    int rc = gt_step_room(out, bound(step, in.n, &exact), err);
    if (rc)
        return rc;
    if (out->len > UINT_MAX)
        return gt_fail(err, GT_FAIL, "a chunk of %zu bytes is larger than the codec's %u", in.n, UINT_MAX);
    unsigned n = (unsigned)out->len;
    int status = BZ2_bzBuffToBuffCompress((char *)out->data, &n, in.n ? (char *)in.data : (char[1]){0}, (unsigned)in.n, step->level, 0, 0);
    if (status != BZ_OK)
        return gt_fail(err, GT_FAIL, "cannot compress %zu bytes (bzip2 status %d)", in.n, status);
    return gt_buf_resize(out, n, err);
}

/* More room, when what is there is full. */
static int grow(const struct gt_step *step, struct gt_buf *out, size_t made, struct gt_err *err)
{
    if (made < out->len)
        return 0;
    if (out->len >= step->raw_limit + 1)
        return gt_fail(err, GT_INPUT, "decodes to more than %zu bytes", step->raw_limit);
    return gt_buf_resize(out, out->len < step->raw_limit / 4 ? 4 * out->len : step->raw_limit + 1, err);
}

/* One stream; *made goes on. */
static int one_stream(const struct gt_step *step, struct gt_view *in, struct gt_buf *out, size_t *made, struct gt_err *err)
{
    bz_stream bz = {0};
    int status = BZ2_bzDecompressInit(&bz, 0, 0), rc = status == BZ_OK ? 0 : gt_no_memory(err);
    while (!rc && status == BZ_OK && (rc = grow(step, out, *made, err)) == 0) {
        size_t room = out->len - *made < UINT_MAX ? out->len - *made : UINT_MAX, n = in->n < UINT_MAX ? in->n : UINT_MAX;
        bz.next_in = (char *)in->data, bz.avail_in = (unsigned)n;
        bz.next_out = (char *)out->data + *made, bz.avail_out = (unsigned)room;
        status = BZ2_bzDecompress(&bz);
        size_t used = n - bz.avail_in, now = room - bz.avail_out;
        in->data += used, in->n -= used, *made += now;
        if (status == BZ_OK && used == 0 && now == 0) /* truncated: waits for more input */
            break;
    }
    BZ2_bzDecompressEnd(&bz);
    if (!rc && status == BZ_MEM_ERROR)
        rc = gt_no_memory(err);
    else if (!rc && status != BZ_STREAM_END)
        rc = gt_fail(err, GT_INPUT, "truncated or damaged bz2 data");
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    struct gt_view in = *view;
    size_t made = 0, room = step->raw_exact || in.n >= step->raw_limit / 4 ? step->raw_limit + 1 : in.n * 4 + 64;
    int rc = gt_step_room(out, room, err);
    do
        rc = rc ? rc : one_stream(step, &in, out, &made, err);
    while (!rc && in.n > 0);
    if (rc || (rc = gt_step_check_size(step, made, err)))
        return rc;
    out->len = made;
    *view = (struct gt_view){out->data, made};
    return 0;
}

const struct gt_codec gt_codec_bz2 = {.name = "bz2",
                                      .kind = GT_BYTES_BYTES,
                                      .v2_only = true,
                                      .parse = parse,
                                      .bound = bound,
                                      .work = work,
                                      .encode = encode,
                                      .decode = decode,
                                      .describe = gt_step_describe_level};
