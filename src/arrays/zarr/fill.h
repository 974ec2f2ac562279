/* Fill values: what stands in metadata -> one item.  Internal to zarr/. */
#ifndef GT_ZARR_FILL_H
#define GT_ZARR_FILL_H

#include "arrays/zarr/array.h"

struct json_object;

/* Sets array->fill, fill_text, fill_json and fill_null from the metadata value (NULL =
 * JSON null), which is shared; dtype and zarr_format must be set.  GT_INPUT when the value does
 * not suit the type. */
int gt_fill_parse(struct gt_array *array, struct json_object *value, struct gt_err *err);

/* Bytes of `text`, or false when it is no base64.  out takes 3/4 of its length. */
bool gt_fill_base64(const char *text, size_t len, char *out, size_t *n);

/* That many items of nothing but the fill value. */
int gt_fill_chunk(const struct gt_array *array, size_t items, struct gt_buf *raw, struct gt_err *err);

/* The fill value of a new array (zero, false or ""), for metadata. */
struct json_object *gt_fill_zero_json(enum gt_type type);

#endif
