/* Whole powers, by the same products at every level. */
#ifndef GT_KERNELS_FLOAT_POWER_H
#define GT_KERNELS_FLOAT_POWER_H

enum { GT_MOST_PRODUCTS = 16 };

/* p where products make the power; 0 where pow() does. */
static inline int gt_int_power(double p)
{
    return p >= 1 && p <= GT_MOST_PRODUCTS && p == (int)p ? (int)p : 0;
}

/* The highest bit of p; each bit below it squares, and multiplies once more if it is set. */
static inline int gt_power_top(int p)
{
    int bit = 1;
    while (bit * 2 <= p)
        bit *= 2;
    return bit;
}

#endif
