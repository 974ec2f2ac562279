/* Which variant of a model a site is: by contig and position, or by id, and by its two alleles, either of which may
 * be REF.  Alleles are the same in upper and in lower case, as VCF has it. */
#ifndef GT_CALC_SVD_MATCH_H
#define GT_CALC_SVD_MATCH_H

#include "calc/pca/pca_model.h"

struct gt_svd_match;

struct gt_svd_match_stats {
    int64_t same, swapped; /* variants of the model that were found; of swapped ones REF and ALT are the other way round */
    int64_t others;        /* sites of which the model has another pair of alleles */
    int64_t again;         /* sites whose variants of the model were found before */
    int64_t unknown;       /* sites that the model does not have */
};

/* The model is borrowed.  GT_NOFIT. */
int gt_svd_match_open(struct gt_svd_match **out, const struct gt_svd_model *model, bool by_id, struct gt_budget *budget,
                      struct gt_err *err);
void gt_svd_match_free(struct gt_svd_match *match); /* NULL is fine */
int64_t gt_svd_match_bytes(int64_t variants);       /* that it takes, about */

/* The model's variant that site v of a block is, or -1.  Each is found once: where the model has several that are alike they
 * are found in order.  Without a position (an id) none is. */
int64_t gt_svd_match_site(struct gt_svd_match *match, const struct gt_block *block, int64_t v, bool *swapped);
const struct gt_svd_match_stats *gt_svd_match_counts(const struct gt_svd_match *match);

#endif
