/* blosc 1 containers: those with LZ4 and Zstandard inside by blosc_frame.h, the others by libblosc, whose calls with a context
 * use one thread and no environment variables, so that the bytes depend on the input alone. */
#include "config.h"

#include <blosc.h>
#include <string.h>

#include "storage/codec/blosc_frame.h"
#include "storage/codec/step.h"

static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};

static int index_of(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

static int parse_cname(struct gt_step *step, struct json_object *conf, struct gt_err *err)
{
    const char *cname;
    int rc = gt_conf_text(conf, "cname", &cname, err);
    if (rc)
        return rc;
    if (!cname)
        cname = "lz4";
    if (index_of(cnames, sizeof cnames / sizeof *cnames, cname) < 0)
        return gt_fail_unsupported(err, "'cname' '%.32s' is not supported", cname);
    memcpy(step->cname, cname, strlen(cname) + 1);
    return 0;
}

/* v3 has names, v2 numbers with -1 for a choice by the size of the items. */
static int parse_shuffle(struct gt_step *step, struct json_object *conf, struct gt_err *err)
{
    struct json_object *member;
    step->shuffle = BLOSC_SHUFFLE;
    if (!conf || !json_object_object_get_ex(conf, "shuffle", &member))
        return 0;
    if (json_object_is_type(member, json_type_string)) {
        step->shuffle = index_of(shuffles, 3, json_object_get_string(member));
        return step->shuffle < 0 ? gt_fail_unsupported(err, "'shuffle' '%.32s' is not supported", json_object_get_string(member)) : 0;
    }
    int rc = gt_conf_int(conf, "shuffle", -1, BLOSC_BITSHUFFLE, &step->shuffle, err);
    if (!rc && step->shuffle < 0)
        step->shuffle = step->unit == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
    return rc;
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    int rc, typesize = (int)step->unit;
    (void)array;
    step->level = 5;
    if ((rc = parse_cname(step, conf, err)) || (rc = gt_conf_int(conf, "clevel", 0, 9, &step->level, err)) ||
        (rc = parse_shuffle(step, conf, err)) || (rc = gt_conf_int(conf, "blocksize", 0, BLOSC_MAX_BUFFERSIZE, &step->blocksize, err)))
        return rc;
    if (zarr_format == 3 && (rc = gt_conf_int(conf, "typesize", 0, BLOSC_MAX_BUFFERSIZE, &typesize, err)))
        return rc;
    step->unit = typesize > 0 ? (size_t)typesize : step->unit;
    if (step->raw_exact && step->raw_limit > BLOSC_MAX_BUFFERSIZE)
        return gt_fail(err, GT_INPUT, "a chunk of %zu bytes is larger than the codec's %d", step->raw_limit, BLOSC_MAX_BUFFERSIZE);
    return 0;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    (void)step;
    *exact = false;
    return n + BLOSC_MAX_OVERHEAD;
}

/* blosc works on blocks of its own, of at most this size with libblosc 1.21, in three buffers
 * of one, and libblosc makes a context of zstd for each. */
static size_t work(const struct gt_step *step, size_t n)
{
    static const uint16_t kib_of_zstd[] = {32, 32, 64, 128, 256, 256, 512, 512, 512, 1024}; /* by level */
    bool zstd = strcmp(step->cname, "zstd") == 0;
    size_t block = step->blocksize > 0 ? (size_t)step->blocksize : zstd ? (size_t)kib_of_zstd[step->level] << 10 : (size_t)1 << 20;

    block = block < n ? block : n;
    return 3 * block + (zstd ? gt_zstd_work(step->level == 9 ? 22 : 2 * step->level - 1, block) : 0);
}

/* By libblosc. */
static int encode_other(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    if (blosc_compname_to_compcode(step->cname) < 0)
        return gt_fail(err, GT_FAIL, "this libblosc is built without '%s'", step->cname);
    size_t typesize = step->unit <= BLOSC_MAX_TYPESIZE ? step->unit : 1;
    int n = blosc_compress_ctx(step->level, step->shuffle, typesize, in.n, in.data, out->data, out->len, step->cname,
                               (size_t)step->blocksize, 1);
    if (n <= 0)
        return gt_fail(err, GT_FAIL, "cannot compress %zu bytes (blosc status %d)", in.n, n);
    return gt_buf_resize(out, (size_t)n, err);
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    const bool zstd = strcmp(step->cname, "zstd") == 0;
    if (in.n > BLOSC_MAX_BUFFERSIZE)
        return gt_fail(err, GT_FAIL, "a chunk of %zu bytes is larger than the codec's %d", in.n, BLOSC_MAX_BUFFERSIZE);
    int rc = gt_step_room(out, in.n + BLOSC_MAX_OVERHEAD, err);
    if (rc)
        return rc;
    if ((!zstd && strcmp(step->cname, "lz4") != 0) || in.n == 0)
        return encode_other(step, in, out, err);
    const struct gt_blosc how = {zstd, step->level, (enum gt_blosc_shuffle)step->shuffle, step->unit, (size_t)step->blocksize};
    size_t n;
    rc = gt_blosc_encode(&how, in.data, in.n, out->data, out->len, &n, err);
    return rc ? rc : gt_buf_resize(out, n, err);
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    struct gt_blosc_frame frame;
    size_t n;
    if (blosc_cbuffer_validate(view->data, view->n, &n) != 0)
        return gt_fail(err, GT_INPUT, "truncated or damaged: %zu bytes do not match their blosc header", view->n);
    int rc = gt_step_check_size(step, n, err);
    if (rc || (rc = gt_step_room(out, n, err)))
        return rc;
    const bool known = gt_blosc_open(&frame, view->data, view->n);
    int got = n > 0 && !known ? blosc_decompress_ctx(view->data, out->data, n, 1) : (int)n;
    if (got < 0 || (size_t)got != n)
        return gt_fail(err, GT_INPUT, "damaged blosc data");
    if (known && (rc = gt_blosc_decode(&frame, 0, frame.n_blocks, out->data, err)) != 0)
        return rc;
    *view = (struct gt_view){out->data, n};
    return 0;
}

/* Blocks are decoded independently.  A malformed header has no parts; decoding the whole chunk reports the error. */
static bool has_part(const struct gt_step *step, struct gt_view in, size_t *first, size_t *end)
{
    struct gt_blosc_frame frame;
    size_t n, packed, block, typesize;
    int flags;
    if (blosc_cbuffer_validate(in.data, in.n, &n) != 0 || n != step->raw_limit)
        return false;
    if (gt_blosc_open(&frame, in.data, in.n)) {
        const size_t from = *first / frame.block, till = (*end - 1) / frame.block + 1;
        *first = from * frame.block;
        *end = till < frame.n_blocks ? till * frame.block : n;
        return 2 * (till - from) <= frame.n_blocks;
    }
    blosc_cbuffer_sizes(in.data, &n, &packed, &block);
    blosc_cbuffer_metainfo(in.data, &typesize, &flags);
    if (block == 0 || block > n || typesize == 0 || n % typesize || ((flags & BLOSC_MEMCPYED) && packed != n + BLOSC_MAX_OVERHEAD))
        return false;
    *first -= *first % typesize;
    *end += (typesize - *end % typesize) % typesize;
    return 2 * ((*end - 1) / block - *first / block + 1) <= (n - 1) / block + 1;
}

static int decode_part(const struct gt_step *step, struct gt_view in, size_t first, size_t end, struct gt_buf *out, struct gt_err *err)
{
    struct gt_blosc_frame frame;
    size_t typesize;
    int flags;
    (void)step;
    if (gt_blosc_open(&frame, in.data, in.n))
        return gt_blosc_decode(&frame, first / frame.block, (end - 1) / frame.block + 1, out->data, err);
    blosc_cbuffer_metainfo(in.data, &typesize, &flags);
    int got = blosc_getitem(in.data, (int)(first / typesize), (int)((end - first) / typesize), out->data + first);
    return got < 0 || (size_t)got != end - first ? gt_fail(err, GT_INPUT, "damaged blosc data") : 0;
}

static void describe(const struct gt_step *step, struct gt_str *text)
{
    gt_str_addf(text, ":%s:%d:%s", step->cname, step->level, shuffles[step->shuffle]);
    if (step->blocksize > 0)
        gt_str_addf(text, ":%lld", (long long)step->blocksize);
}

const struct gt_codec gt_codec_blosc = {.name = "blosc",
                                        .kind = GT_BYTES_BYTES,
                                        .parse = parse,
                                        .bound = bound,
                                        .work = work,
                                        .encode = encode,
                                        .decode = decode,
                                        .has_part = has_part,
                                        .decode_part = decode_part,
                                        .describe = describe};
