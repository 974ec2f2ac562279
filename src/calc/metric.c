#include "calc/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- counts ------------------------------------------------------------------- */

static int absolute(int x)
{
    return x < 0 ? -x : x;
}

static int one(int x, int y)
{
    (void)x, (void)y;
    return 1;
}
static int distance(int x, int y)
{
    return absolute(x - y);
}
static int square(int x, int y)
{
    return (x - y) * (x - y);
}
static int of_x(int x, int y)
{
    (void)y;
    return x;
}
static int of_y(int x, int y)
{
    (void)x;
    return y;
}
static int xx(int x, int y)
{
    (void)y;
    return x * x;
}
static int yy(int x, int y)
{
    (void)x;
    return y * y;
}
static int xy(int x, int y)
{
    return x * y;
}
static int differ(int x, int y)
{
    return x != y;
}
static int opposite(int x, int y)
{
    return absolute(x - y) == 2;
}
static int over_one(int x, int y)
{
    return absolute(x - y) > 1;
}
static int over_two(int x, int y)
{
    return absolute(x - y) > 2;
}
static int nonzero(int x, int y)
{
    return x || y;
}
static int total(int x, int y)
{
    return absolute(x + y);
}
static int canberra3(int x, int y) /* whole for all of -1, 0, 1, 2 */
{
    return x == y ? 0 : 3 * absolute(x - y) / (absolute(x) + absolute(y));
}
static int het_x(int x, int y)
{
    (void)y;
    return x == 1;
}
static int het_y(int x, int y)
{
    (void)x;
    return y == 1;
}
static int het_both(int x, int y)
{
    return x == 1 && y == 1;
}
static int same(int x, int y)
{
    return (x * y + (2 - x) * (2 - y)) / 2;
}

static const struct {
    const char *name;
    int (*of)(int x, int y);
    enum gt_term term;
} counts[GT_COUNTS] = {
    [GT_COUNT_N] = {"n", one, GT_TERM_ONE},
    [GT_COUNT_ABS] = {"abs", distance, GT_TERM_ABS},
    [GT_COUNT_SQUARE] = {"square", square, GT_TERM_SQUARE},
    [GT_COUNT_X] = {.name = "x", .of = of_x},
    [GT_COUNT_Y] = {.name = "y", .of = of_y},
    [GT_COUNT_XX] = {.name = "xx", .of = xx},
    [GT_COUNT_YY] = {.name = "yy", .of = yy},
    [GT_COUNT_XY] = {.name = "xy", .of = xy},
    [GT_COUNT_DIFFER] = {.name = "differ", .of = differ},
    [GT_COUNT_OPPOSITE] = {.name = "ibs0", .of = opposite},
    [GT_COUNT_OVER_ONE] = {.name = "over1", .of = over_one},
    [GT_COUNT_OVER_TWO] = {.name = "over2", .of = over_two},
    [GT_COUNT_NONZERO] = {.name = "nonzero", .of = nonzero},
    [GT_COUNT_TOTAL] = {.name = "total", .of = total},
    [GT_COUNT_CANBERRA] = {.name = "canberra3", .of = canberra3},
    [GT_COUNT_HET_X] = {.name = "het_x", .of = het_x},
    [GT_COUNT_HET_Y] = {.name = "het_y", .of = het_y},
    [GT_COUNT_HET_BOTH] = {.name = "hethet", .of = het_both},
    [GT_COUNT_SAME] = {.name = "same", .of = same},
};

const char *gt_count_name(enum gt_count count)
{
    return counts[count].name;
}

struct gt_plane gt_count_plane(enum gt_count count, bool literal)
{
    static const int values[4] = {0, 1, 2, -1}; /* by code */
    struct gt_plane plane = {.name = counts[count].name, .term = counts[count].term};
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            plane.f[x][y] = literal || (x < 3 && y < 3) ? (int8_t)counts[count].of(values[x], values[y]) : 0;
    return plane;
}

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

#define ANY (GT_METRIC_NUMERIC | GT_METRIC_ARRAYS)
#define NUMERIC GT_METRIC_NUMERIC
#define SUM GT_METRIC_SUM
#define PLINK GT_METRIC_AUTOSOMAL
#define COUNTS(...)                                                                                                                        \
    {                                                                                                                                      \
        GT_COUNT_N, __VA_ARGS__                                                                                                            \
    }

static const struct gt_metric metrics[] = {
    {"euclidean", "sqrt(sum (x - y)^2)", "scipy", ANY | SUM, COUNTS(GT_COUNT_SQUARE), root},
    {"sqeuclidean", "sum (x - y)^2", "scipy", ANY | SUM, COUNTS(GT_COUNT_SQUARE), sum},
    {"cityblock", "sum |x - y|", "scipy", ANY | SUM, COUNTS(GT_COUNT_ABS), sum},
    {"minkowski", "(sum |x - y|^p)^(1/p)", "scipy", NUMERIC | SUM | GT_METRIC_POWER,
     COUNTS(GT_COUNT_DIFFER, GT_COUNT_OVER_ONE, GT_COUNT_OVER_TWO), minkowski},
    {"chebyshev", "max |x - y|", "scipy", NUMERIC, COUNTS(GT_COUNT_DIFFER, GT_COUNT_OVER_ONE, GT_COUNT_OVER_TWO), chebyshev},
    {"canberra", "sum |x - y| / (|x| + |y|)", "scipy", NUMERIC | SUM, COUNTS(GT_COUNT_CANBERRA), canberra},
    {"braycurtis", "sum |x - y| / sum |x + y|", "scipy", NUMERIC, COUNTS(GT_COUNT_ABS, GT_COUNT_TOTAL), ratio},
    {"cosine", "1 - sum x y / sqrt(sum x^2 sum y^2)", "scipy", NUMERIC, COUNTS(GT_COUNT_XY, GT_COUNT_XX, GT_COUNT_YY), cosine},
    {"correlation", "1 - the correlation of x and y", "scipy", NUMERIC,
     COUNTS(GT_COUNT_X, GT_COUNT_Y, GT_COUNT_XX, GT_COUNT_YY, GT_COUNT_XY), correlation},
    {"hamming", "the share of sites with x != y", "scipy", NUMERIC, COUNTS(GT_COUNT_DIFFER), share},
    {"jaccard", "sites with x != y / sites with x or y not 0", "scipy", NUMERIC, COUNTS(GT_COUNT_DIFFER, GT_COUNT_NONZERO), of_those},
    {"mismatches", "the number of alleles that differ, sum |x - y|", "gt-utils", SUM, COUNTS(GT_COUNT_ABS), sum},
    {"allele-count", "sum |x - y|", "PLINK 1.9 --distance allele-ct", PLINK | SUM, COUNTS(GT_COUNT_ABS), sum},
    {"1-ibs", "sum |x - y| / 2n", "PLINK 1.9 --distance 1-ibs", PLINK, COUNTS(GT_COUNT_ABS), half_share},
    {"ibs", "1 - sum |x - y| / 2n", "PLINK 1.9 --distance ibs", PLINK, COUNTS(GT_COUNT_ABS), less_half_share},
    {"ibs-prob", "the mean probability that one allele of each, drawn at random, are the same", "sgkit identity_by_state", 0,
     COUNTS(GT_COUNT_SAME), half_share},
    {"ibs0", "the share of sites with |x - y| = 2", "KING, PLINK 2 --make-king-table", PLINK, COUNTS(GT_COUNT_OPPOSITE), share},
    {"king", "1/2 - sum (x - y)^2 / 4 min(hx, hy), with hx and hy the numbers of heterozygotes", "KING-robust, PLINK 2 --make-king", PLINK,
     COUNTS(GT_COUNT_SQUARE, GT_COUNT_HET_X, GT_COUNT_HET_Y), king},
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
    const struct gt_metric *metric = use->metric;
    const bool sums = metric->traits & GT_METRIC_SUM;
    const double *c[GT_METRIC_COUNTS] = {planes[0]};
    lanes scaled[GT_METRIC_COUNTS];
    for (int k = 1; k < GT_METRIC_COUNTS && metric->counts[k]; k++) {
        c[k] = planes[k];
        if (sums && use->missing == GT_MISSING_RESCALE) {
            rescale(planes[k], planes[0], sites, scaled[k]);
            c[k] = scaled[k];
        }
    }
    metric->values(c, use->p, value);
    if (any_zero(c[0]) && !(sums && use->missing == GT_MISSING_IGNORE))
        no_data(c[0], value);
}

void gt_metric_values(const struct gt_metric_use *use, const double *const planes[], double sites, int64_t n, double *out)
{
    const double *at[GT_METRIC_COUNTS] = {NULL};
    lanes rest[GT_METRIC_COUNTS] = {{0}}, value;
    for (int64_t from = 0; from < n; from += GT_METRIC_LANES) {
        int64_t some = n - from < GT_METRIC_LANES ? n - from : GT_METRIC_LANES;
        for (int k = 0; k < GT_METRIC_COUNTS && use->metric->counts[k]; k++) {
            at[k] = planes[k] + from;
            if (some < GT_METRIC_LANES)
                at[k] = memcpy(rest[k], at[k], (size_t)some * sizeof *value);
        }
        values_at(use, at, sites, value);
        memcpy(out + from, value, (size_t)some * sizeof *value);
    }
}
