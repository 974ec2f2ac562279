/* Weighted pairs over the panels of ref/pair.c, codes[site][GT_PANEL], and tables by site. */
#include "kernels/impl.h"

static const int8_t dot[4][4] = {[0] = {1, 0, -1, 0}, [2] = {-1, 0, 1, 0}};

/* One sample against a panel. */
static void weigh(int64_t n_sites, const uint8_t *weights, const uint8_t *x, const uint8_t *y, int32_t sums[GT_PANEL])
{
    for (int64_t k = 0; k < n_sites; k++, x += GT_PANEL, y += GT_PANEL) {
        const int8_t *value = dot[*x];
        for (int j = 0; j < GT_PANEL; j++)
            sums[j] += weights[k / GT_WEIGHT_SITES] * value[y[j]];
    }
}

void gt_weigh_tile_ref(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b, int64_t *sums)
{
    for (int64_t p = 0; p < n_b; p++, b += gt_pair_bytes_ref(n_sites)) {
        for (int i = 0; i < GT_PANEL; i++, sums += GT_PANEL) {
            int32_t more[GT_PANEL] = {0};
            weigh(n_sites, weights, a + i, b, more);
            for (int j = 0; j < GT_PANEL; j++)
                sums[j] = (int64_t)((uint64_t)sums[j] + ((uint64_t)more[j] << shift));
        }
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
