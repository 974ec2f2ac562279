#include "cmd/pdist/pdist_axis.h"

#include <string.h>

int pdist_axis_check(const struct pdist_axis *axis, bool merge, bool array, struct gt_err *err)
{
    const char *given = axis->axis >= 0 ? "--axis" : "--between";
    if (axis->axis >= 0 && axis->between >= 0)
        return gt_fail(err, GT_USAGE, "--axis cannot be combined with --between");
    if (array && axis->between >= 0)
        return gt_fail(err, GT_USAGE, "--between cannot be combined with --as array; --axis 0 compares rows, --axis 1 columns");
    if (merge && (axis->axis >= 0 || axis->between >= 0))
        return gt_fail(err, GT_USAGE, "%s cannot be combined with --merge, which reads pair counts", given);
    return GT_OK;
}

int pdist_axis_of_genotypes(const struct pdist_axis *axis, const struct gt_metric_use *use, bool counts, bool *variants, struct gt_err *err)
{
    *variants = axis->between == PDIST_VARIANTS || axis->axis == 0;
    if (axis->axis > 1)
        return gt_fail(err, GT_USAGE, "--axis %lld: genotypes have variants on axis 0 and samples on axis 1", (long long)axis->axis);
    if (!*variants)
        return GT_OK;
    if (!(use->metric->traits & GT_METRIC_NUMERIC)) {
        gt_fail(err, GT_USAGE, "-m %s compares samples, not variants", use->metric->name);
        gt_hint(err, "use a numeric metric: -m correlation, euclidean, hamming, ...");
        return GT_USAGE;
    }
    if (use->missing == GT_MISSING_MEAN || use->missing == GT_MISSING_PLINK)
        return gt_fail(err, GT_USAGE, "--missing %s applies to samples, not to variants", gt_missing_name(use->missing));
    return counts ? gt_fail(err, GT_USAGE, "-O counts needs samples: counts of variants cannot be added") : GT_OK;
}

int pdist_axis_samples(const struct gt_matrix_info *info)
{
    for (int i = 0; i < 2; i++)
        if (info->axis[i] && strcmp(info->axis[i], "samples") == 0)
            return i;
    return -1;
}

int pdist_axis_of_array(const struct pdist_axis *axis, const struct gt_matrix_info *info, bool samples, int *compared, struct gt_err *err)
{
    const int at = samples ? pdist_axis_samples(info) : 0;
    *compared = axis->axis >= 0 ? (int)axis->axis : axis->between == PDIST_VARIANTS ? 1 - at : at;
    if (axis->axis > 1)
        return gt_fail(err, GT_USAGE, "--axis %lld: '%s' has axes 0 and 1", (long long)axis->axis, info->name);
    if (axis->between >= 0 && !samples) {
        gt_fail(err, GT_USAGE, "--between needs an axis named samples, and '%s' has none", info->name);
        gt_hint(err, "--axis 0 compares rows, --axis 1 columns");
        return GT_USAGE;
    }
    if (axis->axis < 0 && at < 0)
        return gt_fail(err, GT_USAGE, "'%s': --slice selects one sample; there is nothing to compare it with", info->name);
    return GT_OK;
}
