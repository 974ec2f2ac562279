#include "calc/terms.h"

#include <math.h>

#define UNITS(x) llround((x) / GT_SITE_UNIT)

/* w (x - m)(y - m) where c = 1 - m: from heterozygotes on, that is w (x - 1)(y - 1) +
 * w c (x - 1 + y - 1) + w c c. */
static void centred(double w, double c, int64_t add[4][4])
{
    const int64_t product = UNITS(w), one = UNITS(w * c), both = UNITS(w * c * c);
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            add[x][y] = product * (x - 1) * (y - 1) + one * (x + y - 2) + both;
}

/* Of the known calls, and of their alleles that are not the reference. */
static bool varies(const int64_t n[4], double *known, double *alt)
{
    *known = (double)(n[0] + n[1] + n[2]);
    *alt = (double)(n[1] + 2 * n[2]);
    return *alt > 0 && *alt < 2 * *known;
}

void gt_terms_related(const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (varies(n, &known, &alt))
        centred(2 * known * known / (alt * (2 * known - alt)), (known - alt) / known, add);
}

void gt_terms_related_plain(const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (varies(n, &known, &alt))
        centred(1, (known - alt) / known, add);
}

void gt_terms_variance(const int64_t n[4], int64_t add[4][4])
{
    double known, alt;
    if (!varies(n, &known, &alt))
        return;
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            add[x][y] = UNITS(alt * (2 * known - alt) / (2 * known * known));
}
