/* Codecs: the items of a chunk <-> its bytes in a store, and chains of them.
 *
 * A chain is what a Zarr array's metadata names, in encoding order: array -> array
 * steps (transpose, delta, ...), one array -> bytes step (endianness, strings, or a
 * shard, which has chains of its own inside), then bytes -> bytes steps.  v2 has its
 * order "F" as the first step and its filters after the bytes.  Chains are immutable
 * after parsing and may be used from any thread at once; scratch memory is the
 * caller's gt_buf. */
#ifndef GT_CODEC_CODEC_H
#define GT_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/budget.h"
#include "core/base/nd.h"
#include "storage/codec/dtype.h"

struct json_object;

/* Properties of the array whose chunks a chain encodes. */
struct gt_codec_array {
    size_t item_size; /* bytes; 0 for variable-length strings */
    size_t unit;      /* bytes that big endian turns round: 4 for code points, 0 = item_size */
    enum gt_type type;
    int bits;       /* of items of less than a byte, one a byte in memory; 0: none of those */
    size_t n_items; /* in a full chunk */
    int ndim;
    int64_t chunk[GT_MAX_DIMS];
    const void *fill; /* an item (strings: a text); NULL = zeros.  What a shard is filled up with; borrowed for the parse call only */
    bool big_endian, order_f; /* v2: of the dtype; order "F" */
    int zarr_format;          /* 2 or 3 */
    bool netcdf;              /* netCDF says that it wrote the metadata: see shuffle.c */
    int depth;                /* shards that it stands in */
    bool genotypes;           /* items are genotypes, of 2 bits or a byte: see gt_zstd_set */
};

struct gt_codec_chain;

/* v3: the "codecs" list.  GT_INPUT, naming the codec, when one is unknown or
 * its configuration is bad. */
int gt_codec_parse_v3(struct gt_codec_chain **out, struct json_object *codecs, const struct gt_codec_array *array, struct gt_err *err);
/* v2: "filters" then "compressor" (either may be NULL). */
int gt_codec_parse_v2(struct gt_codec_chain **out, struct json_object *filters, struct json_object *compressor,
                      const struct gt_codec_array *array, struct gt_err *err);
void gt_codec_free(struct gt_codec_chain *chain);

/* Encode raw (C order, native little endian; strings: see codec/vlen.h) into
 * `out` (overwritten).  scratch: two buffers the chain may use, reused between
 * calls to save allocations. */
int gt_codec_encode(const struct gt_codec_chain *chain, const struct gt_buf *raw, struct gt_buf *out, struct gt_buf scratch[2],
                    struct gt_err *err);
/* Memory that encoding n bytes takes in addition to the buffers.  Up to GT_CODEC_REUSE_MAX a thread keeps
 * it for the next chunk, and nobody counts it; what is more is counted in the budget of `out`
 * while the chunk is encoded. */
#define GT_CODEC_REUSE_MAX ((size_t)3 << 19)
size_t gt_codec_work_bytes(const struct gt_codec_chain *chain, size_t n);
/* What encoding n bytes takes of budgets in addition to `raw` and `out`, at the most: scratch, what codecs need for themselves,
 * and the inner chunks of a shard.  For plans. */
int64_t gt_codec_encode_bytes(const struct gt_codec_chain *chain, size_t n);
/* The largest legal size of an encoded chunk; *exact: it is always that. */
size_t gt_codec_bound(const struct gt_codec_chain *chain, bool *exact);
/* Decode the n bytes at data.  For fixed-size items exactly n_items * item_size
 * bytes come out, anything else is GT_INPUT.  Hostile input is safe: sizes in
 * headers are checked against the chunk's size before memory is taken. */
int gt_codec_decode(const struct gt_codec_chain *chain, const void *data, size_t n, struct gt_buf *raw, struct gt_buf scratch[2],
                    struct gt_err *err);

/* Can a part of the chunk's raw bytes, from *first up to *end, be decoded for half the work of
 * all of it or less?  The range is made as wide as it has to be.  Never for strings. */
bool gt_codec_has_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t *first, size_t *end);
/* Decodes that range, or one next to it, to its place in `raw`, which gets the size of the whole
 * chunk; what else stands in it is left alone. */
int gt_codec_decode_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t first, size_t end, struct gt_buf *raw,
                         struct gt_err *err);

/* The --codec SPEC of the commands ("zstd:1", "blosc:zstd:5:bitshuffle", and
 * ":256K" after it for blocks of that size, "gzip:6", "lz4", "none", or JSON) as metadata for a new array:
 * v3: the codecs list ("bytes" or "vlen-utf8" is put in where it is not named); v2:
 * *filters and *compressor (may come out NULL = null).  The caller owns (json_object_put). */
int gt_codec_spec_v3(const char *spec, const struct gt_codec_array *array, struct json_object **codecs, struct gt_err *err);
int gt_codec_spec_v2(const char *spec, const struct gt_codec_array *array, struct json_object **filters, struct json_object **compressor,
                     struct gt_err *err);

/* Does either decode, to the same items, what the other encodes?  Only said of chains that
 * compress the items as they lie in memory. */
bool gt_codec_same_chain(const struct gt_codec_chain *a, const struct gt_codec_chain *b);

/* A short name for people: "zstd:1", "blosc:lz4:5:shuffle", "none". The text is the chain's. */
const char *gt_codec_describe(const struct gt_codec_chain *chain);

#endif
