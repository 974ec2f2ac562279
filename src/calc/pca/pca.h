/* Singular values and vectors of standardised genotypes: principal components of samples.
 *
 * X has a row per variant and a column per sample: the allele count minus its mean over the variant's non-missing calls, divided by
 * the scale; 0 for missing calls.  Monomorphic variants are excluded; with GT_SVD_NONE, those with only 0.  Sums over variants are
 * integers, or are made in blocks whose size depends on the number of samples only, so results are bit-identical for any number of
 * threads, chunking, memory and kernels. */
#ifndef GT_CALC_SVD_H
#define GT_CALC_SVD_H

#include "calc/pdist/pdist.h"

enum gt_svd_scale {
    GT_SVD_BINOMIAL,  /* sqrt(kp(1 - p)), p the allele frequency among non-missing calls, k the ploidy */
    GT_SVD_PATTERSON, /* sqrt(p(1 - p)) */
    GT_SVD_CENTER,    /* 1 */
    GT_SVD_STANDARD,  /* the standard deviation of the non-missing calls */
    GT_SVD_NONE,      /* 1, without subtracting the mean */
};

enum gt_svd_algorithm {
    GT_SVD_AUTO,
    GT_SVD_KRYLOV,     /* block Krylov iteration: a pass over the genotypes per step */
    GT_SVD_GRAM,       /* X'X, exactly, and its eigenvectors */
    GT_SVD_COMPRESSED, /* random projection: a pass, plus one per power iteration */
};

struct gt_svd_opts {
    int64_t k; /* number of components */
    enum gt_svd_algorithm algorithm;
    enum gt_svd_scale scale;
    double tol;         /* of krylov, see arrays/linalg/krylov.h */
    int64_t passes;     /* maximum, of krylov */
    int64_t oversample; /* minimum columns of a block beyond k; negative: 6, of compressed 10 */
    int64_t power;      /* of compressed: power iterations */
    bool tuned;         /* one of them was given */
    uint64_t seed;
    bool loadings;            /* gt_svd_loadings will be called */
    struct gt_device *device; /* open: where passes multiply and pairs are counted; NULL: the cpu */
};

enum {
    GT_SVD_READING,
    GT_SVD_BLOCKS,
    GT_SVD_SOLVING,
    GT_SVD_LOADING_ALLOTMENTS,
    GT_SVD_CACHE = GT_SVD_LOADING_ALLOTMENTS,
    GT_SVD_ALLOTMENTS
};

/* A plan, made before data is read and printed by --dry-run. */
struct gt_svd_plan {
    enum gt_svd_algorithm algorithm;
    const char *why; /* static text */
    int64_t samples;
    int ploidy;                                             /* of the data, see geno/model/ploidy.h */
    int64_t variants;                                       /* -1 = not known before the end */
    int64_t width;                                          /* of krylov and compressed: columns of a block */
    int64_t level;                                          /* of compressed: columns of the projection */
    int64_t block_rows;                                     /* variants per block */
    int64_t most;                                           /* upper bound of the number of variants; -1 = not known */
    int64_t own;                                            /* of those that a rank has; -1 = not known */
    bool ranges;                                            /* of several ranks: each reads a range of the variants */
    bool once;                                              /* a single pass */
    bool kept;                                              /* krylov: all genotypes are cached between passes */
    int64_t made;                                           /* bytes for what passes compute from the rows of blocks alone */
    struct gt_allotment allotment[GT_SVD_ALLOTMENTS];       /* of krylov */
    struct gt_allotment loading[GT_SVD_LOADING_ALLOTMENTS]; /* of gt_svd_loadings, after everything else */
    struct gt_pdist_plan sums;                              /* of gram */
    int64_t device_bytes;                                   /* of the device's memory, without genotypes that stay there */
};

/* Missing rate of a sample above which there is a warning. */
#define GT_SVD_GAPPY 0.1

struct gt_svd_result {
    struct gt_buf vectors;  /* double [k][samples], of length 1, the largest entry positive; 0 beyond the rank */
    struct gt_buf values;   /* double [k]: squared singular values, descending; 0 beyond the rank */
    int64_t rank;           /* how many of the k values are not 0 */
    int64_t used, constant; /* variants in X, and excluded as monomorphic */
    double trace;           /* the sum of all squared singular values */
    int64_t gappy;          /* samples with a missing rate above GT_SVD_GAPPY */
    int64_t worst;          /* the sample with the highest missing rate */
    double worst_rate;
    int64_t passes;  /* over the genotypes */
    double residual; /* krylov: estimated residual, comparable to tol */
};

/* GT_USAGE if the options are not possible for these samples; GT_NOFIT, see gt_memory_plan_fit. */
int gt_svd_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                struct gt_err *err);
/* Samples that a device can take: a product of two digits adds up to 2 * 127 of each, and no int32 sum may overflow. */
#define GT_SVD_DEVICE_SAMPLES (INT32_MAX / (2 * 127))

/* What a number of passes would take of a device, from the numbers of samples and variants alone.  A decomposition has about
 * GT_SVD_DEVICE_PASSES. */
enum { GT_SVD_DEVICE_PASSES = 20 };
struct gt_device_work gt_svd_device_work(const struct gt_geno_info *info, int64_t k, int passes, int threads);
/* What a rank computes, reads, sends and writes in all passes: of krylov, some GT_SVD_DEVICE_PASSES. */
void gt_svd_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts);
/* Runs the plan, on all ranks, which all get the result.  GT_INPUT if all variants are monomorphic.  Release the result also after a
 * failure. */
int gt_svd_run(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
               struct gt_svd_result *result, struct gt_err *err);
void gt_svd_release(struct gt_svd_result *result);

#endif
