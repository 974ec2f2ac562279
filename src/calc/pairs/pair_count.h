/* Sums per pair of samples from which metrics are computed. */
#ifndef GT_CALC_COUNT_H
#define GT_CALC_COUNT_H

#include <stdbool.h>

#include "calc/pairs/accumulator.h"
#include "geno/source/source.h"

/* Sums over sites of functions of x and y, the values of the two samples. */
enum gt_count {
    GT_COUNT_NONE,
    GT_COUNT_N,      /* 1: sites non-missing in both */
    GT_COUNT_ABS,    /* |x - y| */
    GT_COUNT_SQUARE, /* (x - y)^2 */
    GT_COUNT_X,      /* x, and so on: for correlations */
    GT_COUNT_Y,
    GT_COUNT_XX,
    GT_COUNT_YY,
    GT_COUNT_XY,
    GT_COUNT_DIFFER,  /* x is not y */
    GT_COUNT_NONZERO, /* x or y is not 0 */
    GT_COUNT_BOTH,    /* both are not 0 */
    GT_COUNT_ONLY_X,  /* x is not 0, y is 0 */
    GT_COUNT_ONLY_Y,
    GT_COUNT_TOTAL, /* |x + y| */
    /* of genotypes only */
    GT_COUNT_OPPOSITE,  /* |x - y| = 2 */
    GT_COUNT_OVER_ONE,  /* |x - y| > 1 */
    GT_COUNT_OVER_TWO,  /* |x - y| > 2 */
    GT_COUNT_CANBERRA3, /* 3 |x - y| / (|x| + |y|) */
    GT_COUNT_HET_X,     /* x is heterozygous */
    GT_COUNT_HET_Y,
    GT_COUNT_HET_BOTH,
    GT_COUNT_MISMATCHES,       /* alleles of one that the other does not have; of codes |x - y| */
    GT_COUNT_SHARED,           /* pairs of an allele of each that are the same */
    GT_COUNT_RELATED,          /* (x - 2p)(y - 2p) / 2p(1 - p), with p the frequency there; 0 where nobody differs */
    GT_COUNT_RELATED_PLAIN,    /* (x - 2p)(y - 2p) */
    GT_COUNT_RELATED_STANDARD, /* (x - 2p)(y - 2p) over the variance of the allele counts */
    GT_COUNT_VARIANCE,         /* 2p(1 - p) */
    GT_COUNT_EXPECTED,         /* the weight of a site in PLINK 1.9 --distance */
    GT_COUNT_EXPECTED_OF_ALL,  /* the same, over all sites, equal for all pairs */
    GT_COUNT_SEEN,             /* sites with any non-missing call, equal for all pairs */
    /* of plain arrays only */
    GT_COUNT_MAX,      /* not a sum: the maximum |x - y| */
    GT_COUNT_POWER,    /* |x - y|^p */
    GT_COUNT_CANBERRA, /* |x - y| / (|x| + |y|) */
    GT_COUNT_WEIGHT,   /* the weight of a site */
    GT_COUNT_SHANNON,  /* x log(2x / (x + y)) + y log(2y / (x + y)) */
    GT_COUNTS
};

/* Treatment of missing values. */
enum gt_missing {
    GT_MISSING_RESCALE, /* sums are multiplied by m / n: m sites in total, n non-missing in both; NaN if n is 0 */
    GT_MISSING_IGNORE,  /* ignored, without rescaling */
    GT_MISSING_PLINK,   /* sums are multiplied by the expectation over all sites / that over sites non-missing in both, as in PLINK 1.9 */
    GT_MISSING_MEAN,    /* missing allele counts are the mean of the site; sites with only missing calls are ignored */
    GT_MISSING_ERROR,   /* GT_INPUT */
    GT_MISSING_LITERAL, /* a missing allele count is the number -1 */
};

/* Name in outputs: "n", "ibs0", ... */
const char *gt_count_name(enum gt_count count);
/* The count as a plane of an accumulator. */
struct gt_plane gt_count_plane(enum gt_count count, enum gt_missing missing);
/* Does it distinguish the ALTs of a multiallelic site, if they are known: of calls, or of haplotypes only? */
enum gt_allele_rows gt_count_alleles(enum gt_count count);
/* Is it of numbers between whole ones too, as means are? */
bool gt_count_takes_means(enum gt_count count);

#endif
