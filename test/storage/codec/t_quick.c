/* What is spilled comes back, at every level of instructions, and nothing is read or written beyond it. */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "storage/codec/quick.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

/* Bytes of these kinds: -1 to 2; the same but for one; random ones of a small range; any. */
static void fill(uint8_t *data, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)(kind < 2 ? rnd() % 4 - 1 : kind == 2 ? rnd() % 9 : rnd());
    if (kind == 1)
        data[rnd() % n] = (uint8_t)(3 + rnd() % 252);
}

/* *len: as encoded. */
static bool comes_back(size_t n, int kind, size_t item, size_t *len)
{
    struct guard data = guard_new(n, (int)(rnd() % 2)), to = guard_new(n, (int)(rnd() % 2)), back = guard_new(n, (int)(rnd() % 2));
    struct gt_err err = {0};
    fill(data.data, n, kind);
    *len = gt_quick_encode(data.data, n, item, to.data);
    bool same = *len < n;
    if (*len > 0) {
        struct guard stored = guard_new(*len, (int)(rnd() % 2));
        memcpy(stored.data, to.data, *len);
        same = same && gt_quick_decode(stored.data, *len, back.data, n, &err) == 0 && memcmp(back.data, data.data, n) == 0;
        guard_free(&stored);
    }
    guard_free(&data), guard_free(&to), guard_free(&back);
    return same;
}

static void test_level(const char *level)
{
    static const size_t large[] = {4095, 4096, 65537, 300001};
    int bad = 0, long_ones = 0;
    size_t len;
    for (int kind = 0; kind < 4; kind++)
        for (size_t n = 1; n <= 600 + sizeof large / sizeof *large; n++) {
            const size_t size = n <= 600 ? n : large[n - 601];
            bad += !comes_back(size, kind, kind == 3 && size % 4 == 0 ? 4 : 1, &len);
            long_ones += kind == 0 && size > 64 && len > size / 4 + 2;
        }
    ok(bad == 0, "%s: %d of 2,416 do not come back", level, bad);
    ok(long_ones == 0, "%s: %d of small numbers take more than a quarter", level, long_ones);
}

static void test_damage(void)
{
    uint8_t data[1000], to[1000], back[1000];
    struct gt_err err = {0};
    fill(data, sizeof data, 0);
    const size_t len = gt_quick_encode(data, sizeof data, 1, to);
    ok(gt_quick_decode(to, len - 1, back, sizeof back, &err) == GT_FAIL, "shorter: %s", err.msg);
    ok(gt_quick_decode(to, len, back, sizeof back - 4, &err) == GT_FAIL, "of fewer bytes: %s", err.msg);
    to[0] = 0;
    ok(gt_quick_decode(to, len, back, sizeof back, &err) == GT_FAIL, "another first byte: %s", err.msg);
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++) {
        gt_kernels_select(all[i]->name);
        test_level(all[i]->name);
    }
    gt_kernels_select(NULL);
    test_damage();
    return done_testing();
}
