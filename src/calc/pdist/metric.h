/* Metrics: what a number about two samples is made of.
 *
 * A metric is an entry in the table of metric.c: what it counts over the sites at which both
 * samples are known, and the formula that makes one number of these counts.  All are
 * symmetric. */
#ifndef GT_CALC_METRIC_H
#define GT_CALC_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "calc/pairs/pair_count.h"

/* Of a metric. */
enum {
    GT_METRIC_SUM = 1,         /* grows with the number of sites, and so is rescaled */
    GT_METRIC_NUMERIC = 2,     /* takes dosages as numbers: of genotypes by every rule of missing ones */
    GT_METRIC_AUTOSOMAL = 4,   /* leaves out sex chromosomes and mitochondria, unless they are asked for */
    GT_METRIC_POWER = 8,       /* has a p */
    GT_METRIC_SIMILARITY = 16, /* the larger, the nearer */
    GT_METRIC_ONE_ALT = 32,    /* leaves out sites of several ALT alleles, unless they are split */
    GT_METRIC_RELATIVE = 64,   /* what the formula gives, from 0 to 1, is then seen from its mean over all pairs: (x - mean) / (1 - mean) */
    GT_METRIC_DIPLOID = 128,   /* is about heterozygotes */
    /* of plain arrays */
    GT_METRIC_WEIGHTS = 256,      /* takes weights of sites */
    GT_METRIC_CENTRED = 512,      /* values are compared less their sample's mean, */
    GT_METRIC_SHARES = 1024,      /* over their sample's sum, */
    GT_METRIC_STANDARD = 2048,    /* with a weight of 1 / variance for each site */
    GT_METRIC_COMPLETE = 4096,    /* takes no missing ones */
    GT_METRIC_MAHALANOBIS = 8192, /* of samples that were multiplied (calc/white.h) */
};

#define GT_METRIC_COUNTS 6
#define GT_METRIC_LANES 64

/* How a metric is made of counts. */
struct gt_metric_way {
    enum gt_count counts[GT_METRIC_COUNTS]; /* GT_COUNT_N first, GT_COUNT_NONE behind the last */
    /* Of GT_METRIC_LANES pairs.  c: the counts, in this order; p: of minkowski. */
    void (*values)(const double *const c[], double p, double *restrict out);
};

struct gt_metric {
    const char *name;
    const char *formula; /* for the manual; sums are over sites known of both, n of them */
    const char *source;  /* whose definition it is */
    unsigned traits;
    struct gt_metric_way genotypes, arrays; /* values is NULL where it is not of them */
    struct gt_metric_way haploid;           /* genotypes of haploid data; values is NULL where that is the same */
};

/* The table, by number; NULL behind the last. */
const struct gt_metric *gt_metric_at(int k);
const struct gt_metric *gt_metric_find(const char *name);

/* Of the sites of a plain array, not in the table: their covariance, over n - 1 as scipy's mahalanobis takes it. */
extern const struct gt_metric gt_metric_covariance;

/* How a metric is computed. */
struct gt_metric_use {
    const struct gt_metric *metric;
    enum gt_missing missing;
    double p;      /* of minkowski */
    bool arrays;   /* of plain arrays, not of genotypes */
    int ploidy;    /* of genotypes (geno/model/ploidy.h) */
    double weight; /* of all sites, where they have weights; 0: they have none */
    double mean;   /* of GT_METRIC_RELATIVE; 0 leaves numbers as they are */
};

/* values is NULL where the metric is not of those. */
const struct gt_metric_way *gt_metric_way(const struct gt_metric_use *use);

/* Rows of single alleles of genotypes or haplotypes that it takes where there are some; of codes alone it counts all ALTs as one, as
 * it does with the rules of missing genotypes that are of numbers. */
enum gt_allele_rows gt_metric_alleles(const struct gt_metric_use *use, bool haplotypes);

/* "rescale", ... */
const char *gt_missing_name(enum gt_missing missing);
/* Does the rule of missing genotypes have a meaning for it?  GT_USAGE. */
int gt_metric_check_missing(const struct gt_metric_use *use, struct gt_err *err);

#define GT_METRIC_PLANES (GT_METRIC_COUNTS + 2)
/* What is counted for it: that of its way, then what weights and the rule of missing values take.
 * Returns how many. */
int gt_metric_counts(const struct gt_metric_use *use, enum gt_count counts[GT_METRIC_PLANES]);

/* out[k], the number of a pair, of its counts planes[0][k], planes[1][k], ... as gt_metric_counts has them, over `sites` sites;
 * n pairs.  NaN when there is no site to say.  out may be one of the planes. */
void gt_metric_values(const struct gt_metric_use *use, const double *const planes[], double sites, int64_t n, double *out);

#endif
