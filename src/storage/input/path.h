/* From the path as given to the file, or the root of the store, that it means:
 * PREFIX of PREFIX.bed, an array or group inside a store.  Internal to store/. */
#ifndef GT_STORE_PATH_H
#define GT_STORE_PATH_H

#include "storage/input/input.h"

/* input->path, with the rest in input->inner; a store's kind is set.
 * GT_NOENT: there is none; *errnum is why, or 0 for a directory that is no store. */
int gt_path_find(struct gt_input *input, int *errnum, struct gt_err *err);

#endif
