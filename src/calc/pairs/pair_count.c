#include "calc/pairs/pair_count.h"

#include <math.h>

#include "calc/pairs/site_weights.h"

static double one(double x, double y)
{
    (void)x, (void)y;
    return 1;
}
static double distance(double x, double y)
{
    return fabs(x - y);
}
static double square(double x, double y)
{
    return (x - y) * (x - y);
}
static double of_x(double x, double y)
{
    (void)y;
    return x;
}
static double of_y(double x, double y)
{
    (void)x;
    return y;
}
static double xx(double x, double y)
{
    (void)y;
    return x * x;
}
static double yy(double x, double y)
{
    (void)x;
    return y * y;
}
static double xy(double x, double y)
{
    return x * y;
}
static double differ(double x, double y)
{
    return x != y;
}
static double opposite(double x, double y)
{
    return fabs(x - y) == 2;
}
static double over_one(double x, double y)
{
    return fabs(x - y) > 1;
}
static double over_two(double x, double y)
{
    return fabs(x - y) > 2;
}
static double nonzero(double x, double y)
{
    return x != 0 || y != 0;
}
static double both(double x, double y)
{
    return x != 0 && y != 0;
}
static double only_x(double x, double y)
{
    return x != 0 && y == 0;
}
static double only_y(double x, double y)
{
    return y != 0 && x == 0;
}
static double total(double x, double y)
{
    return fabs(x + y);
}
static double canberra3(double x, double y) /* whole for all of -1, 0, 1, 2 */
{
    return x == y ? 0 : 3 * fabs(x - y) / (fabs(x) + fabs(y));
}
static double het_x(double x, double y)
{
    (void)y;
    return x == 1;
}
static double het_y(double x, double y)
{
    (void)x;
    return y == 1;
}
static double het_both(double x, double y)
{
    return x == 1 && y == 1;
}
static double shared(double x, double y)
{
    return x * y + (2 - x) * (2 - y);
}
/* Summed over all alleles of a site 2 x y - 8: twice what is shared, less that of two homozygotes of REF, which stand in the place
 * of the site's codes. */
static double shared_of_allele(double x, double y)
{
    return 2 * (x * y - x - y);
}

static double three_distances(double x, double y)
{
    return 3 * fabs(x - y);
}

#define ALLELES_OF_HAPLOTYPES(f) .alleles = GT_ALLELES_OF_HAPLOTYPES, .of_allele = f

/* of: of genotypes, NULL where there is none. */
static const struct {
    const char *name;
    double (*of)(double x, double y);         /* whole numbers of whole ones */
    enum { OF_CALLS, ADDED, TOGETHER } means; /* of numbers between too: a sum of one of x and one of y; no such sum */
    enum gt_float_term term;                  /* of plain arrays; N where there is none */
    gt_site_weights *terms;                   /* and of genotypes, where the site says it */
    enum gt_site_weights_reach reach;         /* of those */
    enum gt_allele_rows alleles;
    double (*of_allele)(double x, double y); /* in rows of those, in halves: rows of all alleles add up to whole numbers */
} counts[GT_COUNTS] = {
    [GT_COUNT_N] = {.name = "n", .of = one, .term = GT_FLOAT_N},
    [GT_COUNT_ABS] = {.name = "abs", .of = distance, .means = TOGETHER, .term = GT_FLOAT_ABS, ALLELES_OF_HAPLOTYPES(distance)},
    [GT_COUNT_SQUARE] = {.name = "square", .of = square, .means = TOGETHER, .term = GT_FLOAT_SQUARE, ALLELES_OF_HAPLOTYPES(distance)},
    [GT_COUNT_X] = {.name = "x", .of = of_x, .means = ADDED, .term = GT_FLOAT_X},
    [GT_COUNT_Y] = {.name = "y", .of = of_y, .means = ADDED, .term = GT_FLOAT_Y},
    [GT_COUNT_XX] = {.name = "xx", .of = xx, .means = ADDED, .term = GT_FLOAT_XX},
    [GT_COUNT_YY] = {.name = "yy", .of = yy, .means = ADDED, .term = GT_FLOAT_YY},
    [GT_COUNT_XY] = {.name = "xy", .of = xy, .means = TOGETHER, .term = GT_FLOAT_XY},
    [GT_COUNT_DIFFER] = {.name = "differ", .of = differ, .means = TOGETHER, .term = GT_FLOAT_DIFFER, ALLELES_OF_HAPLOTYPES(distance)},
    [GT_COUNT_NONZERO] = {.name = "nonzero", .of = nonzero, .means = TOGETHER, .term = GT_FLOAT_NONZERO},
    [GT_COUNT_BOTH] = {.name = "both", .of = both, .means = TOGETHER, .term = GT_FLOAT_BOTH},
    [GT_COUNT_ONLY_X] = {.name = "only_x", .of = only_x, .means = TOGETHER, .term = GT_FLOAT_ONLY_X},
    [GT_COUNT_ONLY_Y] = {.name = "only_y", .of = only_y, .means = TOGETHER, .term = GT_FLOAT_ONLY_Y},
    [GT_COUNT_TOTAL] = {.name = "total", .of = total, .means = ADDED, .term = GT_FLOAT_TOTAL},
    [GT_COUNT_OPPOSITE] = {.name = "ibs0", .of = opposite},
    [GT_COUNT_OVER_ONE] = {.name = "over1", .of = over_one},
    [GT_COUNT_OVER_TWO] = {.name = "over2", .of = over_two},
    [GT_COUNT_CANBERRA3] = {.name = "canberra3", .of = canberra3, .means = TOGETHER, ALLELES_OF_HAPLOTYPES(three_distances)},
    [GT_COUNT_HET_X] = {.name = "het_x", .of = het_x},
    [GT_COUNT_HET_Y] = {.name = "het_y", .of = het_y},
    [GT_COUNT_HET_BOTH] = {.name = "hethet", .of = het_both},
    [GT_COUNT_MISMATCHES] = {.name = "mismatches", .of = distance, .alleles = GT_ALLELES_OF_CALLS, .of_allele = distance},
    [GT_COUNT_SHARED] = {.name = "shared", .of = shared, .alleles = GT_ALLELES_OF_CALLS, .of_allele = shared_of_allele},
    [GT_COUNT_RELATED] = {.name = "related", .terms = gt_site_weights_related, .reach = GT_SITE_WEIGHTS_PRODUCTS},
    [GT_COUNT_RELATED_PLAIN] = {.name = "related_plain", .terms = gt_site_weights_related_plain, .reach = GT_SITE_WEIGHTS_PRODUCTS},
    [GT_COUNT_RELATED_STANDARD] = {.name = "related_standard",
                                   .terms = gt_site_weights_related_standard,
                                   .reach = GT_SITE_WEIGHTS_PRODUCTS},
    [GT_COUNT_VARIANCE] = {.name = "variance", .terms = gt_site_weights_variance, .reach = GT_SITE_WEIGHTS_MISSING},
    [GT_COUNT_EXPECTED] = {.name = "expected", .terms = gt_site_weights_expected, .reach = GT_SITE_WEIGHTS_MISSING},
    [GT_COUNT_EXPECTED_OF_ALL] = {.name = "expected_of_all", .terms = gt_site_weights_expected_of_all},
    [GT_COUNT_SEEN] = {.name = "seen", .terms = gt_site_weights_seen},
    [GT_COUNT_MAX] = {.name = "max", .term = GT_FLOAT_MAX},
    [GT_COUNT_POWER] = {.name = "power", .term = GT_FLOAT_POWER},
    [GT_COUNT_CANBERRA] = {.name = "canberra", .term = GT_FLOAT_CANBERRA},
    [GT_COUNT_WEIGHT] = {.name = "weight", .term = GT_FLOAT_N},
    [GT_COUNT_SHANNON] = {.name = "shannon", .term = GT_FLOAT_SHANNON},
};

const char *gt_count_name(enum gt_count count)
{
    return counts[count].name;
}

enum gt_allele_rows gt_count_alleles(enum gt_count count)
{
    return counts[count].alleles;
}

bool gt_count_takes_means(enum gt_count count)
{
    return count == GT_COUNT_N || counts[count].means != OF_CALLS;
}

static bool is_sided(int8_t f[4][4])
{
    bool sided = false;
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            sided |= f[x][y] != f[y][x];
    return sided;
}

struct gt_plane gt_count_plane(enum gt_count count, enum gt_missing missing)
{
    const bool means = missing == GT_MISSING_MEAN && counts[count].means != OF_CALLS, all = means || missing == GT_MISSING_LITERAL;
    const double values[4] = {0, 1, 2, means ? 0 : -1}; /* by code */
    struct gt_plane plane = {.name = counts[count].name,
                             .term = counts[count].term,
                             .unweighted = count == GT_COUNT_N,
                             .terms = counts[count].terms,
                             .reach = counts[count].reach};
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            plane.f[x][y] = counts[count].of && (all || (x < 3 && y < 3)) ? (int8_t)counts[count].of(values[x], values[y]) : 0;
    for (int x = 0; x < 3 && counts[count].of_allele; x++)
        for (int y = 0; y < 3; y++)
            plane.of_alleles[x][y] = (int8_t)counts[count].of_allele(values[x], values[y]);
    if (means) {
        plane.of = counts[count].of;
        plane.terms = gt_site_weights_mean;
        plane.reach = counts[count].means == ADDED ? GT_SITE_WEIGHTS_ALONE : GT_SITE_WEIGHTS_MISSING;
        plane.sided = is_sided(plane.f);
    }
    return plane;
}
