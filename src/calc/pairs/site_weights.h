/* Counts of two samples that depend on the frequency of the alternative alleles at a site: each
 * is a gt_site_weights of calc/accumulator.h.  p is that frequency among the known calls, k the ploidy
 * (plane->ploidy); where all of them are the same, nothing is added. */
#ifndef GT_CALC_SITE_WEIGHTS_H
#define GT_CALC_SITE_WEIGHTS_H

#include "calc/pairs/accumulator.h"

gt_site_weights gt_site_weights_related;          /* (x - kp)(y - kp) / kp(1 - p) */
gt_site_weights gt_site_weights_related_plain;    /* (x - kp)(y - kp) */
gt_site_weights gt_site_weights_related_standard; /* (x - kp)(y - kp) over the variance of the known dosages */
gt_site_weights gt_site_weights_variance;         /* kp(1 - p) */
gt_site_weights gt_site_weights_expected; /* p(1 - p)(p^2 - p + 1), what PLINK 1.9 --distance expects of |x - y| in diploid data; 1 where
                                             all calls are the same */
/* And of those without calls too, all pairs alike: */
gt_site_weights gt_site_weights_expected_of_all; /* the same */
gt_site_weights gt_site_weights_seen;            /* 1 where any call is known */
/* What plane->of says of two numbers, less what plane->f has: a missing call is the mean of those that
 * are known, where any is. */
gt_site_weights gt_site_weights_mean;

#endif
