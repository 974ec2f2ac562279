#include <stdlib.h>

#include "kernels/impl.h"

static int value(enum gt_float_term term, int x, int y)
{
    switch (term) {
    case GT_FLOAT_ABS:
        return abs(x - y);
    case GT_FLOAT_SQUARE:
        return (x - y) * (x - y);
    case GT_FLOAT_TOTAL:
        return abs(x + y);
    case GT_FLOAT_XY:
        return x * y;
    case GT_FLOAT_DIFFER:
        return x != y;
    case GT_FLOAT_NONZERO:
        return x != 0 || y != 0;
    case GT_FLOAT_BOTH:
        return x != 0 && y != 0;
    case GT_FLOAT_ONLY_X:
        return x != 0 && y == 0;
    default:
        return y != 0 && x == 0;
    }
}

bool gt_whole_term(enum gt_float_term term)
{
    switch (term) {
    case GT_FLOAT_ABS:
    case GT_FLOAT_SQUARE:
    case GT_FLOAT_TOTAL:
    case GT_FLOAT_XY:
    case GT_FLOAT_DIFFER:
    case GT_FLOAT_NONZERO:
    case GT_FLOAT_BOTH:
    case GT_FLOAT_ONLY_X:
    case GT_FLOAT_ONLY_Y:
        return true;
    default:
        return false;
    }
}

void gt_whole_tile_ref(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums)
{
    for (int64_t k = 0; k < n_sites; k++)
        for (int i = 0; i < GT_PANEL; i++)
            for (int j = 0; j < GT_PANEL; j++)
                sums[i * GT_PANEL + j] += value(term, a[GT_WHOLE_AT(k, i)], b[GT_WHOLE_AT(k, j)]);
}
