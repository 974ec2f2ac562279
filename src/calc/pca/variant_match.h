/* Finds the variant of a model at a site: by contig and position or by id, and by its two alleles in either order.  Case of alleles
 * is ignored, as in VCF. */
#ifndef GT_CALC_SVD_MATCH_H
#define GT_CALC_SVD_MATCH_H

#include "calc/pca/pca_model.h"

struct gt_svd_match;

struct gt_svd_match_stats {
    int64_t same, swapped; /* model variants found; swapped: REF and ALT are exchanged */
    int64_t others;        /* sites where the model has other alleles */
    int64_t again;         /* sites whose model variant was already found */
    int64_t unknown;       /* sites not in the model */
};

/* The model is borrowed.  GT_NOFIT. */
int gt_svd_match_open(struct gt_svd_match **out, const struct gt_svd_model *model, bool by_id, struct gt_budget *budget,
                      struct gt_err *err);
void gt_svd_match_free(struct gt_svd_match *match); /* NULL is allowed */
int64_t gt_svd_match_bytes(int64_t variants);       /* approximate memory */

/* The index in the model of site v of a block, or -1.  Each variant is found once: duplicates in the model are found in order.  A site
 * without position (or id) is never found. */
int64_t gt_svd_match_site(struct gt_svd_match *match, const struct gt_block *block, int64_t v, bool *swapped);
const struct gt_svd_match_stats *gt_svd_match_counts(const struct gt_svd_match *match);

#endif
