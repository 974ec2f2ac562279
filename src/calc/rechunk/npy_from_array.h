/* Writes an array of a store as a .npy file: chunks that are contiguous in C order are written at their offsets.
 *
 * The array has no codec, and its chunks span one item along the first axes, any number along one axis, and all of the following
 * axes.  A pipe is written in order: chunks that are early are stored in a file in tmpdir. */
#ifndef GT_OUT_NPY_STORE_H
#define GT_OUT_NPY_STORE_H

#include "arrays/zarr/array.h"
#include "storage/store/store.h"

/* path: "-" is standard output.  put of metadata is ignored.  The array, of Zarr 2, is borrowed; messages call it `name`.  GT_USAGE: a
 * terminal, or strings of variable length. */
int gt_npy_store_create(struct gt_store **out, const char *path, const struct gt_array *array, const char *name, const char *tmpdir,
                        struct gt_err *err);

#endif
