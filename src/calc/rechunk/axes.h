/* Axes by name, and lengths that are given for them. */
#ifndef GT_CALC_RECHUNK_AXES_H
#define GT_CALC_RECHUNK_AXES_H

#include "arrays/zarr/array.h"

/* What an axis is called: by the array's metadata, else by the array's path where that is one of VCF Zarr or of
 * scikit-allel ("calldata/GT": variants, samples, ploidy); NULL where nobody says.  Packed genotypes count
 * as variants and samples. */
const char *gt_axis_name(const struct gt_array *array, bool packed, int axis);

/* "variants=1000,samples=-1", or "1000,-1" for the axes of one array in their order; -1 is the
 * whole axis.  Zeroed: no lengths. */
struct gt_lengths {
    const char *option; /* for messages: "-c" */
    int n;
    bool named;
    struct gt_length {
        char *name; /* NULL where they are not named */
        int64_t length;
        bool used;
    } axis[GT_MAX_DIMS];
};
/* text NULL: no lengths.  GT_USAGE. */
int gt_lengths_parse(struct gt_lengths *lengths, const char *option, const char *text, struct gt_err *err);
/* Names for those that have none: of an array with so many axes, NULL where it has no names.  GT_USAGE when
 * there are more or fewer. */
int gt_lengths_name(struct gt_lengths *lengths, const char *array, int ndim, const char *const *names, struct gt_err *err);
/* That of an axis: by its name, or, where it is given for `position` (-1: for none) and has no
 * name, by that.  0: none was given. */
int64_t gt_lengths_find(struct gt_lengths *lengths, const char *name, int position);
/* GT_USAGE when one was never found. */
int gt_lengths_check(const struct gt_lengths *lengths, struct gt_err *err);
void gt_lengths_release(struct gt_lengths *lengths);

#endif
