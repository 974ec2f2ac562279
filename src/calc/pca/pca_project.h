/* Samples on the axes of a model: X' U diag(1 / s), X being their genotypes with the model's means and scale.
 *
 * Of a sample that the model was made of, without missing calls, that is its row of V.  Calls that are missing, and variants of the model
 * that the data does not have, are left out, and sums are over what a sample has: n / (the calls it has) times that. */
#ifndef GT_CALC_SVD_SCORES_H
#define GT_CALC_SVD_SCORES_H

#include "calc/pca/variant_match.h"

enum { GT_SVD_SCORES_READING, GT_SVD_SCORES_BLOCKS, GT_SVD_SCORES_SUMS, GT_SVD_SCORES_ALLOTMENTS };

struct gt_svd_scores_opts {
    int64_t k;        /* components */
    bool by_id;       /* variants are matched by id, not by contig and position */
    double min_match; /* an error where a smaller proportion of the model's variants is found; 0: none is needed but one */
};

struct gt_svd_scores_plan {
    struct gt_svd_scores_opts opts;
    int64_t samples, variants; /* of the data; variants: -1 = not known before the end */
    int64_t k, width;          /* components; columns of a block */
    int64_t block_rows;
    struct gt_allotment allotment[GT_SVD_SCORES_ALLOTMENTS];
};

struct gt_svd_scores_result {
    struct gt_buf vectors; /* double [k][samples]; 0 where the model has no component */
    struct gt_svd_match_stats match;
    int64_t absent; /* variants of the model that were not found */
    int64_t empty;  /* samples without any call there: all 0 */
};

/* GT_USAGE when the model has fewer than k components; GT_NOFIT.  The model is in memory. */
int gt_svd_scores_plan(struct gt_svd_scores_plan *plan, struct gt_engine *engine, struct gt_source *source,
                       const struct gt_svd_model *model, const struct gt_svd_scores_opts *opts, struct gt_err *err);
/* The source is opened with GT_SITE_POS, ALLELES and ID.  GT_INPUT when it has too few of the model's variants; the hint says
 * how many the other way to match finds, which takes another pass.  The result is released also after a failure. */
int gt_svd_scores(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_scores_plan *plan,
                  const struct gt_svd_model *model, struct gt_svd_scores_result *result, struct gt_err *err);
void gt_svd_scores_release(struct gt_svd_scores_result *result);

#endif
