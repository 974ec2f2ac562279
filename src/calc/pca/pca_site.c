#include "calc/pca/pca_internal.h"

#include <string.h>

void gt_svd_report_missing(struct gt_svd_result *result, const uint32_t *missing, int64_t samples)
{
    const double variants = (double)(result->used + result->constant);
    for (int64_t s = 0; s < samples; s++) {
        const double rate = variants > 0 ? (double)missing[s] / variants : 0;
        result->gappy += rate > GT_SVD_GAPPY;
        result->worst = rate > result->worst_rate ? s : result->worst;
        result->worst_rate = rate > result->worst_rate ? rate : result->worst_rate;
    }
}

bool gt_svd_site(enum gt_svd_scale scale, int ploidy, const int64_t counts[4], struct gt_svd_site *site)
{
    const double known = (double)(counts[0] + counts[1] + counts[2]), alt = (double)(counts[1] + 2 * counts[2]);
    *site = (struct gt_svd_site){0};
    if (scale == GT_SVD_NONE) {
        site->weight = alt > 0;
        site->square = (double)(counts[1] + 4 * counts[2]);
        return alt > 0;
    }
    if (!(alt > 0 && alt < ploidy * known) || (scale == GT_SVD_STANDARD && counts[0] + counts[2] == 0)) /* all are heterozygous */
        return false;
    const double variance = (known * (double)(counts[1] + 4 * counts[2]) - alt * alt) / (known * known);
    const double binomial = ploidy * known * known / (alt * (ploidy * known - alt));
    site->mean = alt / known;
    site->weight = scale == GT_SVD_CENTER      ? 1
                   : scale == GT_SVD_STANDARD  ? 1 / variance
                   : scale == GT_SVD_PATTERSON ? ploidy * binomial
                                               : binomial;
    site->square = site->weight * known * variance;
    return true;
}
