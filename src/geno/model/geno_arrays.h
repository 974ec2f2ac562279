/* Arrays of a store that hold something of every sample, and who the samples are. */
#ifndef GT_GENO_GENOTYPES_H
#define GT_GENO_GENOTYPES_H

#include "arrays/zarr/array.h"
#include "core/base/str.h"

/* Genotypes: packed, called like them (call_genotype, calldata/GT, call_dosage), or (variants, samples[,
 * ploidy]) of one-byte integers by the names of its axes; not those that are turned. */
bool gt_array_has_genotypes(const struct gt_array *array);
/* Because of its name, or the attributes of packed genotypes. */
bool gt_array_is_genotypes_by_name(const struct gt_array *array);
/* Are samples by the name of its first axis what stands first, as gt-rechunk --transpose leaves genotypes? */
bool gt_array_is_turned(const struct gt_array *array);
/* The axis that is named "samples"; -1 = none is. */
int gt_array_samples_axis(const struct gt_array *array);
/* Ids of the group that the array stands in, or of one above.  GT_NOENT when there are none. */
int gt_array_sample_ids(const struct gt_array *array, struct gt_budget *budget, struct gt_strs *ids, struct gt_err *err);

#endif
