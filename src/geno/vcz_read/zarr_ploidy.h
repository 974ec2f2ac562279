/* The ploidy that calls in a store show. */
#ifndef GT_GENO_ZARR_PLOIDY_H
#define GT_GENO_ZARR_PLOIDY_H

#include "arrays/zarr/array.h"

/* Of an array of calls (variants, samples[, ploidy]): haploid where its axis has one item, else by the first calls (see
 * geno/model/ploidy.h), which a stream does not let be looked at; 0: they do not show it.  sites, group: where variant_contig is,
 * group may be NULL. */
int gt_calls_ploidy(struct gt_array *calls, struct gt_store *sites, const char *group, struct gt_budget *budget, int *ploidy,
                    struct gt_err *err);

#endif
