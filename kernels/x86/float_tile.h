/* Tiles of pairs of numbers, once for each level.  The file that includes this says what a
 * vector is (vec, LANES and what is done with it), which lanes are meant (mask), and how many
 * samples (ROWS) stand against how many vectors of others (COLUMNS) in registers. */
#include <immintrin.h>

#include "kernels/float_power.h"
#include "kernels/impl.h"
#include "kernels/unroll.h"

/* Sites of both panels that the first cache holds. */
enum { SITES_IN_CACHE = 64 };

GT_INLINE vec power(vec d, int p)
{
    vec out = d;
    for (int bit = gt_power_top(p) / 2; bit; bit /= 2) {
        out = mul(out, out);
        if (p & bit)
            out = mul(out, d);
    }
    return out;
}

GT_INLINE vec canberra(vec x, vec y)
{
    vec total = add(absolute(x), absolute(y));
    return keep(differs(total, zero()), divide(absolute(sub(x, y)), total));
}

/* All but squares, products and MAX. */
GT_INLINE vec value(const enum gt_float_term term, int p, vec x, vec y)
{
    switch (term) {
    case GT_FLOAT_ABS:
        return absolute(sub(x, y));
    case GT_FLOAT_POWER:
        return power(absolute(sub(x, y)), p);
    case GT_FLOAT_TOTAL:
        return absolute(add(x, y));
    case GT_FLOAT_CANBERRA:
        return canberra(x, y);
    case GT_FLOAT_X:
        return x;
    case GT_FLOAT_Y:
        return y;
    case GT_FLOAT_DIFFER:
        return keep(differs(x, y), set(1));
    case GT_FLOAT_NONZERO:
        return keep(either(differs(x, zero()), differs(y, zero())), set(1));
    case GT_FLOAT_BOTH:
        return keep(both(differs(x, zero()), differs(y, zero())), set(1));
    case GT_FLOAT_ONLY_X:
        return keep(both(differs(x, zero()), same(y, zero())), set(1));
    case GT_FLOAT_ONLY_Y:
        return keep(both(differs(y, zero()), same(x, zero())), set(1));
    default:
        return set(1);
    }
}

/* What is multiplied: {x, x} of XX, and so on.  false: the term is no product. */
GT_INLINE bool factors(const enum gt_float_term term, vec x, vec y, vec *one, vec *other)
{
    *one = term == GT_FLOAT_SQUARE ? sub(x, y) : term == GT_FLOAT_YY ? y : x;
    *other = term == GT_FLOAT_XY ? y : *one;
    return term == GT_FLOAT_SQUARE || term == GT_FLOAT_XX || term == GT_FLOAT_YY || term == GT_FLOAT_XY;
}

GT_INLINE vec added(const enum gt_float_term term, int p, vec x, vec y, vec sum)
{
    vec one, other;
    if (factors(term, x, y, &one, &other))
        return fused(one, other, sum);
    if (term == GT_FLOAT_MAX)
        return larger(absolute(sub(x, y)), sum);
    return add(sum, value(term, p, x, y));
}

/* With weights, and where x or y may be missing. */
GT_INLINE vec added_known(const enum gt_float_term term, int p, vec w, vec x, vec y, vec sum)
{
    mask known = ordered(x, y);
    vec one, other;
    if (factors(term, x, y, &one, &other))
        return fused(keep(known, mul(w, one)), keep(known, other), sum);
    if (term == GT_FLOAT_MAX)
        return larger(keep(both(known, differs(w, zero())), absolute(sub(x, y))), sum);
    return fused(w, keep(known, value(term, p, x, y)), sum);
}

GT_INLINE void strip(const enum gt_float_term term, const bool plain, const struct gt_float_sites *sites, int64_t from, int64_t to,
                     const double *a, const double *b, double *sums)
{
    static const double one = 1;
    const double *weight = sites->weights ? sites->weights + from : &one;
    const int step = sites->weights != NULL, p = term == GT_FLOAT_POWER ? gt_int_power(sites->p) : 0;
    vec s[ROWS][COLUMNS], y[COLUMNS];
    GT_UNROLL
    for (int i = 0; i < ROWS * COLUMNS; i++)
        s[i / COLUMNS][i % COLUMNS] = load(sums + i / COLUMNS * GT_PANEL + i % COLUMNS * LANES);
    a += from * GT_PANEL;
    b += from * GT_PANEL;
    for (int64_t k = from; k < to; k++, a += GT_PANEL, b += GT_PANEL, weight += step) {
        const vec w = set(*weight);
        GT_UNROLL
        for (int j = 0; j < COLUMNS; j++)
            y[j] = load(b + j * LANES);
        GT_UNROLL
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            vec x = set(a[i / COLUMNS]), *sum = &s[i / COLUMNS][i % COLUMNS];
            *sum = plain ? added(term, p, x, y[i % COLUMNS], *sum) : added_known(term, p, w, x, y[i % COLUMNS], *sum);
        }
    }
    GT_UNROLL
    for (int i = 0; i < ROWS * COLUMNS; i++)
        store(sums + i / COLUMNS * GT_PANEL + i % COLUMNS * LANES, s[i / COLUMNS][i % COLUMNS]);
}

GT_INLINE void tile(const enum gt_float_term term, const bool plain, const struct gt_float_sites *sites, const double *a, const double *b,
                    double *sums)
{
    for (int64_t from = 0, to; from < sites->n; from = to) {
        to = sites->n - from < SITES_IN_CACHE ? sites->n : from + SITES_IN_CACHE;
        for (int j = 0; j < GT_PANEL; j += COLUMNS * LANES)
            for (int i = 0; i < GT_PANEL; i += ROWS)
                strip(term, plain, sites, from, to, a + i, b + j, sums + i * GT_PANEL + j);
    }
}

#define CASE(term)                                                                                                                         \
    case term:                                                                                                                             \
        if (sites->missing || sites->weights)                                                                                              \
            tile(term, false, sites, a, b, sums);                                                                                          \
        else                                                                                                                               \
            tile(term, true, sites, a, b, sums);                                                                                           \
        break

/* Logarithms, and powers that products do not make, are the C library's. */
static void tiles(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, const double *b, double *sums)
{
    if (term == GT_FLOAT_POWER && !gt_int_power(sites->p))
        term = GT_FLOAT_TERMS;
    switch (term) {
        CASE(GT_FLOAT_N);
        CASE(GT_FLOAT_ABS);
        CASE(GT_FLOAT_SQUARE);
        CASE(GT_FLOAT_POWER);
        CASE(GT_FLOAT_MAX);
        CASE(GT_FLOAT_TOTAL);
        CASE(GT_FLOAT_CANBERRA);
        CASE(GT_FLOAT_X);
        CASE(GT_FLOAT_Y);
        CASE(GT_FLOAT_XX);
        CASE(GT_FLOAT_YY);
        CASE(GT_FLOAT_XY);
        CASE(GT_FLOAT_DIFFER);
        CASE(GT_FLOAT_NONZERO);
        CASE(GT_FLOAT_BOTH);
        CASE(GT_FLOAT_ONLY_X);
        CASE(GT_FLOAT_ONLY_Y);
    default:
        gt_float_tile_ref(term == GT_FLOAT_TERMS ? GT_FLOAT_POWER : term, sites, a, b, sums);
    }
}

GT_INLINE void panel(const enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums)
{
    vec s[GT_PANEL / LANES];
    GT_UNROLL
    for (int i = 0; i < GT_PANEL / LANES; i++)
        s[i] = load(sums + i * LANES);
    for (int64_t k = 0; k < sites->n; k++, a += GT_PANEL) {
        const vec w = set(sites->weights ? sites->weights[k] : 1);
        GT_UNROLL
        for (int i = 0; i < GT_PANEL / LANES; i++) {
            vec x = load(a + i * LANES), one = term == GT_FLOAT_XX ? mul(w, x) : w;
            s[i] = term == GT_FLOAT_N ? add(w, s[i]) : fused(one, x, s[i]);
        }
    }
    GT_UNROLL
    for (int i = 0; i < GT_PANEL / LANES; i++)
        store(sums + i * LANES, s[i]);
}

static void panels(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums)
{
    if (term == GT_FLOAT_N)
        panel(GT_FLOAT_N, sites, a, sums);
    else if (term == GT_FLOAT_X)
        panel(GT_FLOAT_X, sites, a, sums);
    else
        panel(GT_FLOAT_XX, sites, a, sums);
}
