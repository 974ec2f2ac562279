/* Which items of an axis: lists as numpy's index arrays and masks are. */
#ifndef GT_CALC_INDEX_LIST_H
#define GT_CALC_INDEX_LIST_H

#include "core/engine/engine.h"

/* Items of an axis in the order of the output, any of them any number of times. */
struct gt_index_list {
    struct gt_buf place; /* int64_t each, 0 <= place < length of the axis */
    int64_t n;
};

/* From a file, for an axis of so many items that messages call `axis`: .npy or an array of a Zarr store, of one axis, of booleans (as
 * many as there are items: those that are true, in order) or of whole numbers; or a text of numbers, or of "true" and
 * "false", one a line.  Numbers below 0 count from the end.  GT_USAGE for what does not suit the axis, GT_INPUT for what is no such file.
 */
int gt_index_list_read(struct gt_index_list *pick, struct gt_engine *engine, const char *path, const char *axis, int64_t length,
                       struct gt_err *err);
/* "AXIS:FILE,AXIS:FILE": what the first of them says, and where the next begins (NULL: nowhere).  GT_USAGE. */
struct gt_index_list_arg {
    char *axis, *path; /* of it; freed by gt_index_list_arg_release */
};
int gt_index_list_arg(struct gt_index_list_arg *part, const char *text, const char **next, struct gt_err *err);
void gt_index_list_arg_release(struct gt_index_list_arg *part); /* safe on a zeroed struct */
/* Are they start, start + step, ... with a step above 0? */
bool gt_index_list_is_slice(const struct gt_index_list *pick, int64_t *start, int64_t *step);
void gt_index_list_release(struct gt_index_list *pick); /* safe on a zeroed struct */

#endif
