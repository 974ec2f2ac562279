#include "calc/svd_impl.h"

bool gt_svd_site(enum gt_svd_scale scale, const int64_t counts[4], struct gt_svd_site *site)
{
    const double known = (double)(counts[0] + counts[1] + counts[2]), alt = (double)(counts[1] + 2 * counts[2]);
    *site = (struct gt_svd_site){0};
    if (!(alt > 0 && alt < 2 * known))
        return false;
    const double mean = alt / known, binomial = 2 * known * known / (alt * (2 * known - alt));
    site->mean = mean;
    site->weight = scale == GT_SVD_CENTER ? 1 : scale == GT_SVD_PATTERSON ? 2 * binomial : binomial;
    site->square = site->weight * ((double)counts[0] * mean * mean + (double)counts[1] * (1 - mean) * (1 - mean) +
                                   (double)counts[2] * (2 - mean) * (2 - mean));
    return true;
}
