/* Tiles of pairs of small whole numbers, once for each level.  The file that includes this says
 * what a vector of 32-bit sums, or of twice as many 16-bit numbers, is (vec, LANES and what is done
 * with it), and how many samples (ROWS) stand against all others in registers. */
#include "kernels/impl.h"
#include "kernels/unroll.h"

enum { VECTORS = GT_PANEL / LANES };

/* What is multiplied and added up, site by site. */
GT_INLINE vec factor(const enum gt_float_term term, vec x, vec y)
{
    const vec one = set_words(1);
    switch (term) {
    case GT_FLOAT_XY:
        return x;
    case GT_FLOAT_SQUARE:
        return sub(x, y);
    case GT_FLOAT_ABS:
        return absolute(sub(x, y));
    case GT_FLOAT_TOTAL:
        return absolute(add(x, y));
    case GT_FLOAT_DIFFER:
        return minimum(sub(x, y), one);
    case GT_FLOAT_NONZERO:
        return minimum(either(x, y), one);
    case GT_FLOAT_BOTH:
        return minimum(minimum(x, y), one);
    case GT_FLOAT_ONLY_X:
        return sub(minimum(either(x, y), one), minimum(y, one));
    default:
        return sub(minimum(either(x, y), one), minimum(x, one));
    }
}

GT_INLINE vec added(const enum gt_float_term term, vec x, vec y, vec sum)
{
    vec f = factor(term, x, y);
    return dot(sum, f, term == GT_FLOAT_SQUARE ? f : term == GT_FLOAT_XY ? y : set_words(1));
}

/* ROWS samples of a against all of b. */
GT_INLINE void strip(const enum gt_float_term term, int64_t pairs, const int16_t *a, const int16_t *b, double *sums)
{
    vec s[ROWS][VECTORS], y[VECTORS];
    GT_UNROLL
    for (int i = 0; i < ROWS * VECTORS; i++)
        s[i / VECTORS][i % VECTORS] = set_words(0);
    for (int64_t k = 0; k < pairs; k++, a += 2 * GT_PANEL, b += 2 * GT_PANEL) {
        GT_UNROLL
        for (int j = 0; j < VECTORS; j++)
            y[j] = load(b + 2 * j * LANES);
        GT_UNROLL
        for (int i = 0; i < ROWS * VECTORS; i++) {
            vec *sum = &s[i / VECTORS][i % VECTORS];
            *sum = added(term, set_pair(a + 2 * (i / VECTORS)), y[i % VECTORS], *sum);
        }
    }
    GT_UNROLL
    for (int i = 0; i < ROWS * VECTORS; i++)
        add_to(sums + i / VECTORS * GT_PANEL + i % VECTORS * LANES, s[i / VECTORS][i % VECTORS]);
}

#define CASE(term)                                                                                                                         \
    case term:                                                                                                                             \
        for (int i = 0; i < GT_PANEL; i += ROWS)                                                                                           \
            strip(term, (n_sites + 1) / 2, a + 2 * i, b, sums + i * GT_PANEL);                                                             \
        break

static void tile(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums)
{
    switch (term) {
        CASE(GT_FLOAT_ABS);
        CASE(GT_FLOAT_SQUARE);
        CASE(GT_FLOAT_TOTAL);
        CASE(GT_FLOAT_XY);
        CASE(GT_FLOAT_DIFFER);
        CASE(GT_FLOAT_NONZERO);
        CASE(GT_FLOAT_BOTH);
        CASE(GT_FLOAT_ONLY_X);
    default:
        CASE(GT_FLOAT_ONLY_Y);
    }
}
