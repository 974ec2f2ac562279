/* Singular values and vectors as files: PREFIX.u, PREFIX.s and PREFIX.v, each with its suffix.
 * The vectors are written as they come, so that none has to stand in memory. */
#ifndef GT_OUT_SVD_FILES_H
#define GT_OUT_SVD_FILES_H

#include "calc/svd/array_svd.h"

struct gt_outfile;
struct gt_svd_files;

/* How they are written. */
struct gt_svd_format {
    const char *suffix; /* ".npy" */
    bool binary;
    int (*begin)(struct gt_svd_files *, int which, struct gt_err *);
    int (*rows)(struct gt_svd_files *, int which, int64_t first, int64_t n, const double *values, int64_t lead, struct gt_err *);
    int (*values)(struct gt_outfile *, const double *values, int64_t k, struct gt_err *);
};
extern const struct gt_svd_format gt_svd_npy; /* NumPy .npy 1.0, float64: u rows x k, s k, v k x columns (in Fortran's order) */
extern const struct gt_svd_format gt_svd_tsv; /* tables with a line for each row (u), column (v), value (s) */

/* rows, columns: of the array.  The sink is part of it. */
int gt_svd_files_open(struct gt_svd_files **out, const char *prefix, const struct gt_svd_format *format, int64_t rows, int64_t columns,
                      int64_t k, struct gt_err *err);
struct gt_svd_array_sink *gt_svd_files_sink(struct gt_svd_files *files);
/* values: k of them.  All files appear, or none. */
int gt_svd_files_finish(struct gt_svd_files *files, const double *values, struct gt_err *err);
void gt_svd_files_free(struct gt_svd_files *files); /* NULL is fine */

/* The values alone, one a line. */
int gt_svd_values_write(const char *path, const double *values, int64_t k, struct gt_err *err);

#endif
