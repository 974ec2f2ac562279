/* Singular values and vectors of standardised genotypes: principal components of samples.
 *
 * X has a row for each variant and a column for each sample: the dosage less its mean over the
 * variant's known calls, divided as the scale says; 0 where the call is missing.  Variants of which
 * all known calls are alike are left out; of GT_SVD_NONE, those where all are 0.  Sums over variants are whole numbers or are made
 * block by block, blocks being fixed by the number of samples alone; so the bits of the result do
 * not depend on threads, chunks, memory and kernels. */
#ifndef GT_CALC_SVD_H
#define GT_CALC_SVD_H

#include "calc/pdist/pdist.h"

enum gt_svd_scale {
    GT_SVD_BINOMIAL,  /* sqrt(kp(1 - p)), p the frequency among the known calls, k the ploidy */
    GT_SVD_PATTERSON, /* sqrt(p(1 - p)) */
    GT_SVD_CENTER,    /* 1 */
    GT_SVD_STANDARD,  /* the standard deviation of the known calls */
    GT_SVD_NONE,      /* 1, and nothing is taken off the dosage */
};

enum gt_svd_algorithm {
    GT_SVD_AUTO,
    GT_SVD_KRYLOV,     /* block Krylov iteration: a pass over the genotypes each step */
    GT_SVD_GRAM,       /* X'X, exactly, and its eigenvectors */
    GT_SVD_COMPRESSED, /* random projection: a pass, and one for each power iteration */
};

struct gt_svd_opts {
    int64_t k; /* components */
    enum gt_svd_algorithm algorithm;
    enum gt_svd_scale scale;
    double tol;         /* of krylov, see calc/krylov.h */
    int64_t passes;     /* of krylov, at most */
    int64_t oversample; /* columns of a block beyond k, at least; below 0: 6, of compressed 10 */
    int64_t power;      /* of compressed: power iterations */
    bool tuned;         /* one of them was asked for */
    uint64_t seed;
    bool loadings; /* gt_svd_loadings will follow */
};

enum {
    GT_SVD_READING,
    GT_SVD_BLOCKS,
    GT_SVD_SOLVING,
    GT_SVD_LOADING_ALLOTMENTS,
    GT_SVD_CACHE = GT_SVD_LOADING_ALLOTMENTS,
    GT_SVD_ALLOTMENTS
};

/* How a run will go: made before data is touched, printed by --dry-run. */
struct gt_svd_plan {
    enum gt_svd_algorithm algorithm;
    const char *why; /* static text */
    int64_t samples;
    int ploidy;                                             /* of the data, see geno/model/ploidy.h */
    int64_t variants;                                       /* -1 = not known before the end */
    int64_t width;                                          /* of krylov and compressed: columns of a block */
    int64_t level;                                          /* of compressed: columns of the projection */
    int64_t block_rows;                                     /* variants of a block */
    int64_t most;                                           /* variants at most; -1 = not known */
    bool once;                                              /* there is one pass */
    bool kept;                                              /* all genotypes stay in memory between passes; of krylov */
    struct gt_allotment allotment[GT_SVD_ALLOTMENTS];       /* of krylov */
    struct gt_allotment loading[GT_SVD_LOADING_ALLOTMENTS]; /* of gt_svd_loadings, when all else is over */
    struct gt_pdist_plan sums;                              /* of gram */
};

/* A sample that lacks more of its calls is warned of. */
#define GT_SVD_GAPPY 0.1

struct gt_svd_result {
    struct gt_buf vectors;  /* double [k][samples], of length 1, the largest entry positive; all 0 after the rank */
    struct gt_buf values;   /* double [k]: squared singular values, largest first; 0 behind the rank */
    int64_t rank;           /* of those k, how many are not 0 */
    int64_t used, constant; /* variants in X, and left out */
    double trace;           /* the sum of all squared singular values */
    int64_t gappy;          /* samples that lack more than GT_SVD_GAPPY of their calls */
    int64_t worst;          /* the sample that lacks most, and how much */
    double worst_rate;
    int64_t passes;  /* over the genotypes */
    double residual; /* of krylov: estimate of what was reached, in terms of tol */
};

/* GT_USAGE for what the samples do not allow; GT_NOFIT, as gt_memory_plan_fit says. */
int gt_svd_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                struct gt_err *err);
/* Runs the plan.  GT_INPUT when no variant differs between samples.  The result is released also
 * after a failure. */
int gt_svd_run(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
               struct gt_svd_result *result, struct gt_err *err);
void gt_svd_release(struct gt_svd_result *result);

#endif
