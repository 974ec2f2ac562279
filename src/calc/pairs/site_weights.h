/* Weights of pairs that depend on the allele frequency at a site; each is a gt_site_weights of calc/pairs/accumulator.h.  p is the
 * frequency of non-reference alleles among non-missing calls, k the ploidy (plane->ploidy); monomorphic sites add nothing unless
 * stated otherwise. */
#ifndef GT_CALC_SITE_WEIGHTS_H
#define GT_CALC_SITE_WEIGHTS_H

#include "calc/pairs/accumulator.h"

gt_site_weights gt_site_weights_related;          /* (x - kp)(y - kp) / kp(1 - p) */
gt_site_weights gt_site_weights_related_plain;    /* (x - kp)(y - kp) */
gt_site_weights gt_site_weights_related_standard; /* (x - kp)(y - kp) over the variance of the non-missing allele counts */
gt_site_weights gt_site_weights_variance;         /* kp(1 - p) */
gt_site_weights gt_site_weights_expected; /* p(1 - p)(p^2 - p + 1), what PLINK 1.9 --distance expects of |x - y| in diploid data; 1 where
                                             all calls are the same */
/* The following also cover sites missing in a sample and are equal for all pairs: */
gt_site_weights gt_site_weights_expected_of_all; /* the same */
gt_site_weights gt_site_weights_seen;            /* 1 if any call is non-missing */
/* plane->of of two values, minus plane->f, where a missing call is replaced by the mean of the non-missing ones. */
gt_site_weights gt_site_weights_mean;

#endif
