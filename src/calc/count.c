#include "calc/count.h"

#include "calc/terms.h"

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
static int both(int x, int y)
{
    return x && y;
}
static int only_x(int x, int y)
{
    return x && !y;
}
static int only_y(int x, int y)
{
    return y && !x;
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

/* of: of genotypes, NULL where there is none. */
static const struct {
    const char *name;
    int (*of)(int x, int y);
    enum gt_float_term term; /* of plain arrays; N where there is none */
    gt_site_terms *terms;    /* and of genotypes, where the site says it */
    bool products;
} counts[GT_COUNTS] = {
    [GT_COUNT_N] = {.name = "n", .of = one, .term = GT_FLOAT_N},
    [GT_COUNT_ABS] = {.name = "abs", .of = distance, .term = GT_FLOAT_ABS},
    [GT_COUNT_SQUARE] = {.name = "square", .of = square, .term = GT_FLOAT_SQUARE},
    [GT_COUNT_X] = {.name = "x", .of = of_x, .term = GT_FLOAT_X},
    [GT_COUNT_Y] = {.name = "y", .of = of_y, .term = GT_FLOAT_Y},
    [GT_COUNT_XX] = {.name = "xx", .of = xx, .term = GT_FLOAT_XX},
    [GT_COUNT_YY] = {.name = "yy", .of = yy, .term = GT_FLOAT_YY},
    [GT_COUNT_XY] = {.name = "xy", .of = xy, .term = GT_FLOAT_XY},
    [GT_COUNT_DIFFER] = {.name = "differ", .of = differ, .term = GT_FLOAT_DIFFER},
    [GT_COUNT_NONZERO] = {.name = "nonzero", .of = nonzero, .term = GT_FLOAT_NONZERO},
    [GT_COUNT_BOTH] = {.name = "both", .of = both, .term = GT_FLOAT_BOTH},
    [GT_COUNT_ONLY_X] = {.name = "only_x", .of = only_x, .term = GT_FLOAT_ONLY_X},
    [GT_COUNT_ONLY_Y] = {.name = "only_y", .of = only_y, .term = GT_FLOAT_ONLY_Y},
    [GT_COUNT_TOTAL] = {.name = "total", .of = total, .term = GT_FLOAT_TOTAL},
    [GT_COUNT_OPPOSITE] = {.name = "ibs0", .of = opposite},
    [GT_COUNT_OVER_ONE] = {.name = "over1", .of = over_one},
    [GT_COUNT_OVER_TWO] = {.name = "over2", .of = over_two},
    [GT_COUNT_CANBERRA3] = {.name = "canberra3", .of = canberra3},
    [GT_COUNT_HET_X] = {.name = "het_x", .of = het_x},
    [GT_COUNT_HET_Y] = {.name = "het_y", .of = het_y},
    [GT_COUNT_HET_BOTH] = {.name = "hethet", .of = het_both},
    [GT_COUNT_SAME] = {.name = "same", .of = same},
    [GT_COUNT_RELATED] = {.name = "related", .terms = gt_terms_related, .products = true},
    [GT_COUNT_RELATED_PLAIN] = {.name = "related_plain", .terms = gt_terms_related_plain, .products = true},
    [GT_COUNT_VARIANCE] = {.name = "variance", .terms = gt_terms_variance},
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

struct gt_plane gt_count_plane(enum gt_count count, bool literal)
{
    static const int values[4] = {0, 1, 2, -1}; /* by code */
    struct gt_plane plane = {.name = counts[count].name,
                             .term = counts[count].term,
                             .unweighted = count == GT_COUNT_N,
                             .terms = counts[count].terms,
                             .products = counts[count].products};
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            plane.f[x][y] = counts[count].of && (literal || (x < 3 && y < 3)) ? (int8_t)counts[count].of(values[x], values[y]) : 0;
    return plane;
}
