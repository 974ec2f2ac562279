/* Limits of metrics: a pair whose value is out of reach is found by one sum, before all its sites are counted. */
#ifndef GT_CALC_METRIC_BOUND_H
#define GT_CALC_METRIC_BOUND_H

#include "calc/pdist/metric.h"

/* The value of a pair is `least` or more only if the sum is at most most(least, codes) of the one sample, and of the other; codes: how
 * many of its genotypes are 0, 1, 2 and missing, over all sites.  It is so for any part of the sites too: the sum has no term below 0.
 * The value is a finite number where each sample has a heterozygote at a site non-missing in both. */
struct gt_metric_bound {
    enum gt_count count;
    double (*most)(double least, const int64_t codes[4]);
};

/* NULL: there is none, or it leaves out no pair at this limit. */
const struct gt_metric_bound *gt_metric_bound(const struct gt_metric_use *use, double least);

#endif
