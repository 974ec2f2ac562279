/* New arrays into a store of Zarr v2, one after another: of values that stand in memory, or chunk by chunk. */
#ifndef GT_ZARR_PUT_H
#define GT_ZARR_PUT_H

#include "arrays/zarr/group.h"
#include "core/base/str.h"

enum { GT_PUT_ARRAYS = 24 };

struct gt_put {
    struct gt_store *store; /* borrowed */
    struct gt_budget *budget;
    struct gt_array *array[GT_PUT_ARRAYS];
    size_t n;
    struct gt_buf raw, stored, scratch[2];
};

/* Of a zeroed one. */
void gt_put_begin(struct gt_put *put, struct gt_store *store, struct gt_budget *budget);
/* A new array that belongs to put, and whose chunks the caller gives: raw, whole, in C order. */
int gt_put_array(struct gt_put *put, const struct gt_array_spec *spec, struct gt_array **out, struct gt_err *err);
int gt_put_chunk(struct gt_put *put, struct gt_array *array, const int64_t *index, const struct gt_buf *raw, struct gt_err *err);
/* A new array of the spec's type, shape and names, chunked along its first axis; all of its values, C order, of this machine's
 * byte order.  spec->chunk is filled in, and codec where there is none. */
int gt_put_values(struct gt_put *put, struct gt_array_spec *spec, const void *values, struct gt_err *err);
/* Texts: as many of the list as the spec has items. */
int gt_put_texts(struct gt_put *put, struct gt_array_spec *spec, const struct gt_strs *texts, struct gt_err *err);
/* Metadata of all of them; attrs: of the root. */
int gt_put_end(struct gt_put *put, struct json_object *attrs, struct gt_err *err);
void gt_put_release(struct gt_put *put);

#endif
