/* Bits of bytes in planes and back, at every level, bit by bit. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

static bool is_apart(const uint8_t *bytes, int64_t n, const uint8_t *planes)
{
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < 8; b++)
            if ((bytes[i] >> b & 1) != (planes[b * (n / 8) + i / 8] >> i % 8 & 1))
                return false;
    return true;
}

static bool goes_there_and_back(const struct gt_kernels *k, int64_t n)
{
    struct guard from = guard_new((size_t)n, (int)(rnd() % 2)), planes = guard_new((size_t)n, (int)(rnd() % 2)),
                 back = guard_new((size_t)n, (int)(rnd() % 2));
    for (int64_t i = 0; i < n; i++)
        from.data[i] = (uint8_t)rnd();
    k->bits_apart(from.data, n, planes.data);
    k->bits_together(planes.data, n, back.data);
    const bool same = is_apart(from.data, n, planes.data) && memcmp(from.data, back.data, (size_t)n) == 0;
    guard_free(&from), guard_free(&planes), guard_free(&back);
    return same;
}

int main(void)
{
    int n_levels;
    const struct gt_kernels *const *all = gt_kernels_all(&n_levels);
    for (int i = 0; i < n_levels; i++) {
        int wrong = 0;
        for (int64_t n = 0; n <= 1024; n += 8)
            wrong += !goes_there_and_back(all[i], n);
        for (int64_t n = 4096 - 64; n <= 4096 + 64; n += 8)
            wrong += !goes_there_and_back(all[i], n);
        ok(wrong == 0, "%s: bits go to their planes and back, and nothing beside them is touched", all[i]->name);
    }
    return done_testing();
}
