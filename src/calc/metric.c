#include "calc/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- formulas ----------------------------------------------------------------- */

/* a b - c d as if rounded twice at most, whatever they have in common (Kahan). */
static double cross(double a, double b, double c, double d)
{
    double cd = c * d, lost = fma(-c, d, cd);
    return fma(a, b, -cd) + lost;
}

#define FORMULA(name, value)                                                                                                               \
    static void name(const double *const c[], double p, double *restrict out)                                                              \
    {                                                                                                                                      \
        (void)p;                                                                                                                           \
        for (int k = 0; k < GT_METRIC_LANES; k++)                                                                                          \
            out[k] = value;                                                                                                                \
    }
#define C(i) c[i][k]

FORMULA(sum, C(1))
FORMULA(root, sqrt(C(1)))
FORMULA(share, C(1) / C(0))
FORMULA(half_share, C(1) / (2 * C(0)))
FORMULA(less_half_share, 1 - C(1) / (2 * C(0)))
FORMULA(canberra, C(1) / 3)
FORMULA(chebyshev, C(3) > 0 ? 3 : C(2) > 0 ? 2 : C(1) > 0)
FORMULA(minkowski, pow(C(1) + (pow(2, p) - 1) * C(2) + (pow(3, p) - pow(2, p)) * C(3), 1 / p))
FORMULA(of_those, C(2) > 0 ? C(1) / C(2) : 0) /* nothing in either: no difference */
FORMULA(ratio, C(1) / C(2))
FORMULA(cosine, 1 - C(1) / sqrt(C(2) * C(3)))
FORMULA(correlation, 1 - cross(C(0), C(5), C(1), C(2)) / sqrt(cross(C(0), C(3), C(1), C(1)) * cross(C(0), C(4), C(2), C(2))))
FORMULA(king, 0.5 - C(1) / (4 * (C(2) < C(3) ? C(2) : C(3))))

#define NUMERIC GT_METRIC_NUMERIC
#define SUM GT_METRIC_SUM
#define PLINK GT_METRIC_AUTOSOMAL
#define LIKENESS GT_METRIC_LIKENESS
#define BY(formula, ...)                                                                                                                   \
    {                                                                                                                                      \
        {GT_COUNT_N, __VA_ARGS__}, formula                                                                                                 \
    }
#define NONE                                                                                                                               \
    {                                                                                                                                      \
        {0}, NULL                                                                                                                          \
    }
#define BOTH_BY(formula, ...) BY(formula, __VA_ARGS__), BY(formula, __VA_ARGS__)
#define GENOTYPES_BY(formula, ...) BY(formula, __VA_ARGS__), NONE
#define DIFFERENCES GT_COUNT_DIFFER, GT_COUNT_OVER_ONE, GT_COUNT_OVER_TWO

/* Behind the traits: how it is made of genotypes, and of plain arrays. */
static const struct gt_metric metrics[] = {
    {"euclidean", "sqrt(sum (x - y)^2)", "scipy", NUMERIC | SUM, BOTH_BY(root, GT_COUNT_SQUARE)},
    {"sqeuclidean", "sum (x - y)^2", "scipy", NUMERIC | SUM, BOTH_BY(sum, GT_COUNT_SQUARE)},
    {"cityblock", "sum |x - y|", "scipy", NUMERIC | SUM, BOTH_BY(sum, GT_COUNT_ABS)},
    {"minkowski", "(sum |x - y|^p)^(1/p)", "scipy", NUMERIC | SUM | GT_METRIC_POWER, GENOTYPES_BY(minkowski, DIFFERENCES)},
    {"chebyshev", "max |x - y|", "scipy", NUMERIC, GENOTYPES_BY(chebyshev, DIFFERENCES)},
    {"canberra", "sum |x - y| / (|x| + |y|)", "scipy", NUMERIC | SUM, GENOTYPES_BY(canberra, GT_COUNT_CANBERRA3)},
    {"braycurtis", "sum |x - y| / sum |x + y|", "scipy", NUMERIC, GENOTYPES_BY(ratio, GT_COUNT_ABS, GT_COUNT_TOTAL)},
    {"cosine", "1 - sum x y / sqrt(sum x^2 sum y^2)", "scipy", NUMERIC, GENOTYPES_BY(cosine, GT_COUNT_XY, GT_COUNT_XX, GT_COUNT_YY)},
    {"correlation", "1 - the correlation of x and y", "scipy", NUMERIC,
     GENOTYPES_BY(correlation, GT_COUNT_X, GT_COUNT_Y, GT_COUNT_XX, GT_COUNT_YY, GT_COUNT_XY)},
    {"hamming", "the share of sites with x != y", "scipy", NUMERIC, GENOTYPES_BY(share, GT_COUNT_DIFFER)},
    {"jaccard", "sites with x != y / sites with x or y not 0", "scipy", NUMERIC, GENOTYPES_BY(of_those, GT_COUNT_DIFFER, GT_COUNT_NONZERO)},
    {"mismatches", "the number of alleles that differ, sum |x - y|", "gt-utils", SUM, GENOTYPES_BY(sum, GT_COUNT_ABS)},
    {"allele-count", "sum |x - y|", "PLINK 1.9 --distance allele-ct", PLINK | SUM, GENOTYPES_BY(sum, GT_COUNT_ABS)},
    {"1-ibs", "sum |x - y| / 2n", "PLINK 1.9 --distance 1-ibs", PLINK, GENOTYPES_BY(half_share, GT_COUNT_ABS)},
    {"ibs", "1 - sum |x - y| / 2n", "PLINK 1.9 --distance ibs", PLINK | LIKENESS, GENOTYPES_BY(less_half_share, GT_COUNT_ABS)},
    {"ibs-prob", "the mean probability that one allele of each, drawn at random, are the same", "sgkit identity_by_state", LIKENESS,
     GENOTYPES_BY(half_share, GT_COUNT_SAME)},
    {"ibs0", "the share of sites with |x - y| = 2", "KING, PLINK 2 --make-king-table", PLINK, GENOTYPES_BY(share, GT_COUNT_OPPOSITE)},
    {"king", "1/2 - sum (x - y)^2 / 4 min(hx, hy), with hx and hy the numbers of heterozygotes", "KING-robust, PLINK 2 --make-king",
     PLINK | LIKENESS, GENOTYPES_BY(king, GT_COUNT_SQUARE, GT_COUNT_HET_X, GT_COUNT_HET_Y)},
};

const struct gt_metric *gt_metric_at(int k)
{
    return k < (int)(sizeof metrics / sizeof *metrics) ? &metrics[k] : NULL;
}

const struct gt_metric *gt_metric_find(const char *name)
{
    const struct gt_metric *metric;
    for (int k = 0; (metric = gt_metric_at(k)); k++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

const struct gt_metric_way *gt_metric_way(const struct gt_metric_use *use)
{
    return use->arrays ? &use->metric->arrays : &use->metric->genotypes;
}

typedef double lanes[GT_METRIC_LANES];

/* In PLINK 1.9's order, whose bits it gives. */
static void rescale(const double *sum, const double *n, double sites, double *restrict out)
{
    for (int k = 0; k < GT_METRIC_LANES; k++)
        out[k] = sum[k] * (sites / n[k]);
}

static bool any_zero(const double *n)
{
    bool any = false;
    for (int k = 0; k < GT_METRIC_LANES; k++)
        any |= n[k] == 0;
    return any;
}

static void no_data(const double *n, double *value)
{
    for (int k = 0; k < GT_METRIC_LANES; k++)
        value[k] = n[k] > 0 ? value[k] : NAN;
}

/* The numbers of as many pairs as there are lanes. */
static void values_at(const struct gt_metric_use *use, const double *const planes[], double sites, lanes value)
{
    const struct gt_metric_way *way = gt_metric_way(use);
    const bool sums = use->metric->traits & GT_METRIC_SUM;
    const double *c[GT_METRIC_COUNTS] = {planes[0]};
    lanes scaled[GT_METRIC_COUNTS];
    for (int k = 1; k < GT_METRIC_COUNTS && way->counts[k]; k++) {
        c[k] = planes[k];
        if (sums && use->missing == GT_MISSING_RESCALE) {
            rescale(planes[k], planes[0], sites, scaled[k]);
            c[k] = scaled[k];
        }
    }
    way->values(c, use->p, value);
    if (any_zero(c[0]) && !(sums && use->missing == GT_MISSING_IGNORE))
        no_data(c[0], value);
}

void gt_metric_values(const struct gt_metric_use *use, const double *const planes[], double sites, int64_t n, double *out)
{
    const double *at[GT_METRIC_COUNTS] = {NULL};
    lanes rest[GT_METRIC_COUNTS] = {{0}}, value;
    const enum gt_count *counts = gt_metric_way(use)->counts;
    for (int64_t from = 0; from < n; from += GT_METRIC_LANES) {
        int64_t some = n - from < GT_METRIC_LANES ? n - from : GT_METRIC_LANES;
        for (int k = 0; k < GT_METRIC_COUNTS && counts[k]; k++) {
            at[k] = planes[k] + from;
            if (some < GT_METRIC_LANES)
                at[k] = memcpy(rest[k], at[k], (size_t)some * sizeof *value);
        }
        values_at(use, at, sites, value);
        memcpy(out + from, value, (size_t)some * sizeof *value);
    }
}
