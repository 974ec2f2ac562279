#include <math.h>

#include "kernels/float_power.h"
#include "kernels/impl.h"

static double power(double d, double p)
{
    int whole = gt_int_power(p);
    double out = d;
    if (!whole)
        return pow(d, p);
    for (int bit = gt_power_top(whole) / 2; bit; bit /= 2)
        out = whole & bit ? out * out * d : out * out;
    return out;
}

static double canberra(double x, double y)
{
    double both = fabs(x) + fabs(y);
    return both == 0 ? 0 : fabs(x - y) / both;
}

/* (1 + t) log(1 + t) + (1 - t) log(1 - t) of a small t: the sum of t^2k / (k (2k - 1)). */
static double near_shannon(double t)
{
    const double q = t * t;
    return q * (1 + q * (1.0 / 6 + q * (1.0 / 15 + q * (1.0 / 28 + q * (1.0 / 45 + q * (1.0 / 66 + q * (1.0 / 91)))))));
}

/* Of nearly equal values the logarithms would cancel. */
static double shannon(double x, double y)
{
    double mean = (x + y) / 2, half = (x - y) / 2;
    if (x < 0 || y < 0 || isinf(mean))
        return INFINITY;
    if (fabs(half) < mean / 16)
        return mean * near_shannon(half / mean);
    return (x > 0 ? x * log(x / mean) : 0) + (y > 0 ? y * log(y / mean) : 0);
}

/* All but squares, products and MAX. */
static double value(enum gt_float_term term, double p, double x, double y)
{
    switch (term) {
    case GT_FLOAT_ABS:
        return fabs(x - y);
    case GT_FLOAT_POWER:
        return power(fabs(x - y), p);
    case GT_FLOAT_TOTAL:
        return fabs(x + y);
    case GT_FLOAT_CANBERRA:
        return canberra(x, y);
    case GT_FLOAT_X:
        return x;
    case GT_FLOAT_Y:
        return y;
    case GT_FLOAT_DIFFER:
        return x != y;
    case GT_FLOAT_NONZERO:
        return x != 0 || y != 0;
    case GT_FLOAT_BOTH:
        return x != 0 && y != 0;
    case GT_FLOAT_ONLY_X:
        return x != 0 && y == 0;
    case GT_FLOAT_ONLY_Y:
        return y != 0 && x == 0;
    case GT_FLOAT_SHANNON:
        return shannon(x, y);
    default:
        return 1;
    }
}

static double added(enum gt_float_term term, double p, double w, double x, double y, double sum)
{
    double d = x - y;
    switch (term) {
    case GT_FLOAT_SQUARE:
        return fma(w * d, d, sum);
    case GT_FLOAT_MAX:
        return w > 0 && fabs(d) > sum ? fabs(d) : sum;
    case GT_FLOAT_XX:
        return fma(w * x, x, sum);
    case GT_FLOAT_YY:
        return fma(w * y, y, sum);
    case GT_FLOAT_XY:
        return fma(w * x, y, sum);
    case GT_FLOAT_POWER:
        if (gt_power_is_log(p))
            return d == 0 || w == 0 ? sum : gt_log_sum(sum, p * log2(fabs(d)) + (w == 1 ? 0 : log2(w)));
        __attribute__((fallthrough));
    default:
        return fma(w, value(term, p, x, y), sum);
    }
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
            sums[i] = added(term, 0, sites->weights ? sites->weights[k] : 1, a[i], a[i], sums[i]);
}
