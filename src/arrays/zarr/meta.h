/* Metadata documents -> arrays.  Internal to zarr/. */
#ifndef GT_ZARR_META_H
#define GT_ZARR_META_H

#include "arrays/zarr/array.h"
#include "core/base/json.h"
#include "core/base/str.h"

#define GT_CHUNK_MAX ((size_t)1 << 40) /* bytes of a decoded chunk that we are willing to think about */

/* An array of parsed documents: v2 .zarray with attrs (may be NULL), or v3
 * zarr.json (attrs unused).  Both stay the caller's. */
int gt_array_from_json(struct gt_array **out, struct gt_store *store, const char *path, int zarr_format, struct json_object *meta,
                       struct json_object *attrs, struct gt_err *err);
/* Calls the function that gt_array_watch has set. */
void gt_array_seen(const struct gt_array *array, bool written);
int gt_meta_parse_v2(struct gt_array *array, struct json_object *meta, struct gt_err *err);
int gt_meta_parse_v3(struct gt_array *array, struct json_object *meta, struct gt_err *err);

/* shape and chunk of *array from two lists of the same length, products checked. */
int gt_meta_shape(struct gt_array *array, struct json_object *shape, struct json_object *chunk, struct gt_err *err);
/* chunk_items and chunk_bytes from chunk and dtype; GT_INPUT when too large. */
int gt_meta_chunk_size(struct gt_array *array, struct gt_err *err);
/* What can be read alone, by the codecs. */
void gt_meta_set_unit(struct gt_array *array);
/* Properties of the array that codecs need; borrows its fill value. */
struct gt_codec_array gt_meta_codec_array(const struct gt_array *array);
int gt_meta_dim_names(struct gt_array *array, struct json_object *names, struct gt_err *err);

/* Is it the zarr.json of a group?  All others are opened as arrays, whose errors say what is wrong with them. */
bool gt_meta_is_group(struct json_object *meta);
/* Is the document of this zarr_format?  Of one that is not known it is unsupported, else GT_INPUT. */
int gt_meta_check_format(struct json_object *meta, int format, struct gt_err *err);
/* A v3 document whose unknown keys may be ignored?  `known` ends with NULL. */
int gt_meta_check_keys(struct json_object *meta, const char *const *known, struct gt_err *err);

/* Document `key` of the store, parsed.  GT_NOENT when there is none. */
int gt_meta_get(struct gt_store *store, const char *path, const char *document, struct json_object **out, struct gt_err *err);
/* Prefetches values that will be requested: a remote store reads them concurrently and caches them.  A refusal by the server is
 * reported when the value is requested; an unreachable server is a failure. */
int gt_meta_expect(struct gt_store *store, const struct gt_strs *keys, struct gt_err *err);
/* The documents of a group, or of an array, of either version; at the root of both. */
int gt_meta_expect_node(struct gt_store *store, const char *path, bool group, struct gt_err *err);
/* "path/document" onto a list. */
int gt_meta_add_key(struct gt_strs *keys, const char *path, const char *document, struct gt_err *err);
/* obj as that document; NULL obj: memory ran out when it was made. */
int gt_meta_put(struct gt_store *store, const char *path, const char *document, struct json_object *obj, struct gt_err *err);

/* The .zattrs of a new v2 array: _ARRAY_DIMENSIONS, then its attributes; NULL when memory is out. */
struct json_object *gt_array_attrs_json(const struct gt_array *array);

#endif
