/* A decomposition as a Zarr group: for Zarr libraries, and for gt-svd --project.
 *
 *   sample_id (samples), sample_component (samples, components): V; sample_fit (samples): in the fit, where some are not
 *   singular_value, eigenvalue (components)
 *   with the variants' side: contig_id, variant_contig, variant_position, variant_id, variant_allele (variants, alleles),
 *   variant_mean, variant_scale (variants): what the dosage less its mean is divided by, variant_component (variants,
 *   components): U
 *
 * gt_svd in the root's attributes: {"version": 1, "scale": "binomial", "variants": with those that were left out}, and
 * "ploidy": 1 where the data is haploid. */
#ifndef GT_CALC_SVD_STORE_H
#define GT_CALC_SVD_STORE_H

#include "calc/pca/pca_model.h"
#include "storage/input/input.h"

struct gt_svd_stored {
    enum gt_svd_scale scale;
    int ploidy;                       /* of the data, see geno/model/ploidy.h */
    const struct gt_strs *ids;        /* of the samples */
    const uint8_t *fit;               /* [samples], 1 = in the fit; NULL: all are */
    int64_t k, variants;              /* variants: as struct gt_svd_model has them */
    const double *vectors;            /* [k][samples] */
    const double *values;             /* [k]: squared singular values */
    const struct gt_svd_model *model; /* the variants' side; NULL: none */
    const char *history;              /* provenance, NULL: none */
};

/* A directory, or a zip by its name; replace: see gt_store_create. */
int gt_svd_store_write(const char *path, bool replace, const char *plan, const struct gt_svd_stored *what, struct gt_budget *budget,
                       struct gt_err *err);
/* Takes over the input.  Into an init'ed model, released by the caller also after a failure.  GT_INPUT for what is no such
 * store, or one without the variants' side. */
int gt_svd_store_read(struct gt_svd_model *model, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);

#endif
