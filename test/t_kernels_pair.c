/* Pair kernels of every level against sums taken straight from the packed rows. */
#include <string.h>

#include "guard.h"
#include "kernels/kernels.h"
#include "tap.h"

enum filling { RANDOM, SPARSE_MISSING, ALL_MISSING, ALL_TWO, FILLINGS };

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static int some_code(enum filling f)
{
    switch (f) {
    case RANDOM:
        return (int)(rnd() & 3);
    case SPARSE_MISSING:
        return rnd() % 50 ? (int)(rnd() % 3) : 3;
    case ALL_MISSING:
        return 3;
    default:
        return 2;
    }
}

/* Rows with whatever in their pad bits, between rows and behind the last one. */
static struct guard make_rows(int64_t n_sites, int64_t n_samples, size_t stride, enum filling f)
{
    struct guard g = guard_new((size_t)n_sites * stride + GT_KERNEL_PAD, 0);
    for (size_t i = 0; i < (size_t)n_sites * stride + GT_KERNEL_PAD; i++)
        g.data[i] = (uint8_t)rnd();
    for (int64_t v = 0; v < n_sites; v++) {
        for (int64_t s = 0; s < n_samples; s++) {
            uint8_t *p = g.data + (size_t)v * stride + s / 4;
            *p = (uint8_t)((*p & ~(3 << s % 4 * 2)) | some_code(f) << s % 4 * 2);
        }
    }
    return g;
}

static void random_metric(uint8_t metric[4][4])
{
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            metric[x][y] = x == 3 || y == 3 ? 0 : (uint8_t)(rnd() % 5);
}

static int64_t groups_of(const struct gt_kernels *k, int64_t n_sites)
{
    return (n_sites + k->sites_per_code - 1) / k->sites_per_code;
}

static struct guard encode(const struct gt_kernels *k, const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples,
                           int64_t panel)
{
    struct guard g = guard_new((size_t)groups_of(k, n_sites) * GT_PANEL, 0);
    k->pair_encode(rows, stride, n_sites, n_samples, panel, g.data);
    return g;
}

static int64_t tile_errors(const uint8_t metric[4][4], const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples,
                           const int64_t panels[2], int i0, int ni, const uint32_t *sums, uint32_t before)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < ni; i++) {
        for (int64_t j = 0; j < GT_PANEL; j++) {
            int64_t a = panels[0] * GT_PANEL + i0 + i, b = panels[1] * GT_PANEL + j;
            uint32_t want = before;
            for (int64_t v = 0; v < n_sites && a < n_samples && b < n_samples; v++)
                want += metric[code_at(rows + (size_t)v * stride, a)][code_at(rows + (size_t)v * stride, b)];
            wrong += sums[i * GT_PANEL + j] != want;
        }
    }
    return wrong;
}

static int64_t check_shape(const struct gt_kernels *k, int64_t n_sites, int64_t n_samples, enum filling f)
{
    size_t stride = (size_t)(n_samples + 3) / 4 + rnd() % 5;
    struct guard rows = make_rows(n_sites, n_samples, stride, f);
    int64_t n_panels = (n_samples + GT_PANEL - 1) / GT_PANEL, panels[2] = {rnd() % n_panels, rnd() % n_panels};
    struct guard a = encode(k, rows.data, stride, n_sites, n_samples, panels[0]);
    struct guard b = encode(k, rows.data, stride, n_sites, n_samples, panels[1]);
    struct gt_pair_table table;
    uint8_t metric[4][4];
    random_metric(metric);
    k->pair_table(&table, metric);

    int i0 = (int)(rnd() % GT_PANEL), ni = 1 + (int)(rnd() % (unsigned)(GT_PANEL - i0));
    if (ni > 20 && rnd() % 8)
        ni = 1 + ni % 20;
    uint32_t before = rnd() % 1000;
    struct guard sums = guard_new((size_t)ni * GT_PANEL * sizeof(uint32_t), 0);
    for (int i = 0; i < ni * GT_PANEL; i++)
        ((uint32_t *)(void *)sums.data)[i] = before;
    k->pair_tile(&table, a.data, i0, ni, b.data, groups_of(k, n_sites), (uint32_t *)(void *)sums.data);
    int64_t wrong = tile_errors(metric, rows.data, stride, n_sites, n_samples, panels, i0, ni, (uint32_t *)(void *)sums.data, before);
    if (wrong)
        diag("%s: %lld sites, %lld samples, i0 %d, ni %d: %lld sums are wrong", k->name, (long long)n_sites, (long long)n_samples, i0, ni,
             (long long)wrong);
    guard_free(&sums);
    guard_free(&b);
    guard_free(&a);
    guard_free(&rows);
    return wrong;
}

static void check_shapes(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t n_samples = 1; n_samples <= 520; n_samples += n_samples < 20 ? 1 : 13)
        for (int64_t n_sites = 0; n_sites <= 70; n_sites += 1 + (int64_t)(rnd() % 9))
            wrong += check_shape(k, n_sites, n_samples, (enum filling)(rnd() % FILLINGS));
    static const int64_t edges[] = {61, 62, 63, 64, 65, 66, 126, 127, 254, 255, 256, 257, 765, 768, 1023, 1025};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        wrong += check_shape(k, edges[e], 257, RANDOM);
    ok(wrong == 0, "%s: sums of random and odd shapes", k->name);
}

/* Codes written by hand: the same group again and again, every pair adding all it can. */
static void check_overflow(const struct gt_kernels *k)
{
    static const int64_t counts[] = {1,    20,   21,   22,   31,   32,   63,   64,    85,    86,    255,   256,   5459,  5460,
                                     5461, 8184, 8185, 8192, 8193, 8704, 8705, 21844, 21845, 21846, 65535, 65536, 65537, 65792};
    enum { MOST = 65792, NI = 11 };
    struct guard codes = guard_new((size_t)MOST * GT_PANEL, 0), sums = guard_new((size_t)NI * GT_PANEL * sizeof(uint32_t), 0);
    uint32_t *got = (uint32_t *)(void *)sums.data;
    int code = 0;
    for (int t = 0; t < k->sites_per_code; t++)
        code |= 2 << 2 * t;
    memset(codes.data, code, (size_t)MOST * GT_PANEL);
    for (int top = 1; top <= 4; top++) {
        uint8_t metric[4][4] = {{0}};
        metric[2][2] = (uint8_t)top;
        struct gt_pair_table table;
        k->pair_table(&table, metric);
        int64_t wrong = 0;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            if (!strcmp(k->name, "ref") && counts[c] > 300)
                break;
            memset(got, 0, (size_t)NI * GT_PANEL * sizeof *got);
            k->pair_tile(&table, codes.data, 240, NI, codes.data, counts[c], got);
            for (int i = 0; i < NI * GT_PANEL; i++)
                wrong += got[i] != (uint32_t)(counts[c] * top * k->sites_per_code);
        }
        ok(table.max_code == top * k->sites_per_code && wrong == 0, "%s: no sum overflows when every site adds %d", k->name, top);
    }
    guard_free(&sums);
    guard_free(&codes);
}

/* A metric of zeros has no largest code; no groups leave the sums alone. */
static void check_nothing(const struct gt_kernels *k)
{
    static const uint8_t zero[4][4];
    static uint32_t sums[3 * GT_PANEL];
    struct gt_pair_table table;
    struct guard codes = guard_new((size_t)300 * GT_PANEL, 0);
    uint64_t total = 0;
    memset(codes.data, 1, (size_t)300 * GT_PANEL);
    memset(sums, 0, sizeof sums);
    k->pair_table(&table, zero);
    k->pair_tile(&table, codes.data, 0, 3, codes.data, 300, sums);
    k->pair_tile(&table, codes.data, 0, 3, codes.data, 0, sums);
    k->pair_tile(&table, codes.data, 9, 0, codes.data, 300, sums);
    for (int i = 0; i < 3 * GT_PANEL; i++)
        total += sums[i];
    ok(table.max_code == 0 && total == 0, "%s: a metric of zeros, no groups, no samples", k->name);
    guard_free(&codes);
}

int main(void)
{
    static const char *const names[] = {"ref", "avx2", "avx512", "avx512vbmi"};
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++) {
        check_shapes(all[i]);
        check_overflow(all[i]);
        check_nothing(all[i]);
    }
    for (int i = n; i < 4; i++)
        skip(names[i]);
    return done_testing();
}
