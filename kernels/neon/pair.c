/* Two sites to a code, looked up with TBL (kernels/pair_table.h): a code of sample i chooses a row of 16 entries, the codes of 16
 * samples j look it up. */
#include <arm_neon.h>
#include <string.h>

#include "kernels/impl.h"
#include "kernels/pair_table.h"
#include "kernels/unroll.h"

/* 16 sums, the codes of two panels, a row and a temporary stay in registers. */
enum { SAMPLES = 4, PANELS = 2, PARTS = GT_PANEL / 16 };

static const _Alignas(16) uint8_t tables[GT_PAIR_PRODUCTS][16][16] = {
    [GT_PAIR_AGREE] = PAIR_TABLE(PAIR_AGREE), [GT_PAIR_DOT] = PAIR_TABLE(PAIR_DOT), [GT_PAIR_ALT] = PAIR_TABLE(PAIR_ALT)};

struct words {
    uint16x8_t of[SAMPLES][PANELS * PARTS][2];
};

GT_INLINE void add_groups(const uint8_t table[16][16], const int panels, const uint8_t *a, const uint8_t *b, size_t panel, int64_t groups,
                          struct words *w)
{
    uint8x16_t sum[SAMPLES][PANELS * PARTS];
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int p = 0; p < panels * PARTS; p++)
            sum[i][p] = vdupq_n_u8(0);
    }
    for (; groups > 0; groups--, a += GT_PANEL, b += GT_PANEL) {
        uint8x16_t codes[PANELS * PARTS];
        GT_UNROLL
        for (int p = 0; p < panels * PARTS; p++)
            codes[p] = vld1q_u8(b + (size_t)(p / PARTS) * panel + p % PARTS * 16);
        GT_UNROLL
        for (int i = 0; i < SAMPLES; i++) {
            const uint8x16_t row = vld1q_u8(table[a[i]]);
            GT_UNROLL
            for (int p = 0; p < panels * PARTS; p++)
                sum[i][p] = vaddq_u8(sum[i][p], vqtbl1q_u8(row, codes[p]));
        }
    }
    GT_UNROLL
    for (int i = 0; i < SAMPLES; i++) {
        GT_UNROLL
        for (int p = 0; p < panels * PARTS; p++) {
            w->of[i][p][0] = vaddw_u8(w->of[i][p][0], vget_low_u8(sum[i][p]));
            w->of[i][p][1] = vaddw_high_u8(w->of[i][p][1], sum[i][p]);
        }
    }
}

/* 8 words onto their sums, less what was added to each entry. */
GT_INLINE void flush(uint32_t *sums, uint16x8_t words, uint32x4_t less)
{
    vst1q_u32(sums, vaddq_u32(vld1q_u32(sums), vsubq_u32(vmovl_u16(vget_low_u16(words)), less)));
    vst1q_u32(sums + 4, vaddq_u32(vld1q_u32(sums + 4), vsubq_u32(vmovl_high_u16(words), less)));
}

/* SAMPLES samples against `panels` panels; groups <= PAIR_WORD_GROUPS. */
GT_INLINE void count(const uint8_t table[16][16], const int panels, const uint8_t *a, const uint8_t *b, size_t panel, int64_t groups,
                     uint32_t extra, uint32_t *sums)
{
    struct words w;
    const uint32x4_t less = vdupq_n_u32((uint32_t)groups * extra);
    memset(&w, 0, sizeof w);
    while (groups > 0) {
        const int64_t n = groups < PAIR_BYTE_GROUPS ? groups : PAIR_BYTE_GROUPS;
        add_groups(table, panels, a, b, panel, n, &w);
        groups -= n;
        a += n * GT_PANEL;
        b += n * GT_PANEL;
    }
    for (int i = 0; i < SAMPLES; i++)
        for (int p = 0; p < panels * PARTS; p++)
            for (int h = 0; h < 2; h++)
                flush(sums + (p / PARTS * GT_PANEL + i) * GT_PANEL + p % PARTS * 16 + h * 8, w.of[i][p][h], less);
}

/* All samples of a against `panels` panels. */
GT_INLINE void tile(enum gt_pair_product form, const int panels, const uint8_t *a, const uint8_t *b, int64_t groups, uint32_t *sums)
{
    const size_t panel = (size_t)groups * GT_PANEL;
    for (int64_t g = 0; g < groups; g += PAIR_WORD_GROUPS) {
        const int64_t n = groups - g < PAIR_WORD_GROUPS ? groups - g : PAIR_WORD_GROUPS;
        for (int i = 0; i < GT_PANEL; i += SAMPLES)
            count(tables[form], panels, a + g * GT_PANEL + i, b + g * GT_PANEL, panel, n, form == GT_PAIR_DOT ? PAIR_DOT_EXTRA : 0,
                  sums + i * GT_PANEL);
    }
}

int64_t gt_pair_bytes_neon(int64_t n_sites)
{
    return pair_groups(n_sites) * GT_PANEL;
}

void gt_pair_tile_neon(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    const int64_t groups = pair_groups(n_sites);
    int64_t p = 0;
    for (; n_b - p >= PANELS; p += PANELS)
        tile(form, PANELS, a, b + p * groups * GT_PANEL, groups, sums + p * GT_PANEL * GT_PANEL);
    for (; p < n_b; p++)
        tile(form, 1, a, b + p * groups * GT_PANEL, groups, sums + p * GT_PANEL * GT_PANEL);
}

/* --- encoding ------------------------------------------------------------------ */

/* 16 bytes of a row; samples after the n-th are heterozygous.  NULL: all are. */
static uint8x16_t load_row(const uint8_t *row, int64_t n)
{
    uint8_t filled[16];
    if (row && n >= 64)
        return vld1q_u8(row);
    memset(filled, 0x55, sizeof filled);
    if (row) {
        const int bits = (int)(n % 4) * 2;
        memcpy(filled, row, (size_t)(n / 4));
        if (bits)
            filled[n / 4] = (uint8_t)((row[n / 4] & ((1 << bits) - 1)) | (0x55 & 0xff << bits));
    }
    return vld1q_u8(filled);
}

/* From 16 bytes of two rows, the codes of 64 samples: by number modulo 4. */
GT_INLINE uint8x16x4_t encode_bytes(uint8x16_t r0, uint8x16_t r1)
{
    const uint8x16_t even = vdupq_n_u8(0x33), low = vdupq_n_u8(0x0f);
    const uint8x16_t x = vbslq_u8(even, r0, vshlq_n_u8(r1, 2)), y = vbslq_u8(even, vshrq_n_u8(r0, 2), r1);
    return (uint8x16x4_t){{vandq_u8(x, low), vandq_u8(y, low), vshrq_n_u8(x, 4), vshrq_n_u8(y, 4)}};
}

void gt_pair_encode_neon(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    const int64_t groups = pair_groups(n_sites);
    for (int64_t s = 0; s < n_samples; s += 2 * GT_PANEL) {
        const int64_t n = n_samples - s;
        for (int64_t g = 0; g < groups; g++) {
            const uint8_t *row = rows + (size_t)(2 * g) * stride + s / 4;
            uint8_t *to = out + (s / GT_PANEL * groups + g) * GT_PANEL;
            const uint8x16x4_t codes =
                encode_bytes(load_row(2 * g < n_sites ? row : NULL, n), load_row(2 * g + 1 < n_sites ? row + stride : NULL, n));
            vst4_u8(to, (uint8x8x4_t){
                            {vget_low_u8(codes.val[0]), vget_low_u8(codes.val[1]), vget_low_u8(codes.val[2]), vget_low_u8(codes.val[3])}});
            if (n > GT_PANEL)
                vst4_u8(to + groups * GT_PANEL, (uint8x8x4_t){{vget_high_u8(codes.val[0]), vget_high_u8(codes.val[1]),
                                                               vget_high_u8(codes.val[2]), vget_high_u8(codes.val[3])}});
        }
    }
}
