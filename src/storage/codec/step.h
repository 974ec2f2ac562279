/* One step of a chain.  Each codec is a file with one `struct gt_codec`; the
 * table of all of them is in registry.c.  Private to src/codec. */
#ifndef GT_CODEC_STEP_H
#define GT_CODEC_STEP_H

#include <json-c/json.h>
#include <stdint.h>

#include "core/base/str.h"
#include "storage/codec/codec.h"
#include "storage/codec/shard.h"

/* Bytes on their way through a chain: the caller's or those of a buffer. */
struct gt_view {
    const uint8_t *data;
    size_t n;
};

struct gt_step {
    const struct gt_codec *codec;
    bool idle;        /* encode is not called, and decode only looks */
    bool writes;      /* false: decode hands on a part of its input */
    size_t raw_limit; /* largest decoded size that is accepted */
    bool raw_exact;   /* the decoded size is raw_limit, nothing else */
    size_t n_items;   /* of the chunk */
    size_t item_size; /* of an item that goes in when encoding, 0 for strings */
    size_t unit;      /* bytes of a number, or of a shuffled item */
    int bits;         /* of an item of less than a byte, that memory has in one; 0: whole bytes */
    bool is_signed;   /* such items are */
    int level;
    int shuffle;    /* blosc */
    int blocksize;  /* blosc */
    bool checksum;  /* zstd */
    bool at_start;  /* checksums */
    bool genotypes; /* zstd, as in struct gt_codec_array */
    int padding;    /* packbits */
    char cname[16]; /* blosc */
    void *own;      /* what else the codec keeps, of malloc: freed with the step */
};

enum gt_codec_kind { GT_ARRAY_ARRAY, GT_ARRAY_BYTES, GT_BYTES_BYTES };

#define GT_MAX_NESTING 4 /* shards in shards */

struct gt_codec {
    const char *name; /* as in v3, and the id in v2 */
    enum gt_codec_kind kind;
    bool v2_only; /* in v3 it is "numcodecs.<name>" */
    bool v3_only;
    bool filter; /* GT_ARRAY_ARRAY, and in v2 it works on the bytes of the array */
    /* The configuration (an object or NULL) into step.  v2: it is the codec's object
     * itself.  array: what goes in when encoding; array -> array steps make it what comes out. */
    int (*parse)(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err);
    void (*release)(struct gt_step *step); /* what step->own holds; after parse, also a failed one; may be NULL */
    /* Largest legal encoded size of n bytes; *exact: it is always that. */
    size_t (*bound)(const struct gt_step *step, size_t n, bool *exact);
    /* Memory in addition to the buffers that encoding n bytes takes; NULL: less than GT_CODEC_REUSE_MAX. */
    size_t (*work)(const struct gt_step *step, size_t n);
    /* Buffers of its own, counted in the budget of `out`, that encoding n bytes takes; NULL: none. */
    int64_t (*buffers)(const struct gt_step *step, size_t n);
    int (*encode)(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err);
    /* *view is the input, then the output, which is in `out` if step->writes. */
    int (*decode)(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err);
    /* See gt_codec_has_part; of what the step decodes.  NULL: it has none. */
    bool (*has_part)(const struct gt_step *step, struct gt_view in, size_t *first, size_t *end);
    /* The range to its place in `out`, which has its size. */
    int (*decode_part)(const struct gt_step *step, struct gt_view in, size_t first, size_t end, struct gt_buf *out, struct gt_err *err);
    /* Adds ":1" or ":lz4:5:shuffle" to the name that people see; NULL: nothing to add. */
    void (*describe)(const struct gt_step *step, struct gt_str *text);
};

/* All codecs: X(name) is gt_codec_name.  One that needs a library which may be absent is in GT_CODECS_OPTIONAL. */
#ifdef HAVE_LZMA
#define GT_CODECS_OPTIONAL(X) X(lzma)
#else
#define GT_CODECS_OPTIONAL(X)
#endif
/* clang-format off */
#define GT_CODECS(X) \
    X(bytes) X(vlen_utf8) X(vlen_bytes) X(blosc) X(zstd) X(gzip) X(zlib) X(lz4) X(bz2) X(crc32c) X(crc32) \
    X(adler32) X(fletcher32) X(shuffle) X(packbits) X(packbits_filter) X(transpose) X(delta) \
    X(fixedscaleoffset) X(astype) X(quantize) X(bitround) GT_CODECS_OPTIONAL(X) X(sharding_indexed)
/* clang-format on */
#define GT_CODEC_DECLARE(name) extern const struct gt_codec gt_codec_##name;
GT_CODECS(GT_CODEC_DECLARE)

/* The shard that the step is, or NULL. */
const struct gt_shard *gt_step_shard(const struct gt_step *step);

/* NULL when a format (2 or 3) has none of that name; of those of v3 that have a prefix here the name without it, and format 2. */
const struct gt_codec *gt_codec_find(const char *name, int zarr_format);

/* The lowest bits of x as an item of so few. */
static inline uint8_t gt_step_widen(const struct gt_step *step, uint8_t x)
{
    unsigned high = 1u << (step->bits - 1), all = 2 * high - 1;
    return (uint8_t)(step->is_signed && step->bits < 8 ? ((x & all) ^ high) - high : x & all);
}

/* `out` with n bytes of unknown content and never NULL. */
/* describe: ":LEVEL" */
void gt_step_describe_level(const struct gt_step *step, struct gt_str *text);
int gt_step_room(struct gt_buf *out, size_t n, struct gt_err *err);
/* GT_INPUT that says what came out, when n is no size that the step may decode to. */
int gt_step_check_size(const struct gt_step *step, uint64_t n, struct gt_err *err);
/* How decoding items of one size to items of another begins: *n of them are in the view, and `out` has room for them. */
int gt_step_items(const struct gt_step *step, const struct gt_view *view, size_t stored, size_t decoded, size_t *n, struct gt_buf *out,
                  struct gt_err *err);

/* A filter that takes numbers of one type and gives numbers of another: checks that the
 * array has the one, and makes it have the other. */
int gt_step_retype(struct gt_step *step, struct gt_codec_array *array, struct gt_dtype *in, struct gt_dtype *out, struct gt_err *err);

/* Members of a configuration; missing, and a number that is null, gives `value` unchanged.  GT_INPUT
 * names the member when it is of another type (a number may be the text of one) or outside [low, high]. */
int gt_conf_int(struct json_object *conf, const char *key, int low, int high, int *value, struct gt_err *err);
int gt_conf_real(struct json_object *conf, const char *key, double *value, struct gt_err *err); /* GT_INPUT when it is missing, too */
int gt_conf_bool(struct json_object *conf, const char *key, bool *value, struct gt_err *err);
/* The text is conf's; NULL when missing. */
int gt_conf_text(struct json_object *conf, const char *key, const char **value, struct gt_err *err);

/* A context of zstd for n bytes at once. */
size_t gt_zstd_work(int level, size_t n);
struct ZSTD_CCtx_s;
/* The context compresses at that level from here on, without a checksum.  dense: the bytes are genotypes or planes of bits, of
 * which level 1 then looks for few and long matches: as small, in two thirds to nine tenths of the time. */
void gt_zstd_set(struct ZSTD_CCtx_s *compress, int level, bool dense);

/* What a thread keeps between chunks, made on first use, freed when it ends. */
struct gt_codec_thread {
    struct ZSTD_CCtx_s *compress;
    struct ZSTD_DCtx_s *decompress;
    struct libdeflate_compressor *deflate;
    int deflate_level;
    struct libdeflate_decompressor *inflate;
    void *aside; /* blosc: blocks as they are shuffled */
    size_t cap_aside;
};
/* NULL when there is no memory. */
struct gt_codec_thread *gt_codec_thread(void);

#endif
