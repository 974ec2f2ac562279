/* zstd frames, with the checksum of the content unless asked for none.  The
 * metadata of v2 has no word for it (readers refuse keys they do not know), and
 * needs none: the frame says that it is there, and every decoder verifies it. */
#include "config.h"

#include <limits.h>
#define ZSTD_STATIC_LINKING_ONLY /* for the sizes of contexts */
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/mem.h"
#include "storage/codec/step.h"

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    int rc;
    (void)zarr_format;
    step->checksum = true;
    step->genotypes = array->genotypes;
    if ((rc = gt_conf_int(conf, "level", INT_MIN, INT_MAX, &step->level, err)) ||
        (rc = gt_conf_bool(conf, "checksum", &step->checksum, err)))
        return rc;
    ZSTD_bounds bounds = ZSTD_cParam_getBounds(ZSTD_c_compressionLevel);
    step->level = step->level < bounds.lowerBound ? bounds.lowerBound : step->level > bounds.upperBound ? bounds.upperBound : step->level;
    return 0;
}

size_t gt_zstd_work(int level, size_t n)
{
    return ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(level, n, 0));
}

/* Matches are rare among such bytes, and long where they are: of 2 bits a genotype level 1 has 356 MB/s, and so 491, of planes
 * of alleles 1,366 and 1,733 (hash tables of 2^14, and of 2^11 entries), sizes within 1 %. */
void gt_zstd_set(ZSTD_CCtx *compress, int level, bool dense)
{
    ZSTD_CCtx_reset(compress, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(compress, ZSTD_c_compressionLevel, level);
    if (!dense || level != 1)
        return;
    ZSTD_CCtx_setParameter(compress, ZSTD_c_hashLog, 11);
    ZSTD_CCtx_setParameter(compress, ZSTD_c_minMatch, 7);
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n + n / 128 + 1024;
}

static size_t work(const struct gt_step *step, size_t n)
{
    return gt_zstd_work(step->level, n);
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    struct gt_codec_thread *thread = gt_codec_thread();
    if (thread && !thread->compress)
        thread->compress = ZSTD_createCCtx();
    if (!thread || !thread->compress)
        return gt_no_memory(err);
    int rc = gt_step_room(out, ZSTD_compressBound(in.n), err);
    if (rc)
        return rc;
    gt_zstd_set(thread->compress, step->level, step->genotypes);
    ZSTD_CCtx_setParameter(thread->compress, ZSTD_c_checksumFlag, step->checksum);
    size_t n = ZSTD_compress2(thread->compress, out->data, out->len, in.data, in.n);
    if (ZSTD_sizeof_CCtx(thread->compress) > GT_CODEC_REUSE_MAX) {
        ZSTD_freeCCtx(thread->compress);
        thread->compress = NULL;
    }
    if (ZSTD_isError(n))
        return gt_fail(err, GT_FAIL, "cannot compress %zu bytes: %s", in.n, ZSTD_getErrorName(n));
    return gt_buf_resize(out, n, err);
}

static int damaged(size_t code, struct gt_err *err)
{
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return gt_no_memory(err);
    if (ZSTD_getErrorCode(code) == ZSTD_error_checksum_wrong)
        return gt_fail(err, GT_INPUT, "damaged zstd data: wrong checksum");
    return gt_fail(err, GT_INPUT, "damaged zstd data: %s", ZSTD_getErrorName(code));
}

/* Sizes in frame headers are not believed: what comes out decides. */
static int decode_growing(const struct gt_step *step, ZSTD_DCtx *ctx, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    ZSTD_inBuffer in = {view->data, view->n, 0};
    ZSTD_outBuffer to = {0};
    size_t left = 1;
    int rc = gt_step_room(out, view->n < step->raw_limit / 4 ? view->n * 4 + 64 : step->raw_limit, err);
    while (!rc) {
        to.dst = out->data, to.size = out->len;
        left = ZSTD_decompressStream(ctx, &to, &in);
        if (ZSTD_isError(left))
            return damaged(left, err);
        if (in.pos == in.size && (left == 0 || to.pos < to.size))
            break;
        if (to.pos == to.size && out->len >= step->raw_limit)
            return gt_step_check_size(step, (uint64_t)step->raw_limit + 1, err);
        if (to.pos == to.size)
            rc = gt_buf_resize(out, out->len < step->raw_limit / 2 ? out->len * 2 : step->raw_limit, err);
    }
    if (!rc && left != 0)
        rc = gt_fail(err, GT_INPUT, "truncated zstd data");
    *view = (struct gt_view){out->data, to.pos};
    return rc;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    struct gt_codec_thread *thread = gt_codec_thread();
    if (thread && !thread->decompress)
        thread->decompress = ZSTD_createDCtx();
    if (!thread || !thread->decompress)
        return gt_no_memory(err);
    ZSTD_DCtx_reset(thread->decompress, ZSTD_reset_session_only);
    if (!step->raw_exact)
        return decode_growing(step, thread->decompress, view, out, err);
    int rc = gt_step_room(out, step->raw_limit, err);
    if (rc)
        return rc;
    size_t n = ZSTD_decompressDCtx(thread->decompress, out->data, out->len, view->data, view->n);
    if (ZSTD_isError(n) && ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall)
        return gt_fail(err, GT_INPUT, "damaged zstd data, or not %zu bytes: %s", step->raw_limit, ZSTD_getErrorName(n));
    if (ZSTD_isError(n))
        return damaged(n, err);
    *view = (struct gt_view){out->data, n};
    return gt_step_check_size(step, n, err);
}

const struct gt_codec gt_codec_zstd = {.name = "zstd",
                                       .kind = GT_BYTES_BYTES,
                                       .parse = parse,
                                       .bound = bound,
                                       .work = work,
                                       .encode = encode,
                                       .decode = decode,
                                       .describe = gt_step_describe_level};
