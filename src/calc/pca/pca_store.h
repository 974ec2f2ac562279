/* A PCA as a Zarr group, for Zarr libraries and for gt-svd --project.
 *
 *   sample_id (samples), sample_component (samples, components): V; sample_fit (samples): was in the fit, if some were not
 *   singular_value, eigenvalue (components)
 *   with a model: contig_id, variant_contig, variant_position, variant_id, variant_allele (variants, alleles),
 *   variant_mean, variant_scale (variants): divisor of (allele count - mean), variant_component (variants,
 *   components): U
 *
 * gt_svd in the root attributes: {"version": 1, "scale": "binomial", "variants": including excluded ones}, and "ploidy": 1 for
 * haploid data. */
#ifndef GT_CALC_SVD_STORE_H
#define GT_CALC_SVD_STORE_H

#include "calc/pca/pca_model.h"
#include "storage/input/input.h"

struct gt_svd_stored {
    enum gt_svd_scale scale;
    int ploidy;                       /* of the data, see geno/model/ploidy.h */
    const struct gt_strs *ids;        /* of the samples */
    const uint8_t *fit;               /* [samples], 1 = in the fit; NULL: all are */
    int64_t k, variants;              /* variants: as in struct gt_svd_model */
    const double *vectors;            /* [k][samples] */
    const double *values;             /* [k]: squared singular values */
    const struct gt_svd_model *model; /* NULL: none */
    const char *history;              /* provenance, NULL: none */
};

/* Writes a directory, or a zip if named so; replace: see gt_store_create. */
int gt_svd_store_write(const char *path, bool replace, const char *plan, const struct gt_svd_stored *what, struct gt_budget *budget,
                       struct gt_err *err);
/* Takes over the input.  The model was initialised; the caller releases it, also after a failure.  GT_INPUT if it is not such a store or
 * has no model. */
int gt_svd_store_read(struct gt_svd_model *model, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);

#endif
