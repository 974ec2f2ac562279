/* Index lists: selection of items of an axis, like numpy's index arrays and masks. */
#ifndef GT_CALC_INDEX_LIST_H
#define GT_CALC_INDEX_LIST_H

#include "core/base/slice.h"
#include "core/engine/engine.h"

/* Indices of items in output order; may repeat. */
struct gt_index_list {
    struct gt_buf place; /* int64_t each, 0 <= index < length of the axis */
    int64_t n;
};

/* Reads the list of part for an axis of `length` items: indices, or a file: a .npy file or an array of a Zarr store with one axis, of
 * booleans (a mask of that length) or integers; or text, of a file or a pipe, with an integer, "true" or "false" per line.  Negative
 * indices count from the end.  GT_USAGE if the list does not fit the axis, GT_INPUT if the file is invalid. */
struct gt_index_list_arg;
int gt_index_list_read(struct gt_index_list *pick, struct gt_engine *engine, const struct gt_index_list_arg *part, int64_t length,
                       struct gt_err *err);
/* The items of a slice with a step below 0. */
int gt_index_list_of_slice(struct gt_index_list *pick, struct gt_engine *engine, const struct gt_slice *slice, int64_t length,
                           struct gt_err *err);
/* Parses the first item of "AXIS:FILE,AXIS:10,1,5"; *next: start of the next item, or NULL.  GT_USAGE. */
struct gt_index_list_arg {
    char *axis;
    char *path;    /* "-" becomes /dev/stdin; NULL: numbers */
    char *numbers; /* indices with commas between */
};
int gt_index_list_arg(struct gt_index_list_arg *part, const char *text, const char **next, struct gt_err *err);
void gt_index_list_arg_release(struct gt_index_list_arg *part); /* safe on a zeroed struct */
/* Is the list start, start + step, ... with a positive step? */
bool gt_index_list_is_slice(const struct gt_index_list *pick, int64_t *start, int64_t *step);
void gt_index_list_release(struct gt_index_list *pick); /* safe on a zeroed struct */

#endif
