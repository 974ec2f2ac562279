#include "calc/pairs/site_weights.h"

#include <math.h>

#define UNITS(x) llround((x) / GT_SITE_UNIT)

/* The first `codes` of them. */
static void same(int64_t value, int codes, int64_t add[4][4])
{
    for (int x = 0; x < codes; x++)
        for (int y = 0; y < codes; y++)
            add[x][y] = value;
}

/* w (x - m)(y - m) where c = 1 - m: from code 1 on, that is w (x - 1)(y - 1) +
 * w c (x - 1 + y - 1) + w c c. */
static void centred(double w, double c, int64_t add[4][4])
{
    const int64_t product = UNITS(w), one = UNITS(w * c), both = UNITS(w * c * c);
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            add[x][y] = product * (x - 1) * (y - 1) + one * (x + y - 2) + both;
}

/* Of the non-missing calls, and of their alleles that are not the reference. */
static bool varies(const struct gt_plane *plane, const int64_t n[4], double *known, double *alt)
{
    *known = (double)(n[0] + n[1] + n[2]);
    *alt = (double)(n[1] + 2 * n[2]);
    return *alt > 0 && *alt < plane->ploidy * *known;
}

void gt_site_weights_related(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (varies(plane, n, &known, &alt))
        centred(plane->ploidy * known * known / (alt * (plane->ploidy * known - alt)), (known - alt) / known, add);
}

void gt_site_weights_related_plain(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (varies(plane, n, &known, &alt))
        centred(1, (known - alt) / known, add);
}

void gt_site_weights_related_standard(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (!varies(plane, n, &known, &alt))
        return;
    const double variance = (known * (double)(n[1] + 4 * n[2]) - alt * alt) / (known * known);
    if (n[0] + n[2] > 0) /* else all are heterozygous */
        centred(1 / variance, (known - alt) / known, add);
}

void gt_site_weights_variance(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (!varies(plane, n, &known, &alt))
        return;
    same(UNITS(alt * (plane->ploidy * known - alt) / (plane->ploidy * known * known)), 3, add);
}

/* PLINK takes 1/2 for a frequency where no call is known, and 1 for the weight where all are the same. */
static int64_t expected(const struct gt_plane *plane, const int64_t n[4])
{
    double known, alt;
    if (!varies(plane, n, &known, &alt) && known > 0)
        return UNITS(1);
    const double p = known > 0 ? alt / (2 * known) : 0.5;
    return UNITS(p * (1 - p) * (p * p - p + 1));
}

void gt_site_weights_expected(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    same(expected(plane, n), 3, add);
}

void gt_site_weights_expected_of_all(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    same(expected(plane, n), 4, add);
}

void gt_site_weights_seen(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    (void)plane;
    same(n[0] + n[1] + n[2] ? UNITS(1) : 0, 4, add);
}

void gt_site_weights_mean(const struct gt_plane *plane, const int64_t n[4], int64_t add[4][4])
{
    const double known = (double)(n[0] + n[1] + n[2]), mean = (double)(n[1] + 2 * n[2]) / known, value[] = {0, 1, 2, mean};
    for (int x = 0; x < 4 && known > 0; x++)
        for (int y = 0; y < 4; y++)
            add[x][y] = x < 3 && y < 3 ? 0 : UNITS(plane->of(value[x], value[y]) - plane->f[x][y]);
}
