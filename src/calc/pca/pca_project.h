/* Projects samples onto the PCs of a model: X' U diag(1 / s), with X their genotypes standardised with the model's means and scale.
 *
 * For samples in the fit without missing calls this is their row of V.  Missing calls, and model variants absent from the data, are
 * handled by rescaling: a score is multiplied by n / (calls observed in the sample). */
#ifndef GT_CALC_SVD_SCORES_H
#define GT_CALC_SVD_SCORES_H

#include "calc/pca/variant_match.h"
#include "core/device/device_open.h"

enum { GT_SVD_SCORES_READING, GT_SVD_SCORES_BLOCKS, GT_SVD_SCORES_SUMS, GT_SVD_SCORES_MODEL, GT_SVD_SCORES_ALLOTMENTS };

struct gt_svd_scores_opts {
    int64_t k;                /* number of components */
    bool by_id;               /* match variants by id instead of contig and position */
    struct gt_device *device; /* open: where genotypes are multiplied; NULL: the cpu */
    int64_t to_come;          /* bytes that the model and what was computed with it will take, if they are not in memory yet */
    double min_match;         /* minimum proportion of the model's variants to be found; 0: at least one variant */
};

struct gt_svd_scores_plan {
    struct gt_svd_scores_opts opts;
    int64_t samples, variants; /* of the data; variants: -1 = not known in advance */
    int64_t k, width;          /* components; columns of a block */
    int64_t block_rows;
    int64_t device_bytes; /* of the device's memory */
    struct gt_allotment allotment[GT_SVD_SCORES_ALLOTMENTS];
};

struct gt_svd_scores_result {
    struct gt_buf vectors; /* double [k][samples]; 0 for components beyond the rank of the model */
    struct gt_svd_match_stats match;
    int64_t absent;  /* variants of the model that were not found */
    int64_t empty;   /* samples without any call at these variants: all 0 */
    int64_t missing; /* calls at these variants */
};

/* GT_USAGE if the model has fewer than k components; GT_NOFIT.  The model is in memory, or has only k, ploidy and n, the
 * largest number of its variants, and opts->to_come has its bytes. */
int gt_svd_scores_plan(struct gt_svd_scores_plan *plan, struct gt_engine *engine, struct gt_source *source,
                       const struct gt_svd_model *model, const struct gt_svd_scores_opts *opts, struct gt_err *err);
/* The source is opened with GT_SITE_POS, ALLELES and ID.  GT_INPUT if too few of the model's variants are found; the hint has the number
 * found by the other kind of match, which needs another pass.  Release the result also after a failure. */
int gt_svd_scores(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_scores_plan *plan,
                  const struct gt_svd_model *model, struct gt_svd_scores_result *result, struct gt_err *err);
void gt_svd_scores_release(struct gt_svd_scores_result *result);

#endif
