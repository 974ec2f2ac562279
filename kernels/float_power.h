/* Whole powers, by the same products at every level and on devices. */
#ifndef GT_KERNELS_FLOAT_POWER_H
#define GT_KERNELS_FLOAT_POWER_H

#include <math.h>
#include <stdbool.h>

#include "kernels/device/kernel.h"

enum { GT_MOST_PRODUCTS = 16 };

/* p where products make the power; 0 where pow() does. */
GT_DEVICE_FN int gt_int_power(double p)
{
    return p >= 1 && p <= GT_MOST_PRODUCTS && p == (int)p ? (int)p : 0;
}

/* The highest bit of p; each bit below it squares, and multiplies once more if it is set. */
GT_DEVICE_FN int gt_power_top(int p)
{
    int bit = 1;
    while (bit * 2 <= p)
        bit *= 2;
    return bit;
}

/* Are sums of |x - y|^p kept as their base 2 logarithms?  Powers that high leave the range of doubles. */
GT_DEVICE_FN bool gt_power_is_log(double p)
{
    return p > 32;
}

/* Such a sum after one more term; 0 stands for a sum of nothing. */
GT_DEVICE_FN double gt_log_sum(double sum, double term)
{
    const double high = sum > term ? sum : term, low = sum > term ? term : sum;
    if (sum == 0 || isinf(high))
        return sum == 0 ? term == 0 ? 0x1p-1074 : term : high;
    const double both = high + log1p(exp2(low - high)) * 1.4426950408889634;
    return both == 0 ? 0x1p-1074 : both;
}

#endif
