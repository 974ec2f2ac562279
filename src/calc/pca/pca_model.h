/* What a decomposition leaves for others: the variants' side of it, to which further samples are projected.
 *
 * All of it stands in memory, 8 (k + 2) bytes a variant and its texts. */
#ifndef GT_CALC_SVD_MODEL_H
#define GT_CALC_SVD_MODEL_H

#include "core/base/str.h"
#include "calc/pca/pca.h"
#include "geno/model/block.h"

struct gt_svd_model {
    enum gt_svd_scale scale;
    int ploidy;             /* of the data, see geno/model/ploidy.h */
    int64_t k, n;           /* components; variants, those that are in X */
    int64_t variants;       /* with those that were left out of X: what eigenvalues are shares of */
    struct gt_buf values;   /* double [k]: squared singular values */
    struct gt_buf loadings; /* double [n][k]: U of X = U diag(s) V'; its columns have length 1, or are 0 behind the rank */
    struct gt_buf means;    /* double [n]: of the allele count: p times the ploidy */
    struct gt_buf weights;  /* double [n]: squares of what the dosage less its mean is multiplied with */
    struct gt_buf contig;   /* int32_t [n]: into contigs; -1 = none */
    struct gt_buf position; /* int64_t [n]: 1-based; 0 = not known */
    struct gt_strs contigs;
    struct gt_strs ids;     /* [n], "." = none */
    struct gt_strs alleles; /* [2 n]: REF and ALT */
};

/* Of a zeroed model. */
void gt_svd_model_init(struct gt_svd_model *model, struct gt_budget *budget);
void gt_svd_model_release(struct gt_svd_model *model);
/* Bytes of so many variants, about: texts may be longer. */
int64_t gt_svd_model_bytes(int64_t variants, int64_t k);

/* Adds the variant at v of a block with sites; loadings: k of them.  contigs: numbers of the model's contigs by name. */
int gt_svd_model_add(struct gt_svd_model *model, struct gt_names *contigs, const struct gt_block *block, int64_t v, double mean,
                     double weight, const double *loadings, struct gt_err *err);

/* The model of a finished run: in a further pass over the source, which was opened to be read again and with
 * GT_SITE_POS, ALLELES and ID.  plan and result: of the run.  The model was init'ed; it is released by the caller, also
 * after a failure. */
int gt_svd_loadings(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                    const struct gt_svd_result *result, struct gt_svd_model *model, struct gt_err *err);

#endif
