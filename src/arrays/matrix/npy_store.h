/* A .npy file as a Zarr store that has its one array, uncompressed, at the root: chunks are stretches of the file. */
#ifndef GT_MATRIX_NPY_STORE_H
#define GT_MATRIX_NPY_STORE_H

#include "core/engine/engine.h"
#include "storage/input/input.h"
#include "storage/store/store.h"

/* For reading.  Takes over *input on success, which is then as released; a pipe is spooled.  GT_INPUT for what is no array of numbers,
 * for a header that does not hold and for a file of another length. */
int gt_npy_store_open(struct gt_store **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);

#endif
