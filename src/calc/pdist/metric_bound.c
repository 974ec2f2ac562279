#include "calc/pdist/metric_bound.h"

#include <string.h>

/* 1/2 - square / (4 hets) >= least, with the heterozygotes of all sites in place of those where the other is not missing.  The slack is
 * wider than all that is rounded. */
static double most_square(double least, const int64_t codes[4])
{
    return (2 - 4 * (least - 1e-9)) * (double)codes[1];
}

static const struct {
    const char *metric;
    double useless; /* limits up to this one leave out nothing: no heterozygotes need be shared */
    struct gt_metric_bound bound;
} bounds[] = {{"king", 0, {GT_COUNT_SQUARE, most_square}}};

const struct gt_metric_bound *gt_metric_bound(const struct gt_metric_use *use, double least)
{
    const bool plain = use->missing == GT_MISSING_RESCALE || use->missing == GT_MISSING_IGNORE;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds && plain && !use->arrays && !use->table; k++)
        if (strcmp(use->metric->name, bounds[k].metric) == 0 && least > bounds[k].useless)
            return &bounds[k].bound;
    return NULL;
}
