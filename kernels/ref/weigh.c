/* Weighted pairs over the panels of ref/pair.c, codes[site][GT_PANEL], and tables by site. */
#include "kernels/impl.h"

static int64_t dot(int x, int y)
{
    return x == 3 || y == 3 ? 0 : (x - 1) * (y - 1);
}

/* The weighted sum of one pair, whose codes stand GT_PANEL bytes apart. */
static int64_t weigh(int64_t n_sites, const uint8_t *weights, const uint8_t *x, const uint8_t *y)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < n_sites; k++)
        sum += weights[k / GT_WEIGHT_SITES] * dot(x[k * GT_PANEL], y[k * GT_PANEL]);
    return sum;
}

void gt_weigh_tile_ref(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b, int64_t *sums)
{
    for (int64_t p = 0; p < n_b; p++, b += gt_pair_bytes_ref(n_sites), sums += GT_PANEL * GT_PANEL)
        for (int k = 0; k < GT_PANEL * GT_PANEL; k++) {
            uint64_t more = (uint64_t)weigh(n_sites, weights, a + k / GT_PANEL, b + k % GT_PANEL) << shift;
            sums[k] = (int64_t)((uint64_t)sums[k] + more);
        }
}

void gt_look_up_ref(const uint64_t *codes, const int64_t (*table)[4], const uint16_t *list, int64_t n, int64_t sums[GT_PANEL])
{
    for (int64_t k = 0; k < n; k++) {
        int64_t s = list ? list[k] : k;
        for (int j = 0; j < GT_PANEL; j++)
            sums[j] = (int64_t)((uint64_t)sums[j] + (uint64_t)table[s][codes[s] >> 2 * j & 3]);
    }
}
