/* Square matrices as files: sinks of calc/sink.h. */
#ifndef GT_OUT_MATRIX_H
#define GT_OUT_MATRIX_H

#include "calc/sink.h"

/* NumPy .npy 1.0, float64, C order; row ids in PATH.id, one a line, unless the
 * matrix goes to standard output ("-"), a pipe or a device. */
int gt_sink_npy(struct gt_sink **out, const char *path, struct gt_err *err);

/* Tab-separated text: a header line "id", ids; then a line a row, its id first.
 * Whole numbers are written as such, others with 10 significant digits. */
int gt_sink_tsv(struct gt_sink **out, const char *path, struct gt_err *err);

#endif
