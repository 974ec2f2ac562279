/* Internals of calc/pca/pca.h. */
#ifndef GT_CALC_SVD_IMPL_H
#define GT_CALC_SVD_IMPL_H

#include "calc/pca/pca.h"
#include "calc/svd/sketch_device.h"
#include "geno/source/source.h"

/* The row of X of a variant is (allele count - mean) times the root of weight. */
struct gt_svd_site {
    double mean, weight;
    double square; /* sum of squares of the row of X */
};

/* From the counts of each code, for data of that ploidy (geno/model/ploidy.h); false if the variant is excluded, then all 0. */
bool gt_svd_site(enum gt_svd_scale scale, int ploidy, const int64_t counts[4], struct gt_svd_site *site);

/* Sets gappy and worst of the result from the missing calls per sample. */
void gt_svd_report_missing(struct gt_svd_result *result, const uint32_t *missing, int64_t samples);

/* --- passes over blocks of variants -------------------------------------------------- */

/* Added up in order of blocks. */
struct gt_svd_moments {
    int64_t used, constant;
    double trace, weights; /* of X'X; the sum of all weights */
};

struct gt_svd_passes {
    struct gt_engine *engine;
    struct gt_source *source; /* in fixed blocks */
    const struct gt_svd_plan *plan;
    enum gt_svd_scale scale;
    struct gt_svd_moments moments;   /* known after the first pass, as is: */
    struct gt_buf missing;           /* uint32_t [samples]: calls */
    int digits;                      /* of 15 bits, that numbers are cut into where they are multiplied */
    bool coarse;                     /* units are chosen by the numbers of samples and variants alone; not of GT_SVD_NONE */
    int64_t passes;                  /* that were begun */
    struct gt_block_part part;       /* blocks of this rank */
    struct gt_buf terms;             /* of several ranks: moments of this rank's blocks, until they are added up */
    struct gt_svd_on_device *device; /* NULL: the cpu */
    struct gt_svd_memory *memory;    /* calc/pca/pca_memory.h */
};

int gt_svd_look(struct gt_svd_passes *passes, struct gt_err *err);
/* Without a look before it, coarse, it is the look as well.  product = X'X columns, both column major, samples x plan->width; on rank 0
 * alone, as is `inner`: on others it may be NULL. */
int gt_svd_multiply(struct gt_svd_passes *passes, const double *columns, double *product, struct gt_err *err);
/* inner = columns'X'X columns, width x width, with numbers of two digits; the columns are orthonormal, or 0. */
int gt_svd_project(struct gt_svd_passes *passes, const double *columns, double *inner, struct gt_err *err);

/* Of an operand. */
static inline size_t gt_svd_columns_bytes(const struct gt_svd_plan *plan)
{
    return (size_t)(plan->samples * plan->width) * sizeof(double);
}

/* Bytes of what passes keep in addition to blocks. */
int64_t gt_svd_pass_bytes(const struct gt_svd_plan *plan, int ranks);

/* --- the ways ------------------------------------------------------------------------- */

/* Fills in plan->sums. */
int gt_svd_gram_plan(struct gt_svd_plan *plan, struct gt_engine *engine, struct gt_source *source, const struct gt_svd_opts *opts,
                     struct gt_err *err);
/* Into a result that has room for opts->k vectors and values. */
int gt_svd_gram(struct gt_engine *engine, struct gt_source *source, const struct gt_svd_plan *plan, const struct gt_svd_opts *opts,
                struct gt_svd_result *result, struct gt_err *err);

/* As the one above. */
int gt_svd_compressed(struct gt_svd_passes *passes, const struct gt_svd_opts *opts, struct gt_svd_result *result, struct gt_err *err);
int64_t gt_svd_compressed_bytes(const struct gt_svd_plan *plan); /* what that takes of the budget, at most */

void gt_svd_gram_work(struct gt_work *work, const struct gt_engine *engine, const struct gt_svd_plan *plan);
/* Genotypes times columns that a core multiplies per second, both ways. */
double gt_svd_product_rate(void);
/* Digits of numbers in passes over that many variants. */
int gt_svd_pass_digits(const struct gt_svd_plan *plan, const struct gt_svd_opts *opts, int64_t variants);

/* Settles plan->loading. */
int gt_svd_loadings_plan(struct gt_svd_plan *plan, struct gt_engine *engine, const struct gt_geno_info *info,
                         const struct gt_svd_opts *opts, struct gt_err *err);

/* Bytes of k vectors with all that LAPACK needs to find them. */
int64_t gt_svd_vectors_bytes(int64_t samples, int64_t k);

#endif
