/* Weighted pairs over the panels of pair.c, two sites to a code; and tables by site. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/pair_table.h"
#include "kernels/unroll.h"

/* Codes of a weight, and sites whose weighted sums fit 16 bits. */
enum { CODES = GT_WEIGHT_SITES / 2, STEP = 256, PARTS = GT_PANEL / 16, WEIGHTS = STEP / GT_WEIGHT_SITES };
_Static_assert(STEP * 2 * 127 <= UINT16_MAX, "sums overflow");

static const _Alignas(16) uint8_t table[16][16] = PAIR_TABLE(PAIR_DOT);

/* STEP sites, or fewer, of one sample against a panel: sums[j]. */
GT_INLINE void add_step(int64_t weights, const uint8_t *weight, const uint8_t *a, const uint8_t *b, uint32_t sums[GT_PANEL])
{
    uint16x8_t words[2 * PARTS];
    GT_UNROLL
    for (int h = 0; h < 2 * PARTS; h++)
        words[h] = vdupq_n_u16(0);
    for (int64_t w = 0; w < weights; w++, a += CODES * GT_PANEL, b += CODES * GT_PANEL) {
        uint8x16_t sum[PARTS] = {vdupq_n_u8(0), vdupq_n_u8(0)};
        GT_UNROLL
        for (int k = 0; k < CODES; k++) {
            const uint8x16_t row = vld1q_u8(table[a[k * GT_PANEL]]);
            GT_UNROLL
            for (int p = 0; p < PARTS; p++)
                sum[p] = vaddq_u8(sum[p], vqtbl1q_u8(row, vld1q_u8(b + k * GT_PANEL + p * 16)));
        }
        GT_UNROLL
        for (int p = 0; p < PARTS; p++) {
            words[2 * p] = vmlal_u8(words[2 * p], vget_low_u8(sum[p]), vdup_n_u8(weight[w]));
            words[2 * p + 1] = vmlal_high_u8(words[2 * p + 1], sum[p], vdupq_n_u8(weight[w]));
        }
    }
    GT_UNROLL
    for (int h = 0; h < 2 * PARTS; h++) {
        uint32_t *to = sums + 8 * h;
        vst1q_u32(to, vaddw_u16(vld1q_u32(to), vget_low_u16(words[h])));
        vst1q_u32(to + 4, vaddw_high_u16(vld1q_u32(to + 4), words[h]));
    }
}

static void weigh_sample(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t more,
                         int64_t sums[GT_PANEL])
{
    uint32_t sum[GT_PANEL] = {0};
    const int64_t n = n_sites / GT_WEIGHT_SITES;
    for (int64_t w = 0; w < n; w += WEIGHTS, a += STEP / 2 * GT_PANEL, b += STEP / 2 * GT_PANEL)
        add_step(n - w < WEIGHTS ? n - w : WEIGHTS, weights + w, a, b, sum);
    for (int j = 0; j < GT_PANEL; j++)
        sums[j] = (int64_t)((uint64_t)sums[j] + ((uint64_t)(sum[j] - more) << shift));
}

void gt_weigh_tile_neon(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b, int64_t *sums)
{
    int64_t more = 0; /* that all entries together have too much */
    for (int64_t w = 0; w < n_sites / GT_WEIGHT_SITES; w++)
        more += GT_WEIGHT_SITES * weights[w];
    for (int64_t p = 0; p < n_b; p++, b += gt_pair_bytes_neon(n_sites))
        for (int i = 0; i < GT_PANEL; i++, sums += GT_PANEL)
            weigh_sample(n_sites, weights, shift, a + i, b, more, sums);
}
