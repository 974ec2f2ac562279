/* Metrics: how a distance or similarity of two samples is computed.
 *
 * A metric is an entry of the table in metric.c: the sums needed over sites non-missing in both samples, and a formula of these
 * sums.  All metrics are symmetric. */
#ifndef GT_CALC_METRIC_H
#define GT_CALC_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "calc/pairs/pair_count.h"

/* Traits of a metric. */
enum {
    GT_METRIC_SUM = 1,         /* grows with the number of sites, so it is rescaled */
    GT_METRIC_NUMERIC = 2,     /* uses allele counts as numbers: all rules for missing genotypes apply */
    GT_METRIC_AUTOSOMAL = 4,   /* excludes sex chromosomes and mitochondria by default */
    GT_METRIC_POWER = 8,       /* has a p */
    GT_METRIC_SIMILARITY = 16, /* a similarity, not a distance */
    GT_METRIC_ONE_ALT = 32,    /* excludes multiallelic sites, unless they are split */
    GT_METRIC_RELATIVE = 64,   /* the result is relative to the mean over all pairs: (x - mean) / (1 - mean) */
    GT_METRIC_DIPLOID = 128,   /* needs heterozygotes */
    /* of plain arrays: */
    GT_METRIC_WEIGHTS = 256,      /* supports site weights */
    GT_METRIC_CENTRED = 512,      /* the mean of each sample is subtracted */
    GT_METRIC_SHARES = 1024,      /* values are divided by the sum of their sample */
    GT_METRIC_STANDARD = 2048,    /* sites are weighted by 1 / variance */
    GT_METRIC_COMPLETE = 4096,    /* does not support missing values */
    GT_METRIC_MAHALANOBIS = 8192, /* of whitened samples (calc/pdist/mahalanobis.h) */
    GT_METRIC_UNIT = 16384,       /* rows are scaled to length 1, unless their values are small integers, whose sums are exact */
};

#define GT_METRIC_COUNTS 6
#define GT_METRIC_LANES 64

/* Sums and formula of a metric. */
struct gt_metric_way {
    enum gt_count counts[GT_METRIC_COUNTS]; /* GT_COUNT_N first, terminated by GT_COUNT_NONE */
    /* Computes GT_METRIC_LANES pairs.  c: the sums in this order; p: of minkowski. */
    void (*values)(const double *const c[], double p, double *restrict out);
};

struct gt_metric {
    const char *name;
    const char *formula; /* for the manual; sums are over the n sites non-missing in both */
    const char *source;  /* source of the definition */
    unsigned traits;
    struct gt_metric_way genotypes, arrays; /* values is NULL if not supported */
    struct gt_metric_way haploid;           /* genotypes of haploid data; values is NULL if the same as genotypes */
};

/* The k-th metric; NULL after the last. */
const struct gt_metric *gt_metric_at(int k);
const struct gt_metric *gt_metric_find(const char *name);

/* Parameters of a metric. */
struct gt_metric_table;
struct gt_metric_use {
    const struct gt_metric *metric;
    const struct gt_metric_table *table; /* whose metric it is; else NULL */
    enum gt_missing missing;
    double p;      /* of minkowski */
    bool arrays;   /* plain arrays instead of genotypes */
    int ploidy;    /* of genotypes (geno/model/ploidy.h) */
    double weight; /* sum of the site weights; 0: no weights */
    double mean;   /* of GT_METRIC_RELATIVE; 0: results are not changed */
};

/* Its counts are none if the metric does not support this kind of data. */
const struct gt_metric_way *gt_metric_way(const struct gt_metric_use *use);

/* Rows of single alleles of genotypes or haplotypes that it takes where there are some; of codes alone it counts all ALTs as one, as
 * cosine and correlation do, and the rules of missing genotypes that are of numbers. */
enum gt_allele_rows gt_metric_alleles(const struct gt_metric_use *use, bool haplotypes);

/* Has it the same value for 0, 1 and 2 as genotypes and as numbers of a plain array? */
bool gt_metric_takes_codes(const struct gt_metric_use *use);

/* "rescale", ... */
const char *gt_missing_name(enum gt_missing missing);
/* Is the rule for missing genotypes defined for the metric?  GT_USAGE. */
int gt_metric_check_missing(const struct gt_metric_use *use, struct gt_err *err);

#define GT_METRIC_PLANES (GT_METRIC_COUNTS + 2)
/* Sums needed: those of the metric, then those for weights and for the missing-value rule.  Returns their
 * number. */
int gt_metric_counts(const struct gt_metric_use *use, enum gt_count counts[GT_METRIC_PLANES]);

/* Computes out[k] from the sums planes[0][k], planes[1][k], ... in the order of gt_metric_counts, for n pairs and `sites` sites.  NaN if no
 * site is non-missing in both.  out may alias a plane. */
void gt_metric_values(const struct gt_metric_use *use, const double *const planes[], double sites, int64_t n, double *out);

#endif
