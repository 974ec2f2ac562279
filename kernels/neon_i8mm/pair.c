/* Products of bytes by SMMLA: 8 sites of 2 x 2 pairs.  A homozygote is 1 or -1, all else 0, so that DOT is the sum of products; of
 * ALT the entries that are -1 alone; AGREE is half of DOT and of the same without signs.
 *
 * The form of a panel is values[eight sites][GT_PANEL][8 sites]. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/unroll.h"

/* Sites of a value; samples of a square, whose sums are 16 registers. */
enum { EIGHT = 8, SQUARE = 8, PAIRS = SQUARE / 2 };

int64_t gt_pair_bytes_neon_i8mm(int64_t n_sites)
{
    return (n_sites + EIGHT - 1) / EIGHT * EIGHT * GT_PANEL;
}

GT_INLINE int8x16_t load(const enum gt_pair_product form, const int8_t *values)
{
    const int8x16_t x = vld1q_s8(values);
    return form == GT_PAIR_ALT ? vreinterpretq_s8_u8(vcltzq_s8(x)) : x;
}

/* *sums += SQUARE samples of a against as many of b. */
GT_INLINE void square(const enum gt_pair_product form, int64_t eights, const int8_t *a, const int8_t *b, uint32_t *sums)
{
    int32x4_t sum[PAIRS][PAIRS];
    GT_UNROLL
    for (int i = 0; i < PAIRS; i++) {
        GT_UNROLL
        for (int j = 0; j < PAIRS; j++)
            sum[i][j] = vdupq_n_s32(0);
    }
    for (; eights > 0; eights--, a += GT_PANEL * EIGHT, b += GT_PANEL * EIGHT) {
        int8x16_t x[PAIRS], y[PAIRS];
        GT_UNROLL
        for (int i = 0; i < PAIRS; i++) {
            x[i] = load(form, a + 16 * i);
            y[i] = load(form, b + 16 * i);
        }
        GT_UNROLL
        for (int i = 0; i < PAIRS; i++) {
            GT_UNROLL
            for (int j = 0; j < PAIRS; j++) {
                sum[i][j] = vmmlaq_s32(sum[i][j], x[i], y[j]);
                if (form == GT_PAIR_AGREE)
                    sum[i][j] = vmmlaq_s32(sum[i][j], vabsq_s8(x[i]), vabsq_s8(y[j]));
            }
        }
    }
    for (int i = 0; i < PAIRS; i++)
        for (int j = 0; j < PAIRS; j++) {
            const int32x4_t all = form == GT_PAIR_AGREE ? vshrq_n_s32(sum[i][j], 1) : sum[i][j];
            uint32_t *to = sums + 2 * i * GT_PANEL + 2 * j;
            vst1_u32(to, vadd_u32(vld1_u32(to), vreinterpret_u32_s32(vget_low_s32(all))));
            vst1_u32(to + GT_PANEL, vadd_u32(vld1_u32(to + GT_PANEL), vreinterpret_u32_s32(vget_high_s32(all))));
        }
}

GT_INLINE void tile(const enum gt_pair_product form, int64_t eights, const int8_t *a, const int8_t *b, int64_t n_b, uint32_t *sums)
{
    for (int64_t p = 0; p < n_b; p++, b += eights * EIGHT * GT_PANEL, sums += GT_PANEL * GT_PANEL)
        for (int i = 0; i < GT_PANEL; i += SQUARE)
            for (int j = 0; j < GT_PANEL; j += SQUARE)
                square(form, eights, a + i * EIGHT, b + j * EIGHT, sums + i * GT_PANEL + j);
}

void gt_pair_tile_neon_i8mm(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    const int64_t eights = (n_sites + EIGHT - 1) / EIGHT;
    const int8_t *x = (const int8_t *)a, *y = (const int8_t *)b;
    if (form == GT_PAIR_AGREE)
        tile(GT_PAIR_AGREE, eights, x, y, n_b, sums);
    else if (form == GT_PAIR_DOT)
        tile(GT_PAIR_DOT, eights, x, y, n_b, sums);
    else
        tile(GT_PAIR_ALT, eights, x, y, n_b, sums);
}

/* --- encoding ------------------------------------------------------------------ */

/* The values of GT_PANEL samples at a site, those from n on 0; 8 bytes of the row. */
GT_INLINE void site_values(const uint8_t *row, int64_t n, int8_t out[GT_PANEL])
{
    static const int8_t value[16] = {1, 0, -1, 0};
    const int8x16_t table = vld1q_s8(value);
    const uint8x8_t three = vdup_n_u8(3);
    uint8_t filled[8];
    if (n < GT_PANEL) {
        memset(filled, 0x55, sizeof filled);
        memcpy(filled, row, (size_t)(n + 3) / 4);
        if (n % 4)
            filled[n / 4] = (uint8_t)((filled[n / 4] & ((1 << n % 4 * 2) - 1)) | (0x55 & 0xff << n % 4 * 2));
        row = filled;
    }
    const uint8x8_t x = vld1_u8(row);
    vst4_s8(out, (int8x8x4_t){{vqtbl1_s8(table, vand_u8(x, three)), vqtbl1_s8(table, vand_u8(vshr_n_u8(x, 2), three)),
                               vqtbl1_s8(table, vand_u8(vshr_n_u8(x, 4), three)), vqtbl1_s8(table, vshr_n_u8(x, 6))}});
}

/* Eight sites of GT_PANEL samples: by sample. */
static void turn_sites(int8_t values[EIGHT][GT_PANEL], int8_t *out)
{
    for (int s = 0; s < GT_PANEL; s += 16) {
        int8x16_t v[EIGHT], turned[EIGHT];
        for (int k = 0; k < EIGHT; k++)
            v[k] = vld1q_s8(values[k] + s);
        for (int round = 0; round < 3; round++) { /* the address of a byte, site above sample, is rotated by one bit */
            for (int k = 0; k < EIGHT / 2; k++) {
                turned[2 * k] = vzip1q_s8(v[k], v[k + EIGHT / 2]);
                turned[2 * k + 1] = vzip2q_s8(v[k], v[k + EIGHT / 2]);
            }
            memcpy(v, turned, sizeof v);
        }
        for (int k = 0; k < EIGHT; k++)
            vst1q_s8(out + s * EIGHT + 16 * k, v[k]);
    }
}

void gt_pair_encode_neon_i8mm(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    for (int64_t s = 0; s < n_samples; s += GT_PANEL)
        for (int64_t v = 0; v < n_sites; v += EIGHT, out += EIGHT * GT_PANEL) {
            int8_t values[EIGHT][GT_PANEL] = {0};
            for (int64_t k = 0; k < EIGHT && v + k < n_sites; k++)
                site_values(rows + (size_t)(v + k) * stride + s / 4, n_samples - s, values[k]);
            turn_sites(values, (int8_t *)out);
        }
}
