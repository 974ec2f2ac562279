#include "kernels/impl.h"

bool gt_small_int_term(enum gt_float_term term)
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

/* What doubles give, site by site: the values and their sums are whole numbers that a double holds. */
void gt_small_int_tile_ref(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums)
{
    const struct gt_float_sites site = {.n = 1};
    double x[GT_PANEL], y[GT_PANEL];
    for (int64_t k = 0; k < n_sites; k++) {
        for (int i = 0; i < GT_PANEL; i++) {
            x[i] = a[GT_SMALL_INT_AT(k, i)];
            y[i] = b[GT_SMALL_INT_AT(k, i)];
        }
        gt_float_tile_ref(term, &site, x, y, sums);
    }
}
