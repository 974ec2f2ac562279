/* The model of a PCA: loadings and statistics of the variants, onto which other samples are projected.
 *
 * Kept in memory: 8 (k + 2) bytes per variant, plus strings. */
#ifndef GT_CALC_SVD_MODEL_H
#define GT_CALC_SVD_MODEL_H

#include "calc/pca/pca.h"
#include "core/base/str.h"
#include "geno/model/block.h"

struct gt_svd_model {
    enum gt_svd_scale scale;
    int ploidy;             /* of the data, see geno/model/ploidy.h */
    int64_t k, n;           /* components; variants in X */
    int64_t variants;       /* including those excluded from X: the divisor of eigenvalues */
    struct gt_buf values;   /* double [k]: squared singular values */
    struct gt_buf loadings; /* double [n][k]: U of X = U diag(s) V'; columns have length 1, or are 0 beyond the rank */
    struct gt_buf means;    /* double [n]: mean allele count: p times the ploidy */
    struct gt_buf weights;  /* double [n]: squares of the factors applied to (allele count - mean) */
    struct gt_buf contig;   /* int32_t [n]: into contigs; -1 = none */
    struct gt_buf position; /* int64_t [n]: 1-based; 0 = not known */
    struct gt_strs contigs;
    struct gt_strs ids;     /* [n], "." = none */
    struct gt_strs alleles; /* [2 n]: REF and ALT */
};

/* Initialises a zeroed model. */
void gt_svd_model_init(struct gt_svd_model *model, struct gt_budget *budget);
void gt_svd_model_release(struct gt_svd_model *model);
/* Approximate memory of that many variants; strings may need more. */
int64_t gt_svd_model_bytes(int64_t variants, int64_t k);

struct gt_svd_loading {
    double mean, weight;
    const double *loadings; /* k of them */
};

/* Adds variant v of a block with sites.  contigs: index of the model's contigs. */
int gt_svd_model_add(struct gt_svd_model *model, struct gt_names *contigs, const struct gt_block *block, int64_t v,
                     const struct gt_svd_loading *loading, struct gt_err *err);

/* Computes the model of a finished run in another pass over the source, which was opened with `again`, GT_SITE_POS, ALLELES and ID.
 * plan and result: of the run.  The model was initialised; the caller releases it, also after a
 * failure.  Collective: rank 0 has all of it. */
int gt_svd_loadings(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                    const struct gt_svd_result *result, struct gt_svd_model *model, struct gt_err *err);

#endif
