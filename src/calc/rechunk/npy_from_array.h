/* An array of a store that becomes one .npy file: chunks that are stretches of it in C order are written where they stand.
 *
 * Such an array has no codec, and chunks of one item along the first axes, as many as may be along one, and the whole of those behind
 * it.  A pipe is written in order: what comes too early waits in a file in tmpdir. */
#ifndef GT_OUT_NPY_STORE_H
#define GT_OUT_NPY_STORE_H

#include "storage/store/store.h"
#include "arrays/zarr/array.h"

/* path: "-" is standard output.  Metadata that are put are passed over.  The array, of Zarr 2, is borrowed.  GT_USAGE: a terminal;
 * texts of variable length. */
int gt_npy_store_create(struct gt_store **out, const char *path, const struct gt_array *array, const char *tmpdir, struct gt_err *err);

#endif
