#include "calc/pdist/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "calc/pdist/metric_table.h"
#include "geno/model/ploidy.h"
#include "kernels/float_power.h"

/* --- formulas ----------------------------------------------------------------- */

/* a b - c d as if rounded twice at most, whatever they have in common (Kahan). */
static double cross(double a, double b, double c, double d)
{
    double cd = c * d, lost = fma(-c, d, cd);
    return fma(a, b, -cd) + lost;
}

/* 1 - xy / sqrt(xx yy) by the squared difference, xx + yy - 2 xy, so that no digits are lost where x and y are almost equal (if the
 * lengths are, too); from 0 to 2, whatever was rounded.  The numerator is that of Heron's formula: (xx yy - xy^2) 4. */
static double cosine_distance(double square, double xx, double yy)
{
    const double xy = (xx + yy - square) / 2, size = xx * yy, length = size > 1e-290 && size < 1e300 ? sqrt(size) : sqrt(xx) * sqrt(yy);
    if (!(length > 0))
        return NAN;
    if (xy <= 0)
        return 1 - xy / length > 2 ? 2 : 1 - xy / length;
    const double value = cross(square, 2 * (xx + yy) - square, xx - yy, xx - yy) / (4 * length) / (length + xy);
    return value < 0 ? 0 : value;
}

/* n times a sum of squares around the mean; 0 where rounding has left nothing of it. */
static double square_of(double n, double xx, double x)
{
    double square = cross(n, xx, x, x);
    return square <= n * 0x1p-52 * n * xx ? 0 : square;
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
FORMULA(proportion, C(1) / C(0))
FORMULA(half_share, C(1) / (2 * C(0)))
FORMULA(quarter_share, C(1) / (4 * C(0)))
FORMULA(less_half_share, 1 - C(1) / (2 * C(0)))
FORMULA(less_share, 1 - C(1) / C(0))
FORMULA(canberra, C(1) / 3)
FORMULA(chebyshev, C(3) > 0 ? 3 : C(2) > 0 ? 2 : C(1) > 0)
/* In units of the largest difference. */
static double whole_power(double one, double two, double three, double p)
{
    const double most = three > 0 ? 3 : two > 0 ? 2 : 1, first = pow(1 / most, p), second = pow(2 / most, p);
    return most * pow((one - two) * first + (two - three) * second + three * pow(3 / most, p), 1 / p);
}

FORMULA(minkowski, whole_power(C(1), C(2), C(3), p))
FORMULA(jaccard, C(2) > 0 ? (C(2) - C(1)) / C(2) : 0) /* nothing in either: no difference */
FORMULA(ratio, C(1) / C(2))
FORMULA(cosine, cosine_distance(C(1), C(2), C(3)))
FORMULA(powers, gt_power_is_log(p) ? C(1) == 0 ? 0 : exp2(C(1) / p) : pow(C(1), 1 / p))
FORMULA(shannon, sqrt(C(1) > 0 || isnan(C(1)) ? C(1) / 2 : 0))
FORMULA(correlation,
        cosine_distance(cross(C(0), C(5), C(1) - C(2), C(1) - C(2)), cross(C(0), C(3), C(1), C(1)), cross(C(0), C(4), C(2), C(2))))
FORMULA(centred, cosine_distance(cross(C(0), C(5), C(1) - C(2), C(1) - C(2)), square_of(C(0), C(3), C(1)), square_of(C(0), C(4), C(2))))
/* Of zeros or not: both are not, one or both are not; their difference is the sites with one. */
FORMULA(dice, (C(2) - C(1)) / (C(2) + C(1)))
FORMULA(kulczynski1, C(1) / (C(2) - C(1)))
FORMULA(kulsinski, (C(2) - C(1) - C(1) + C(0)) / (C(2) - C(1) + C(0)))
FORMULA(rogers_tanimoto, 2 * (C(2) - C(1)) / (C(0) + C(2) - C(1)))
FORMULA(russell_rao, (C(0) - C(1)) / C(0))
FORMULA(sokal_sneath, 2 * (C(2) - C(1)) / (C(1) + 2 * (C(2) - C(1))))
FORMULA(yule, C(2) * C(3) > 0 ? 2 * C(2) * C(3) / (C(1) * (C(0) - C(1) - C(2) - C(3)) + C(2) * C(3)) : 0)
FORMULA(king, 0.5 - C(1) / (4 * (C(2) < C(3) ? C(2) : C(3))))

#define NUMERIC GT_METRIC_NUMERIC
#define WEIGHTS (GT_METRIC_NUMERIC | GT_METRIC_WEIGHTS)
#define SUM GT_METRIC_SUM
#define PLINK GT_METRIC_AUTOSOMAL
#define SIMILARITY GT_METRIC_SIMILARITY
#define KINSHIP (GT_METRIC_AUTOSOMAL | GT_METRIC_ONE_ALT | GT_METRIC_SIMILARITY)
#define BY(formula, ...)                                                                                                                   \
    {                                                                                                                                      \
        {GT_COUNT_N, __VA_ARGS__}, formula                                                                                                 \
    }
#define NONE                                                                                                                               \
    {                                                                                                                                      \
        {0}, NULL                                                                                                                          \
    }
#define BOTH_BY(formula, ...) BY(formula, __VA_ARGS__), BY(formula, __VA_ARGS__), NONE
#define GENOTYPES_BY(formula, ...) BY(formula, __VA_ARGS__), NONE, NONE
#define HAPLOID_BY(formula, ...) NONE, BY(formula, __VA_ARGS__) /* after BY(...) of diploid data */
#define ARRAYS_BY(formula, ...) NONE, BY(formula, __VA_ARGS__), NONE
#define ZEROS GT_COUNT_BOTH, GT_COUNT_NONZERO
#define PRODUCTS GT_COUNT_X, GT_COUNT_Y, GT_COUNT_XX, GT_COUNT_YY, GT_COUNT_SQUARE
#define DIFFERENCES GT_COUNT_DIFFER, GT_COUNT_OVER_ONE, GT_COUNT_OVER_TWO

/* After the traits: formulas for genotypes, for plain arrays, and for haploid genotypes if different. */
static const struct gt_metric metrics[] = {
    {"euclidean", "sqrt(sum (x - y)^2)", "scipy", WEIGHTS | SUM, BOTH_BY(root, GT_COUNT_SQUARE)},
    {"sqeuclidean", "sum (x - y)^2", "scipy", WEIGHTS | SUM, BOTH_BY(sum, GT_COUNT_SQUARE)},
    {"seuclidean", "sqrt(sum (x - y)^2 / v), where v is the variance of a column", "scipy", SUM | GT_METRIC_STANDARD,
     ARRAYS_BY(root, GT_COUNT_SQUARE)},
    {"mahalanobis", "sqrt((x - y)' V^-1 (x - y)), where V is the covariance of the columns", "scipy",
     GT_METRIC_COMPLETE | GT_METRIC_MAHALANOBIS, ARRAYS_BY(root, GT_COUNT_SQUARE)},
    {"cityblock", "sum |x - y|", "scipy", WEIGHTS | SUM, BOTH_BY(sum, GT_COUNT_ABS)},
    {"minkowski", "(sum |x - y|^p)^(1/p)", "scipy", WEIGHTS | SUM | GT_METRIC_POWER, BY(minkowski, DIFFERENCES), BY(powers, GT_COUNT_POWER),
     NONE},
    {"chebyshev", "max |x - y|", "scipy", WEIGHTS, BY(chebyshev, DIFFERENCES), BY(sum, GT_COUNT_MAX), NONE},
    {"canberra", "sum |x - y| / (|x| + |y|)", "scipy", WEIGHTS | SUM, BY(canberra, GT_COUNT_CANBERRA3), BY(sum, GT_COUNT_CANBERRA), NONE},
    {"braycurtis", "sum |x - y| / sum |x + y|", "scipy", WEIGHTS, BOTH_BY(ratio, GT_COUNT_ABS, GT_COUNT_TOTAL)},
    {"cosine", "1 - sum x y / sqrt(sum x^2 sum y^2)", "scipy", WEIGHTS | GT_METRIC_UNIT,
     BOTH_BY(cosine, GT_COUNT_SQUARE, GT_COUNT_XX, GT_COUNT_YY)},
    {"correlation", "1 - correlation of x and y", "scipy", WEIGHTS | GT_METRIC_CENTRED | GT_METRIC_UNIT, BY(correlation, PRODUCTS),
     BY(centred, PRODUCTS), NONE},
    {"hamming", "proportion of variants with x != y", "scipy", WEIGHTS, BOTH_BY(proportion, GT_COUNT_DIFFER)},
    {"jaccard", "d / (b + d)", "scipy 1.17", WEIGHTS, BOTH_BY(jaccard, ZEROS)},
    {"jensenshannon", "sqrt((sum p log(p / m) + sum q log(q / m)) / 2), where p = x / sum x, q = y / sum y, m = (p + q) / 2", "scipy",
     GT_METRIC_SHARES | GT_METRIC_COMPLETE, ARRAYS_BY(shannon, GT_COUNT_SHANNON)},
    {"dice", "d / (2b + d)", "scipy", WEIGHTS, BOTH_BY(dice, ZEROS)},
    {"kulczynski1", "b / d", "scipy", WEIGHTS | SIMILARITY, BOTH_BY(kulczynski1, ZEROS)},
    {"kulsinski", "(d - b + n) / (d + n)", "scipy before 1.11", WEIGHTS, BOTH_BY(kulsinski, ZEROS)},
    {"rogerstanimoto", "2d / (n + d)", "scipy", WEIGHTS, BOTH_BY(rogers_tanimoto, ZEROS)},
    {"russellrao", "(n - b) / n", "scipy", WEIGHTS, BOTH_BY(russell_rao, ZEROS)},
    {"sokalmichener", "2d / (n + d)", "scipy", WEIGHTS, BOTH_BY(rogers_tanimoto, ZEROS)},
    {"sokalsneath", "2d / (b + 2d)", "scipy", WEIGHTS, BOTH_BY(sokal_sneath, ZEROS)},
    {"yule", "2st / (bz + st)", "scipy", WEIGHTS, BOTH_BY(yule, GT_COUNT_BOTH, GT_COUNT_ONLY_X, GT_COUNT_ONLY_Y)},
    {"mismatches", "sum |x - y|, the number of differing alleles", "gt-utils", SUM, GENOTYPES_BY(sum, GT_COUNT_MISMATCHES)},
    {"allele-count", "sum |x - y|", "PLINK 1.9 --distance allele-ct", PLINK | SUM, GENOTYPES_BY(sum, GT_COUNT_ABS)},
    {"1-ibs", "sum |x - y| / 2n", "PLINK 1.9 --distance 1-ibs", PLINK, BY(half_share, GT_COUNT_ABS), HAPLOID_BY(proportion, GT_COUNT_ABS)},
    {"ibs", "1 - sum |x - y| / 2n", "PLINK 1.9 --distance ibs", PLINK | SIMILARITY, BY(less_half_share, GT_COUNT_ABS),
     HAPLOID_BY(less_share, GT_COUNT_ABS)},
    {"ibs-prob", "mean probability that two alleles, one drawn at random from each sample, are identical", "sgkit identity_by_state",
     SIMILARITY, BY(quarter_share, GT_COUNT_SHARED), HAPLOID_BY(less_share, GT_COUNT_MISMATCHES)},
    {"ibs0", "proportion of variants with |x - y| = 2", "KING, PLINK 2 --make-king-table", PLINK, BY(proportion, GT_COUNT_OPPOSITE),
     HAPLOID_BY(proportion, GT_COUNT_DIFFER)},
    {"king", "1/2 - sum (x - y)^2 / (4 min(hx, hy)), where hx and hy count the heterozygous genotypes of x and y",
     "KING-robust, PLINK 2 --make-king", PLINK | SIMILARITY | GT_METRIC_DIPLOID,
     GENOTYPES_BY(king, GT_COUNT_SQUARE, GT_COUNT_HET_X, GT_COUNT_HET_Y)},
    {"grm", "mean of (x - 2f)(y - 2f) / (2f(1 - f))", "GCTA, PLINK 2 --make-rel", KINSHIP, GENOTYPES_BY(proportion, GT_COUNT_RELATED)},
    {"grm-vanraden", "sum (x - 2f)(y - 2f) / sum 2f(1 - f)", "VanRaden 2008, method 1", KINSHIP,
     GENOTYPES_BY(ratio, GT_COUNT_RELATED_PLAIN, GT_COUNT_VARIANCE)},
    {"weir-goudet", "(s - m) / (1 - m), where s is ibs-prob and m is its mean over all pairs",
     "Weir and Goudet 2017, sgkit Weir_Goudet_beta", PLINK | SIMILARITY | GT_METRIC_RELATIVE, BY(quarter_share, GT_COUNT_SHARED),
     HAPLOID_BY(less_share, GT_COUNT_MISMATCHES)},
};

const struct gt_metric *gt_metric_at(int k)
{
    return k < (int)(sizeof metrics / sizeof *metrics) ? &metrics[k] : NULL;
}

/* Other names, those of scipy. */
static const struct {
    const char *name, *metric;
} synonyms[] = {
    {"ch", "chebyshev"},     {"cheb", "chebyshev"},    {"cheby", "chebyshev"}, {"chebychev", "chebyshev"},  {"c", "cityblock"},
    {"cb", "cityblock"},     {"cblock", "cityblock"},  {"co", "correlation"},  {"cos", "cosine"},           {"e", "euclidean"},
    {"eu", "euclidean"},     {"euclid", "euclidean"},  {"h", "hamming"},       {"ha", "hamming"},           {"hamm", "hamming"},
    {"matching", "hamming"}, {"j", "jaccard"},         {"ja", "jaccard"},      {"jacc", "jaccard"},         {"js", "jensenshannon"},
    {"mah", "mahalanobis"},  {"mahal", "mahalanobis"}, {"m", "minkowski"},     {"mi", "minkowski"},         {"pnorm", "minkowski"},
    {"s", "seuclidean"},     {"se", "seuclidean"},     {"sqe", "sqeuclidean"}, {"sqeuclid", "sqeuclidean"},
};

const struct gt_metric *gt_metric_find(const char *name)
{
    const struct gt_metric *metric;
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++)
        if (strcmp(synonyms[k].name, name) == 0)
            name = synonyms[k].metric;
    for (int k = 0; (metric = gt_metric_at(k)); k++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

const struct gt_metric_way *gt_metric_way(const struct gt_metric_use *use)
{
    if (use->ploidy == GT_HAPLOID && !use->arrays && use->metric->haploid.values)
        return &use->metric->haploid;
    return use->arrays ? &use->metric->arrays : &use->metric->genotypes;
}

static int count_of(const struct gt_metric_way *way)
{
    int n = 0;
    while (n < GT_METRIC_COUNTS && way->counts[n])
        n++;
    return n;
}

enum gt_allele_rows gt_metric_alleles(const struct gt_metric_use *use, bool haplotypes)
{
    const enum gt_allele_rows wanted = haplotypes ? GT_ALLELES_OF_HAPLOTYPES : GT_ALLELES_OF_CALLS;
    const struct gt_metric_way *way = gt_metric_way(use);
    const bool numbers = use->metric->traits & GT_METRIC_UNIT || use->missing == GT_MISSING_PLINK || use->missing == GT_MISSING_MEAN ||
                         use->missing == GT_MISSING_LITERAL;
    bool any = false;
    for (int k = 0; k < count_of(way); k++)
        any |= gt_count_alleles(way->counts[k]) == wanted;
    return any && !numbers ? wanted : GT_ALLELES_POOLED;
}

bool gt_metric_takes_codes(const struct gt_metric_use *use)
{
    return (use->metric->traits & GT_METRIC_NUMERIC) && use->metric->genotypes.values && use->metric->arrays.values &&
           use->missing != GT_MISSING_MEAN && use->missing != GT_MISSING_PLINK;
}

/* --- missing genotypes ---------------------------------------------------------- */

const char *gt_missing_name(enum gt_missing missing)
{
    static const char *const names[] = {[GT_MISSING_RESCALE] = "rescale", [GT_MISSING_IGNORE] = "ignore", [GT_MISSING_PLINK] = "plink",
                                        [GT_MISSING_MEAN] = "mean",       [GT_MISSING_ERROR] = "error",   [GT_MISSING_LITERAL] = "literal"};
    return names[missing];
}

static bool takes_means(const struct gt_metric_way *way)
{
    bool all = true;
    for (int k = 0; k < count_of(way); k++)
        all &= gt_count_takes_means(way->counts[k]);
    return all;
}

/* PLINK's weights are what is expected of |x - y|. */
static bool is_of_differences(const struct gt_metric_way *way)
{
    return (way->counts[1] == GT_COUNT_ABS || way->counts[1] == GT_COUNT_MISMATCHES) && count_of(way) == 2;
}

int gt_metric_check_missing(const struct gt_metric_use *use, struct gt_err *err)
{
    const struct gt_metric *metric = use->metric;
    const bool numeric = metric->traits & GT_METRIC_NUMERIC, literal = use->missing == GT_MISSING_LITERAL;
    if (!literal && use->missing != GT_MISSING_MEAN && use->missing != GT_MISSING_PLINK)
        return GT_OK;
    if (use->arrays && use->missing == GT_MISSING_PLINK)
        return gt_fail(err, GT_USAGE, "--missing %s needs genotypes; this is a plain array", gt_missing_name(use->missing));
    if (use->arrays && !literal && metric->traits & GT_METRIC_COMPLETE)
        return gt_fail(err, GT_USAGE, "%s does not allow missing values: --missing mean does not apply", metric->name);
    if (use->arrays)
        return GT_OK;
    if (use->missing == GT_MISSING_PLINK && !is_of_differences(&metric->genotypes)) {
        gt_fail(err, GT_USAGE, "PLINK does not define weights for %s: --missing plink does not apply", metric->name);
        gt_hint(err, "use it with -m allele-count, 1-ibs, ibs, mismatches or cityblock");
        return GT_USAGE;
    }
    if (use->missing == GT_MISSING_PLINK && use->ploidy == GT_HAPLOID)
        return gt_fail(err, GT_USAGE, "--missing plink is for diploid data: PLINK expects differences of diploid genotypes");
    if (use->missing != GT_MISSING_PLINK && !numeric)
        return gt_fail(err, GT_USAGE, "%s compares genotypes, not numbers: --missing %s does not apply", metric->name,
                       gt_missing_name(use->missing));
    if (use->missing == GT_MISSING_MEAN && !takes_means(&metric->genotypes))
        return gt_fail(err, GT_USAGE, "%s counts whole alleles: --missing mean does not apply", metric->name);
    return GT_OK;
}

/* --- numbers of counts ------------------------------------------------------------ */

/* Genotypes are counted as they are; values of arrays were put in before. */
static bool counts_seen(const struct gt_metric_use *use)
{
    return use->missing == GT_MISSING_MEAN && !use->arrays;
}

int gt_metric_counts(const struct gt_metric_use *use, enum gt_count counts[GT_METRIC_PLANES])
{
    const struct gt_metric_way *way = gt_metric_way(use);
    int n = count_of(way);
    memcpy(counts, way->counts, (size_t)n * sizeof *counts);
    if (use->weight > 0)
        counts[n++] = GT_COUNT_WEIGHT;
    if (counts_seen(use))
        counts[n++] = GT_COUNT_SEEN;
    if (use->missing == GT_MISSING_PLINK) {
        counts[n++] = GT_COUNT_EXPECTED;
        counts[n++] = GT_COUNT_EXPECTED_OF_ALL;
    }
    return n;
}

typedef double lanes[GT_METRIC_LANES];

static void fill(double value, lanes out)
{
    for (int k = 0; k < GT_METRIC_LANES; k++)
        out[k] = value;
}

/* The same of base 2 logarithms, where 0 is that of nothing. */
static void rescale_logs(const double *sum, const double *known, const double *all, double *restrict out)
{
    for (int k = 0; k < GT_METRIC_LANES; k++)
        out[k] = sum[k] == 0 ? 0 : sum[k] + log2(all[k] / known[k]);
}

/* In PLINK 1.9's order, whose bits it gives. */
static void rescale(const double *sum, const double *known, const double *all, double *restrict out)
{
    for (int k = 0; k < GT_METRIC_LANES; k++)
        out[k] = sum[k] * (all[k] / known[k]);
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
    const int n = count_of(way);
    const bool sums = use->metric->traits & GT_METRIC_SUM, plink = use->missing == GT_MISSING_PLINK;
    const double *c[GT_METRIC_COUNTS] = {planes[use->weight > 0 || counts_seen(use) ? n : 0]}, *known = planes[0];
    lanes scaled[GT_METRIC_COUNTS], all;
    if (plink || use->missing == GT_MISSING_RESCALE)
        fill(use->weight > 0 ? use->weight : sites, all);
    if (counts_seen(use))
        known = c[0];
    if (plink)
        c[0] = all;
    for (int k = 1; k < n; k++) {
        c[k] = planes[k];
        if (plink)
            rescale(planes[k], planes[n], planes[n + 1], scaled[k]);
        else if (sums && use->missing == GT_MISSING_RESCALE && way->counts[k] == GT_COUNT_POWER && gt_power_is_log(use->p))
            rescale_logs(planes[k], c[0], all, scaled[k]);
        else if (sums && use->missing == GT_MISSING_RESCALE)
            rescale(planes[k], c[0], all, scaled[k]);
        else
            continue;
        c[k] = scaled[k];
    }
    if (use->table)
        gt_metric_table_values(use->table, planes, sums && use->missing == GT_MISSING_RESCALE ? sites : 0, value);
    else
        way->values(c, use->p, value);
    for (int k = 0; k < GT_METRIC_LANES && use->metric->traits & GT_METRIC_RELATIVE; k++)
        value[k] = (value[k] - use->mean) / (1 - use->mean);
    if (any_zero(known) && !(sums && use->missing == GT_MISSING_IGNORE))
        no_data(known, value);
}

void gt_metric_values(const struct gt_metric_use *use, const double *const planes[], double sites, int64_t n, double *out)
{
    enum gt_count counted[GT_METRIC_PLANES];
    const double *at[GT_METRIC_PLANES] = {NULL};
    lanes rest[GT_METRIC_PLANES] = {{0}}, value;
    const int counts = gt_metric_counts(use, counted);
    for (int64_t from = 0; from < n; from += GT_METRIC_LANES) {
        int64_t some = n - from < GT_METRIC_LANES ? n - from : GT_METRIC_LANES;
        for (int k = 0; k < counts; k++) {
            at[k] = planes[k] + from;
            if (some < GT_METRIC_LANES)
                at[k] = memcpy(rest[k], at[k], (size_t)some * sizeof *value);
        }
        values_at(use, at, sites, value);
        memcpy(out + from, value, (size_t)some * sizeof *value);
    }
}
