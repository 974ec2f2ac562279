/* What is counted of two samples, to make a metric of. */
#ifndef GT_CALC_COUNT_H
#define GT_CALC_COUNT_H

#include <stdbool.h>

#include "calc/pairs/accumulator.h"
#include "geno/source/source.h"

/* Sums over sites of functions of x and y, the values of two samples there. */
enum gt_count {
    GT_COUNT_NONE,
    GT_COUNT_N,      /* 1: sites at which both are known */
    GT_COUNT_ABS,    /* |x - y| */
    GT_COUNT_SQUARE, /* (x - y)^2 */
    GT_COUNT_X,      /* x, and so on: for correlations */
    GT_COUNT_Y,
    GT_COUNT_XX,
    GT_COUNT_YY,
    GT_COUNT_XY,
    GT_COUNT_DIFFER,  /* x is not y */
    GT_COUNT_NONZERO, /* x or y is not 0 */
    GT_COUNT_BOTH,    /* neither is 0 */
    GT_COUNT_ONLY_X,  /* y is 0, and x not */
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
    GT_COUNT_RELATED_STANDARD, /* (x - 2p)(y - 2p) over the variance of the dosages there */
    GT_COUNT_VARIANCE,         /* 2p(1 - p) */
    GT_COUNT_EXPECTED,         /* the weight that PLINK 1.9 --distance gives a site */
    GT_COUNT_EXPECTED_OF_ALL,  /* the same, of all sites and all pairs alike */
    GT_COUNT_SEEN,             /* sites at which any call is known, of all pairs alike */
    /* of plain arrays only */
    GT_COUNT_MAX,      /* no sum: the largest |x - y| */
    GT_COUNT_POWER,    /* |x - y|^p */
    GT_COUNT_CANBERRA, /* |x - y| / (|x| + |y|) */
    GT_COUNT_WEIGHT,   /* the weight of a site */
    GT_COUNT_SHANNON,  /* x log(2x / (x + y)) + y log(2y / (x + y)) */
    GT_COUNTS
};

/* What missing values do to a pair. */
enum gt_missing {
    GT_MISSING_RESCALE, /* sums times m / n: m sites in all, n known of both; no overlap gives NaN */
    GT_MISSING_IGNORE,  /* left out, not rescaled */
    GT_MISSING_PLINK,   /* sums times what is expected of all sites over what is expected of those known of both, as PLINK 1.9 does */
    GT_MISSING_MEAN,    /* a missing dosage is the mean of those known at the site; sites of which none is are left out */
    GT_MISSING_ERROR,   /* GT_INPUT */
    GT_MISSING_LITERAL, /* a missing dosage is the number -1 */
};

/* "n", "ibs0", ...: what sinks call it. */
const char *gt_count_name(enum gt_count count);
/* As a plane of an accumulator. */
struct gt_plane gt_count_plane(enum gt_count count, enum gt_missing missing);
/* Does it tell the ALTs of a multiallelic site apart, where they are known: of calls, or of haplotypes only? */
enum gt_allele_rows gt_count_alleles(enum gt_count count);
/* Is it of numbers between whole ones too, as means are? */
bool gt_count_takes_means(enum gt_count count);

#endif
