/* The store that an input is. */
#ifndef GT_ZARR_OPEN_H
#define GT_ZARR_OPEN_H

#include "core/engine/engine.h"
#include "storage/input/input.h"
#include "storage/store/store.h"

/* Directory, URL, zip or tar stream, by input->kind; takes over *input on success.
 * again: chunks of a stream may be got more than once. */
int gt_zarr_open_store(struct gt_store **out, struct gt_engine *engine, struct gt_input *input, bool again, struct gt_err *err);
/* Where in the store: what follows it in the input's path, and `array` below that; either may be "". */
struct gt_str;
int gt_zarr_path(struct gt_str *path, const struct gt_input *input, const char *array, struct gt_err *err);
/* A store next to an input, which `option` names as `name`: a directory, URL or zip, GT_INPUT where it is
 * another kind; inner: where in it.  Both are the caller's to free, whatever the status. */
int gt_zarr_open_second(struct gt_store **out, struct gt_str *inner, struct gt_engine *engine, const char *option, const char *name,
                        struct gt_err *err);
/* GT_INPUT: there is nothing of Zarr at `path` in the store, "" = in all of it. */
int gt_zarr_fail_absent(const struct gt_store *store, const char *path, struct gt_err *err);

#endif
