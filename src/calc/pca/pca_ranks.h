/* Passes over the variants with several ranks.  Rank 0 solves; the others run the passes that it asks for, each over its own blocks, and
 * what they add up is summed on rank 0.  So ranks whose libraries round differently have one result. */
#ifndef GT_CALC_PCA_RANKS_H
#define GT_CALC_PCA_RANKS_H

#include "calc/pca/pca_internal.h"

enum gt_svd_call { GT_SVD_CALL_END, GT_SVD_CALL_LOOK, GT_SVD_CALL_MULTIPLY, GT_SVD_CALL_PROJECT };

/* On rank 0: makes the other ranks run that pass, with these columns (samples x plan->width; NULL for a look); or END: they return from
 * gt_svd_serve.  Does nothing on others. */
int gt_svd_call(struct gt_svd_passes *passes, enum gt_svd_call call, const double *columns, struct gt_err *err);
/* On the other ranks: runs passes until END. */
int gt_svd_serve(struct gt_svd_passes *passes, struct gt_err *err);

/* The moments of a block, of several ranks: kept with its number, since they are added up in order of blocks. */
int gt_svd_ranks_note(struct gt_svd_passes *passes, int64_t task, const struct gt_svd_moments *moments, struct gt_err *err);
/* Collective, after a look: rank 0 gets moments and missing calls of all. */
int gt_svd_ranks_sum_look(struct gt_svd_passes *passes, struct gt_err *err);

/* Collective: rank 0 gets the variants of all ranks, in their order, behind its own.  contigs: index of the model's. */
struct gt_names;
struct gt_svd_model;
int gt_svd_ranks_gather(struct gt_comm *comm, struct gt_svd_model *model, struct gt_names *contigs, struct gt_err *err);

/* Collective: all ranks get the result of rank 0. */
int gt_svd_ranks_share(struct gt_comm *comm, struct gt_svd_result *result, struct gt_err *err);

#endif
