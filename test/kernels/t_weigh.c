/* Weighted pairs and tables by site, at every level, against sums over the packed rows. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static struct guard random_bytes(size_t n)
{
    struct guard g = guard_new(n, 0);
    for (size_t k = 0; k < n; k++)
        g.data[k] = (uint8_t)rnd();
    return g;
}

struct shape {
    int64_t sites, samples, n_b;
    int shift;
    bool full; /* all homozygous, all weights as large as can be */
};

/* The first panel against the last n_b. */
static int64_t check_tile(const struct gt_kernels *k, const struct shape *of)
{
    const size_t stride = (size_t)(of->samples + 3) / 4 + rnd() % 3, panel = (size_t)k->weigh_bytes(of->sites);
    const int64_t panels = (of->samples + GT_PANEL - 1) / GT_PANEL, first = panels - of->n_b;
    struct guard rows = random_bytes((size_t)of->sites * stride + GT_KERNEL_PAD), weights = random_bytes((size_t)of->sites / 8);
    struct guard codes = guard_new((size_t)panels * panel, 0), sums = random_bytes((size_t)of->n_b * GT_PANEL * GT_PANEL * 8);
    if (of->full)
        memset(rows.data, 0xaa, (size_t)of->sites * stride);
    for (int64_t w = 0; w < of->sites / 8; w++)
        weights.data[w] = of->full ? 127 : weights.data[w] & 127;
    struct guard before = guard_new((size_t)of->n_b * GT_PANEL * GT_PANEL * 8, 0);
    memcpy(before.data, sums.data, (size_t)of->n_b * GT_PANEL * GT_PANEL * 8);
    k->weigh_encode(rows.data, stride, of->sites, of->samples, codes.data);
    k->weigh_tile(of->sites, weights.data, of->shift, codes.data, codes.data + (size_t)first * panel, of->n_b,
                  (int64_t *)(void *)sums.data);
    int64_t wrong = 0;
    for (int64_t p = 0; p < of->n_b * GT_PANEL * GT_PANEL; p++) {
        int64_t i = p / GT_PANEL % GT_PANEL, j = (first + p / (GT_PANEL * GT_PANEL)) * GT_PANEL + p % GT_PANEL;
        uint64_t want = ((const uint64_t *)(const void *)before.data)[p];
        for (int64_t s = 0; s < of->sites && i < of->samples && j < of->samples; s++) {
            int x = code_at(rows.data + (size_t)s * stride, i), y = code_at(rows.data + (size_t)s * stride, j);
            if (x != 3 && y != 3)
                want += (uint64_t)((int64_t)weights.data[s / 8] * (x - 1) * (y - 1)) << of->shift;
        }
        wrong += ((const uint64_t *)(const void *)sums.data)[p] != want;
    }
    if (wrong)
        diag("%s: %lld sites, %lld samples: %lld wrong", k->name, (long long)of->sites, (long long)of->samples, (long long)wrong);
    guard_free(&rows), guard_free(&weights), guard_free(&codes), guard_free(&sums), guard_free(&before);
    return wrong;
}

static void check_tiles(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t sites = 0; sites <= 64 * 36; sites += sites < 640 ? 64 : 320)
        for (int64_t samples = 1; samples < 110; samples += 1 + rnd() % 30) {
            int64_t panels = (samples + GT_PANEL - 1) / GT_PANEL;
            wrong += check_tile(k, &(struct shape){sites, samples, 1 + rnd() % panels, (int)(rnd() % 60), rnd() % 4 == 0});
        }
    wrong += check_tile(k, &(struct shape){64 * 300, 33, 1, 0, true});
    ok(wrong == 0, "%s: weighted sums of odd shapes, any weights and shifts, and the largest", k->name);
}

static void check_look_up(const struct gt_kernels *k)
{
    enum { SITES = 300 };
    int64_t wrong = 0;
    for (int n = 0; n <= SITES; n += 1 + (int)(rnd() % 9)) {
        struct guard codes = random_bytes(SITES * 8), table = random_bytes(SITES * 32), list = guard_new((size_t)n * 2, 0);
        bool all = n % 3 == 0;
        int64_t want[GT_PANEL], got[GT_PANEL];
        const int64_t(*entries)[4] = (const int64_t(*)[4])(const void *)table.data;
        for (int j = 0; j < GT_PANEL; j++)
            want[j] = got[j] = (int64_t)rnd() << 31;
        for (int i = 0; i < n; i++) {
            int s = all ? i : (int)(rnd() % SITES);
            uint64_t code = ((const uint64_t *)(const void *)codes.data)[s];
            ((uint16_t *)(void *)list.data)[i] = (uint16_t)s;
            for (int j = 0; j < GT_PANEL; j++)
                want[j] = (int64_t)((uint64_t)want[j] + (uint64_t)entries[s][code >> 2 * j & 3]);
        }
        k->look_up((const uint64_t *)(const void *)codes.data, entries, all ? NULL : (const uint16_t *)(const void *)list.data, n, got);
        wrong += memcmp(got, want, sizeof got) != 0;
        guard_free(&codes), guard_free(&table), guard_free(&list);
    }
    ok(wrong == 0, "%s: tables by site looked up for a panel", k->name);
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++) {
        check_tiles(all[i]);
        check_look_up(all[i]);
    }
    return done_testing();
}
