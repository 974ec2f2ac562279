/* One Zarr array: its metadata, and its chunks as decoded bytes. */
#ifndef GT_ZARR_ARRAY_H
#define GT_ZARR_ARRAY_H

#include "core/base/nd.h"
#include "storage/codec/codec.h"
#include "storage/codec/dtype.h"
#include "storage/store/store.h"

/* Rows of chunks up to (not with) `end` have chunks in the first `columns` columns only. */
struct gt_array_columns {
    int64_t end, columns;
};

/* What an array takes with its codecs and attributes, about.  Counted in the store's budget while an array that was
 * opened lives. */
#define GT_ARRAY_BYTES 5120

struct gt_array {
    struct gt_store *store;    /* borrowed */
    struct gt_budget *counted; /* NULL: it is not */
    char *path;                /* "" for an array at the root, else "calldata/GT" */
    int zarr_format;
    struct gt_dtype dtype;
    int ndim;
    int64_t shape[GT_MAX_DIMS];
    int64_t chunk[GT_MAX_DIMS];       /* what is written, and stands in the store under one key */
    int64_t unit[GT_MAX_DIMS];        /* what can be read alone: a chunk, or a chunk inside of it where it is a shard */
    char *dim_names[GT_MAX_DIMS];     /* NULL where not named */
    char separator;                   /* '.' or '/' */
    bool v2_keys;                     /* "0.0" rather than "c/0/0" */
    bool order_f;                     /* v2 order F */
    bool fill_null;                   /* v2 null: reads as zeros / "" */
    bool whole;                       /* its writer left no chunk out: one that is absent is an error, not fill values */
    struct gt_array_columns *columns; /* of a whole array: where chunks were left out nevertheless; owned */
    size_t n_columns;                 /* 0: nowhere */
    uint8_t fill[16];                 /* one item of a number or bool */
    char *fill_text;                  /* GT_BYTES, GT_UCS4: an item, GT_STRING: a text; NULL = "" */
    struct json_object *fill_json;    /* owned; as it stands in metadata; NULL: none, or that of gt_fill_zero_json */
    struct json_object *attrs;        /* owned; an object, maybe empty */
    struct gt_codec_chain *codecs;
    struct json_object *codec_meta[2]; /* of new arrays, owned: v2 filters and compressor, v3 the codecs list */
    size_t chunk_items, chunk_bytes;   /* a full chunk; bytes 0 for GT_STRING */
    size_t unit_items, unit_bytes;     /* a read unit */
};

/* Metadata of the array at path.  GT_NOENT when there is none.  v3 wins over v2. */
int gt_array_open(struct gt_array **out, struct gt_store *store, const char *path, struct gt_err *err);
void gt_array_free(struct gt_array *array);
/* A path as messages have it: "/" for an array at the root. */
static inline const char *gt_array_name(const char *path)
{
    return *path ? path : "/";
}

/* `seen` is called with each array whose metadata is read or written, on the thread that does so; NULL: no more.  For all
 * stores of the process; set while no other thread uses arrays. */
void gt_array_watch(void (*seen)(const struct gt_array *array, bool written));

/* Extent of the chunk grid along an axis, and of the grid of read units. */
int64_t gt_array_grid(const struct gt_array *array, int axis);
int64_t gt_array_units(const struct gt_array *array, int axis);
/* The store key of a chunk; `key` is overwritten. */
struct gt_str;
int gt_array_key(const struct gt_array *array, const int64_t *index, struct gt_str *key, struct gt_err *err);

/* Split reading, so that I/O and decoding can be on different threads:
 * fetch gets the stored bytes (GT_NOENT: no such chunk, GT_INPUT where the array
 * is whole), decode makes the full
 * chunk (chunk_items items, C order, little endian) of them; data == NULL
 * decodes a missing chunk to fill values.  Errors name the key. */
int gt_array_fetch(struct gt_array *array, const int64_t *index, struct gt_buf *stored, struct gt_err *err);
int gt_array_decode(const struct gt_array *array, const int64_t *index, const struct gt_buf *stored, struct gt_buf *raw,
                    struct gt_buf scratch[2], struct gt_err *err);

/* As gt_array_decode, for a read unit, of which n bytes are at data (NULL: it is not stored). */
int gt_array_decode_unit(const struct gt_array *array, const int64_t *unit, const void *data, size_t n, struct gt_buf *raw,
                         struct gt_buf scratch[2], struct gt_err *err);
/* The same for a part, see gt_codec_has_part; first and end are bytes of the unit. */
bool gt_array_has_part(const struct gt_array *array, const void *data, size_t n, size_t *first, size_t *end);
int gt_array_decode_part(const struct gt_array *array, const int64_t *unit, const void *data, size_t n, size_t first, size_t end,
                         struct gt_buf *raw, struct gt_err *err);
/* The chunk that a read unit is in, and its number there (0 where chunks are no shards). */
int64_t gt_array_unit_chunk(const struct gt_array *array, const int64_t *unit, int64_t *index);
/* What fetch says of what a store gave: an empty chunk, and a missing one of a whole array, are GT_INPUT. */
int gt_array_check_fetched(const struct gt_array *array, const char *key, int status, const struct gt_buf *stored, struct gt_err *err);
/* Its writer says that it left this chunk out: it need not be looked for. */
bool gt_array_left_out(const struct gt_array *array, const int64_t *index);
/* Puts store and chunk before the message. */
void gt_array_blame(const struct gt_array *array, const int64_t *index, struct gt_err *err);

/* Whole array in C order, for small ones (ids, contigs). */
int gt_array_read_all(struct gt_array *array, struct gt_buf *raw, struct gt_err *err);
struct gt_strs;
/* GT_STRING, GT_BYTES, GT_UCS4.  What it takes on the way is counted in budget (may
 * be NULL), the list in its own. */
struct gt_budget;
int gt_array_read_strings(struct gt_array *array, struct gt_budget *budget, struct gt_strs *strs, struct gt_err *err);
/* One GT_BYTES or GT_UCS4 item onto the list, as UTF-8, without the NULs that pad it.  nul: there
 * may be others inside; else that is not supported. */
int gt_array_item_text(const struct gt_array *array, const uint8_t *item, bool nul, struct gt_strs *strs, struct gt_err *err);

/* --- writing --- */
struct gt_array_spec {
    const char *path;
    enum gt_type type;
    size_t item_size; /* bytes, of GT_BYTES and GT_UCS4 */
    const char *unit; /* of times: "ns", "25us"; NULL = generic */
    int ndim;
    int64_t shape[GT_MAX_DIMS], chunk[GT_MAX_DIMS];
    int64_t inner[GT_MAX_DIMS]; /* v3: of the chunks that a chunk is a shard of, which it is a multiple of; inner[0] is 0: it is no shard */
    const char *dim_names[GT_MAX_DIMS];
    const char *codec;         /* SPEC as in codec.h, of chunks in shards theirs; strings get vlen-utf8 before it */
    char separator;            /* of the indices in chunks' keys, '.' or '/'; 0: '.' in v2, '/' in v3 */
    bool genotypes;            /* as in struct gt_codec_array */
    bool fill_zero;            /* v2: fill_value 0 / "" rather than null */
    struct json_object *fill;  /* fill_value as it stands in metadata of this format; borrowed; NULL: zero or null */
    struct json_object *attrs; /* more attributes; borrowed; may be NULL */
};

/* An array in memory for a store being written; gt_array_put_meta writes the metadata, so shape[0] can still change
 * (streams). */
int gt_array_new(struct gt_array **out, struct gt_store *store, const struct gt_array_spec *spec, int zarr_format, struct gt_err *err);
int gt_array_put_meta(struct gt_array *array, struct gt_err *err);
/* Metadata as the JSON that put_meta writes (for consolidation); NULL when memory is out.  Caller owns. */
struct json_object *gt_array_meta_json(const struct gt_array *array);
/* Encode a full chunk (work stage), then put it (commit stage). */
int gt_array_encode(const struct gt_array *array, const struct gt_buf *raw, struct gt_buf *stored, struct gt_buf scratch[2],
                    struct gt_err *err);
/* Is the chunk there, whole, by a run before this one (gt_store_resume)?  0 with its size as stored; GT_NOENT. */
int gt_array_done(const struct gt_array *array, const int64_t *index, int64_t *size, struct gt_err *err);
int gt_array_put(struct gt_array *array, const int64_t *index, const struct gt_buf *stored, struct gt_err *err);

#endif
