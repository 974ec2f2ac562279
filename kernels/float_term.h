/* What two samples' numbers x and y at a site add to a sum of the pair; nothing where one of them is NaN.
 *
 * Each sum grows site after site, in double, by one fused multiply-add of weight and term (squares and products: of weight times one
 * factor, and the other), so that its bits do not depend on levels, devices, tiles and how sites are cut into calls.  Powers that pow()
 * makes, and logarithms, have the bits of the library that makes them. */
#ifndef GT_KERNELS_FLOAT_TERM_H
#define GT_KERNELS_FLOAT_TERM_H

#include "kernels/float_power.h"

enum gt_float_term {
    GT_FLOAT_N,        /* 1 */
    GT_FLOAT_ABS,      /* |x - y| */
    GT_FLOAT_SQUARE,   /* (x - y)^2 */
    GT_FLOAT_POWER,    /* |x - y|^p; of a p above 32 the sum is its base 2 logarithm (kernels/float_power.h) */
    GT_FLOAT_MAX,      /* no sum: the largest |x - y| of those with a weight above 0 */
    GT_FLOAT_TOTAL,    /* |x + y| */
    GT_FLOAT_CANBERRA, /* |x - y| / (|x| + |y|), 0 if both are 0 */
    GT_FLOAT_X,        /* x, and so on */
    GT_FLOAT_Y,
    GT_FLOAT_XX,
    GT_FLOAT_YY,
    GT_FLOAT_XY,
    GT_FLOAT_DIFFER,  /* 1 if x is not y */
    GT_FLOAT_NONZERO, /* 1 if x or y is not 0 */
    GT_FLOAT_BOTH,    /* 1 if neither is 0 */
    GT_FLOAT_ONLY_X,  /* 1 if y is 0, and x not */
    GT_FLOAT_ONLY_Y,
    GT_FLOAT_SHANNON, /* x log(2x / (x + y)) + y log(2y / (x + y)), where 0 log 0 is 0; infinite if one is below 0 or infinite */
    GT_FLOAT_TERMS
};

GT_DEVICE_FN double gt_float_power(double d, double p)
{
    const int whole = gt_int_power(p);
    double out = d;
    if (!whole)
        return pow(d, p);
    for (int bit = gt_power_top(whole) / 2; bit; bit /= 2)
        out = whole & bit ? out * out * d : out * out;
    return out;
}

GT_DEVICE_FN double gt_float_canberra(double x, double y)
{
    const double both = fabs(x) + fabs(y);
    return both == 0 ? 0 : fabs(x - y) / both;
}

/* (1 + t) log(1 + t) + (1 - t) log(1 - t) of a small t: the sum of t^2k / (k (2k - 1)). */
GT_DEVICE_FN double gt_float_near_shannon(double t)
{
    const double q = t * t;
    return q * (1 + q * (1.0 / 6 + q * (1.0 / 15 + q * (1.0 / 28 + q * (1.0 / 45 + q * (1.0 / 66 + q * (1.0 / 91)))))));
}

/* Of nearly equal values the logarithms would cancel. */
GT_DEVICE_FN double gt_float_shannon(double x, double y)
{
    const double mean = (x + y) / 2, half = (x - y) / 2;
    if (x < 0 || y < 0 || isinf(mean))
        return INFINITY;
    if (fabs(half) < mean / 16)
        return mean * gt_float_near_shannon(half / mean);
    return (x > 0 ? x * log(x / mean) : 0) + (y > 0 ? y * log(y / mean) : 0);
}

/* Is a term one that takes a division, powers or logarithms? */
GT_DEVICE_FN bool gt_float_is_heavy(enum gt_float_term term)
{
    return term == GT_FLOAT_POWER || term == GT_FLOAT_CANBERRA || term == GT_FLOAT_SHANNON;
}

/* All others but squares, products and MAX. */
GT_DEVICE_FN double gt_float_value(enum gt_float_term term, double x, double y)
{
    switch (term) {
    case GT_FLOAT_ABS:
        return fabs(x - y);
    case GT_FLOAT_TOTAL:
        return fabs(x + y);
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
    default:
        return 1;
    }
}

/* The sum after a site of weight w, where neither is NaN; of a term that is not heavy. */
GT_DEVICE_FN double gt_float_added(enum gt_float_term term, double w, double x, double y, double sum)
{
    const double d = x - y;
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
    default:
        return fma(w, gt_float_value(term, x, y), sum);
    }
}

/* ... of a term that is; p: of POWER. */
GT_DEVICE_FN double gt_float_added_heavy(enum gt_float_term term, double p, double w, double x, double y, double sum)
{
    const double d = fabs(x - y);
    if (term == GT_FLOAT_SHANNON)
        return fma(w, gt_float_shannon(x, y), sum);
    if (term == GT_FLOAT_CANBERRA)
        return fma(w, gt_float_canberra(x, y), sum);
    if (gt_power_is_log(p))
        return d == 0 || w == 0 ? sum : gt_log_sum(sum, p * log2(d) + (w == 1 ? 0 : log2(w)));
    return fma(w, gt_float_power(d, p), sum);
}

#endif
