/* Counts of two samples that depend on the frequency of the alternative alleles at a site: each
 * is a gt_site_terms of calc/accumulator.h.  p is that frequency among the known calls; where
 * all of them are the same, nothing is added. */
#ifndef GT_CALC_TERMS_H
#define GT_CALC_TERMS_H

#include "calc/accumulator.h"

gt_site_terms gt_terms_related;       /* (x - 2p)(y - 2p) / 2p(1 - p) */
gt_site_terms gt_terms_related_plain; /* (x - 2p)(y - 2p) */
gt_site_terms gt_terms_variance;      /* 2p(1 - p) */

#endif
