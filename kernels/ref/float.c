#include <math.h>

#include "kernels/impl.h"

static double added(enum gt_float_term term, double p, double w, double x, double y, double sum)
{
    return gt_float_is_heavy(term) ? gt_float_added_heavy(term, p, w, x, y, sum) : gt_float_added(term, w, x, y, sum);
}

void gt_float_tile_ref(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, const double *b, double *sums)
{
    for (int64_t k = 0; k < sites->n; k++, a += GT_PANEL, b += GT_PANEL)
        for (int i = 0; i < GT_PANEL; i++)
            for (int j = 0; j < GT_PANEL; j++) {
                double *sum = &sums[i * GT_PANEL + j];
                if (!isnan(a[i]) && !isnan(b[j]))
                    *sum = added(term, sites->p, sites->weights ? sites->weights[k] : 1, a[i], b[j], *sum);
            }
}

void gt_float_panel_ref(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums)
{
    for (int64_t k = 0; k < sites->n; k++, a += GT_PANEL)
        for (int i = 0; i < GT_PANEL; i++)
            sums[i] = gt_float_added(term, sites->weights ? sites->weights[k] : 1, a[i], a[i], sums[i]);
}
