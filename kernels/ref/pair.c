#include "kernels/impl.h"

static void fill(struct gt_pair_table *out, const uint8_t metric[4][4], int sites)
{
    int n = 1 << 2 * sites;
    out->max_code = 0;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            int sum = 0;
            for (int t = 0; t < sites; t++)
                sum += metric[a >> 2 * t & 3][b >> 2 * t & 3];
            out->rows[a * n + b] = (uint8_t)sum;
            if (sum > out->max_code)
                out->max_code = sum;
        }
    }
}

void gt_pair_table_1site(struct gt_pair_table *out, const uint8_t metric[4][4])
{
    fill(out, metric, 1);
}
void gt_pair_table_2sites(struct gt_pair_table *out, const uint8_t metric[4][4])
{
    fill(out, metric, 2);
}
void gt_pair_table_3sites(struct gt_pair_table *out, const uint8_t metric[4][4])
{
    fill(out, metric, 3);
}

void gt_pair_encode_ref(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, int64_t panel, uint8_t *out)
{
    for (int64_t v = 0; v < n_sites; v++) {
        const uint8_t *row = rows + (size_t)v * stride;
        for (int64_t k = 0; k < GT_PANEL; k++) {
            int64_t s = panel * GT_PANEL + k;
            out[v * GT_PANEL + k] = s < n_samples ? row[s / 4] >> s % 4 * 2 & 3 : 3;
        }
    }
}

void gt_pair_tile_ref(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups, uint32_t *sums)
{
    for (int i = 0; i < ni; i++) {
        for (int64_t g = 0; g < groups; g++) {
            const uint8_t *row = table->rows + a[g * GT_PANEL + i0 + i] * 4;
            for (int j = 0; j < GT_PANEL; j++)
                sums[i * GT_PANEL + j] += row[b[g * GT_PANEL + j]];
        }
    }
}
