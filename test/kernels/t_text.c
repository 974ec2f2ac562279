/* write_alleles of every level against plain loops, in memory that ends where they must. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

static bool alleles_hold(const struct gt_kernels *k, const int8_t *alleles, const uint8_t *phased, int64_t n)
{
    struct guard text = guard_new((size_t)(4 * n), 0);
    bool plain = true, right;

    for (int64_t i = 0; i < 2 * n; i++)
        plain = plain && alleles[i] >= -1 && alleles[i] <= 9;
    right = k->write_alleles(alleles, phased, n, (char *)text.data) == plain;
    for (int64_t s = 0; s < n && plain; s++) {
        const char want[4] = {alleles[2 * s] < 0 ? '.' : (char)('0' + alleles[2 * s]), phased && phased[s] ? '|' : '/',
                              alleles[2 * s + 1] < 0 ? '.' : (char)('0' + alleles[2 * s + 1]), '\t'};
        right = right && memcmp(text.data + 4 * s, want, 4) == 0;
    }
    guard_free(&text);
    return right;
}

static void check_alleles(const struct gt_kernels *k)
{
    int64_t wrong = 0;

    for (int64_t n = 0; n <= 70; n++) {
        struct guard alleles = guard_new((size_t)(2 * n), 0), phased = guard_new((size_t)n, 0);
        for (int64_t i = 0; i < 2 * n; i++)
            alleles.data[i] = (uint8_t)(rnd() % 11 - 1);
        for (int64_t i = 0; i < n; i++)
            phased.data[i] = rnd() % 3 ? (uint8_t)(rnd() % 2) : (uint8_t)rnd();
        wrong += !alleles_hold(k, (const int8_t *)alleles.data, NULL, n);
        for (int64_t at = 0; at < 2 * n; at++) {
            const uint8_t was = alleles.data[at];
            for (int c = -128; c < 128; c += n == 20 || n == 37 ? 1 : 1 + (int)(rnd() % 60)) {
                alleles.data[at] = (uint8_t)c;
                wrong += !alleles_hold(k, (const int8_t *)alleles.data, phased.data, n);
            }
            alleles.data[at] = was;
        }
        guard_free(&alleles);
        guard_free(&phased);
    }
    ok(wrong == 0, "%s: alleles as text, any number anywhere", k->name);
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);

    for (int i = 0; i < n; i++)
        check_alleles(all[i]);
    return done_testing();
}
