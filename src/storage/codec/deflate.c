/* gzip (one or more members) and zlib. */
#include "config.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/mem.h"
#include "storage/codec/step.h"

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    (void)zarr_format, (void)array;
    step->level = 1;
    int rc = gt_conf_int(conf, "level", -1, 9, &step->level, err);
    if (step->level < 0)
        step->level = 6; /* zlib's default */
    return rc;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n + n / 64 + 1024;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    bool zlib = step->codec == &gt_codec_zlib;
    struct gt_codec_thread *thread = gt_codec_thread();
    if (thread && (!thread->deflate || thread->deflate_level != step->level)) {
        libdeflate_free_compressor(thread->deflate);
        thread->deflate = libdeflate_alloc_compressor(step->level);
        thread->deflate_level = step->level;
    }
    if (!thread || !thread->deflate)
        return gt_no_memory(err);
    size_t room = zlib ? libdeflate_zlib_compress_bound(thread->deflate, in.n) : libdeflate_gzip_compress_bound(thread->deflate, in.n);
    int rc = gt_step_room(out, room, err);
    if (rc)
        return rc;
    size_t n = zlib ? libdeflate_zlib_compress(thread->deflate, in.data, in.n, out->data, out->len)
                    : libdeflate_gzip_compress(thread->deflate, in.data, in.n, out->data, out->len);
    if (n == 0)
        return gt_fail(err, GT_FAIL, "cannot compress %zu bytes", in.n);
    return gt_buf_resize(out, n, err);
}

/* Zero bytes may follow the last member, nothing else. */
static bool all_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && *p == 0)
        p++, n--;
    return n == 0;
}

/* All members into out, which has its full length.  *n_out: bytes made. */
static enum libdeflate_result inflate_all(struct libdeflate_decompressor *ctx, bool zlib, struct gt_view in, struct gt_buf *out,
                                          size_t *n_out)
{
    enum libdeflate_result result;
    *n_out = 0;
    do {
        size_t used, made;
        result = zlib ? libdeflate_zlib_decompress_ex(ctx, in.data, in.n, out->data + *n_out, out->len - *n_out, &used, &made)
                      : libdeflate_gzip_decompress_ex(ctx, in.data, in.n, out->data + *n_out, out->len - *n_out, &used, &made);
        if (result != LIBDEFLATE_SUCCESS)
            return result;
        *n_out += made;
        in.data += used, in.n -= used;
    } while (!zlib && in.n > 0 && !all_zero(in.data, in.n));
    return in.n > 0 && zlib ? LIBDEFLATE_BAD_DATA : LIBDEFLATE_SUCCESS;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    struct gt_codec_thread *thread = gt_codec_thread();
    if (thread && !thread->inflate)
        thread->inflate = libdeflate_alloc_decompressor();
    if (!thread || !thread->inflate)
        return gt_no_memory(err);
    size_t room = step->raw_exact || view->n >= step->raw_limit / 4 ? step->raw_limit : view->n * 4 + 64, n;
    for (;;) {
        int rc = gt_step_room(out, room, err);
        if (rc)
            return rc;
        enum libdeflate_result result = inflate_all(thread->inflate, step->codec == &gt_codec_zlib, *view, out, &n);
        if (result == LIBDEFLATE_SUCCESS)
            break;
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            return gt_fail(err, GT_INPUT, "truncated or damaged %s data", step->codec->name);
        if (room >= step->raw_limit)
            return gt_fail(err, GT_INPUT, "decodes to more than %zu bytes", step->raw_limit);
        room = room < step->raw_limit / 4 ? room * 4 : step->raw_limit;
    }
    *view = (struct gt_view){out->data, n};
    return gt_step_check_size(step, n, err);
}

const struct gt_codec gt_codec_gzip = {.name = "gzip",
                                       .kind = GT_BYTES_BYTES,
                                       .parse = parse,
                                       .bound = bound,
                                       .encode = encode,
                                       .decode = decode,
                                       .describe = gt_step_describe_level};
const struct gt_codec gt_codec_zlib = {.name = "zlib",
                                       .kind = GT_BYTES_BYTES,
                                       .v2_only = true,
                                       .parse = parse,
                                       .bound = bound,
                                       .encode = encode,
                                       .decode = decode,
                                       .describe = gt_step_describe_level};
