/* The form of a panel here: codes[site][GT_PANEL], one to a byte. */
#include "kernels/impl.h"

static const int8_t values[GT_PAIR_PRODUCTS][4][4] = {
    [GT_PAIR_AGREE] = {[0] = {1, 0, 0, 0}, [2] = {0, 0, 1, 0}},
    [GT_PAIR_DOT] = {[0] = {1, 0, -1, 0}, [2] = {-1, 0, 1, 0}},
    [GT_PAIR_ALT] = {[2] = {0, 0, 1, 0}},
};

int64_t gt_pair_bytes_ref(int64_t n_sites)
{
    return (n_sites + 1) / 2 * 2 * GT_PANEL;
}

void gt_pair_encode_ref(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    for (int64_t panel = 0; panel * GT_PANEL < n_samples; panel++, out += gt_pair_bytes_ref(n_sites)) {
        for (int64_t k = 0; k < n_sites * GT_PANEL; k++) {
            const uint8_t *row = rows + (size_t)(k / GT_PANEL) * stride;
            int64_t s = panel * GT_PANEL + k % GT_PANEL;
            out[k] = s < n_samples ? row[s / 4] >> s % 4 * 2 & 3 : 1;
        }
    }
}

void gt_pair_tile_ref(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    for (int64_t p = 0; p < n_b; p++, b += gt_pair_bytes_ref(n_sites)) {
        for (int i = 0; i < GT_PANEL; i++, sums += GT_PANEL) {
            for (int64_t k = 0; k < n_sites; k++) {
                const int8_t *value = values[form][a[k * GT_PANEL + i]];
                for (int j = 0; j < GT_PANEL; j++)
                    sums[j] += (uint32_t)value[b[k * GT_PANEL + j]];
            }
        }
    }
}
