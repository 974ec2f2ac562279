/* Names of axes, and lengths given per axis. */
#ifndef GT_CALC_RECHUNK_AXES_H
#define GT_CALC_RECHUNK_AXES_H

#include "arrays/zarr/array.h"

/* Name of an axis: from the metadata of the array, else from its path if it is an array of VCF Zarr or scikit-allel ("calldata/GT":
 * variants, samples, ploidy); NULL if unknown.  Packed genotypes have axes variants and samples. */
const char *gt_axis_name(const struct gt_array *array, bool packed, int axis);

/* "variants=1000,samples=-1", or "1000,-1" for the axes of an array in order; -1 is the whole axis.  "PATH:AXIS=N,AXIS=N" is of
 * one array, up to the next PATH; "auto" is a length by bytes, and alone it is that of all axes.  Zero-initialised: no lengths. */
enum { GT_LENGTH_AUTO = -2, GT_MAX_LENGTHS = 4 * GT_MAX_DIMS };
struct gt_lengths {
    const char *option; /* for messages: "-c" */
    int n;
    bool named, all_auto;
    struct gt_length {
        char *array; /* NULL: of all arrays */
        char *name;  /* NULL if given by position */
        int64_t length;
        bool used;
    } axis[GT_MAX_LENGTHS];
};
/* text may be NULL: no lengths.  GT_USAGE. */
int gt_lengths_parse(struct gt_lengths *lengths, const char *option, const char *text, struct gt_err *err);
/* Assigns the names of an array with ndim axes (NULL: no name) to lengths given by position.  GT_USAGE if their number is not
 * ndim. */
int gt_lengths_name(struct gt_lengths *lengths, const char *array, int ndim, const char *const *names, struct gt_err *err);
/* The length of an axis of the array at `path`: by its name, or, if it has no name, by `position` (-1: none).  0: not given. */
int64_t gt_lengths_find(struct gt_lengths *lengths, const char *path, const char *name, int position);
/* Replaces GT_LENGTH_AUTO in chunk[0 .. ndim) by equal lengths, as far as axes are as long (shape), so that a chunk of items of `item`
 * bytes has at most `bytes`. */
void gt_lengths_fill(int ndim, const int64_t *shape, double item, int64_t bytes, int64_t *chunk);
/* GT_USAGE if a length was never looked up. */
int gt_lengths_check(const struct gt_lengths *lengths, struct gt_err *err);
void gt_lengths_release(struct gt_lengths *lengths);

#endif
