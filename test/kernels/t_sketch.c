/* Sketch products and turned rows, at every level, against sums over the packed rows. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/impl.h"
#include "test/support/amx_trap.h"
#include "test/support/guard_page.h"
#include "test/support/kernel_levels.h"
#include "test/support/tap.h"

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static void fill(struct guard *g, size_t n)
{
    for (size_t k = 0; k < n; k++)
        g->data[k] = (uint8_t)rnd();
}

struct shape {
    int64_t rows, codes, panels;
    int shift;
    int extreme; /* all codes 2 and all numbers the largest (1) or the smallest (-1) */
};

/* numbers: [codes][panels * GT_SKETCH], put into panels. */
static void make_panels(const struct shape *of, int32_t *numbers, int8_t *panels, size_t apart)
{
    const int64_t columns = of->panels * GT_SKETCH;
    for (int64_t s = 0; s < of->codes; s++)
        for (int64_t c = 0; c < columns; c++) {
            int32_t x = of->extreme ? (of->extreme > 0 ? 16383 : -16384) : (int32_t)(rnd() % 32768) - 16384;
            int8_t *low = panels + (size_t)(c / GT_SKETCH) * apart + GT_SKETCH_AT(s, c % GT_SKETCH);
            numbers[s * columns + c] = x;
            low[0] = (int8_t)(x & 127);
            low[4 * GT_SKETCH] = (int8_t)((x - (x & 127)) / 128);
        }
}

static int64_t check_product(const struct gt_kernels *k, const struct shape *of)
{
    const int64_t columns = of->panels * GT_SKETCH;
    const size_t stride = (size_t)(of->codes + 3) / 4 + rnd() % 3, n_sums = (size_t)(of->rows * columns) * sizeof(int64_t);
    struct guard rows = guard_new((size_t)of->rows * stride + GT_KERNEL_PAD, 0), sums = guard_new(n_sums, 0);
    const size_t apart = (size_t)GT_SKETCH_BYTES(of->codes) + rnd() % 3 * 64;
    struct guard panels = guard_new((size_t)of->panels * apart, 0);
    int64_t wrong = 0, *got = (int64_t *)(void *)sums.data, *before = malloc(n_sums + 1);
    int32_t *numbers = malloc((size_t)(of->codes * columns) * sizeof *numbers + 1);
    fill(&rows, (size_t)of->rows * stride + GT_KERNEL_PAD), fill(&sums, n_sums);
    if (of->extreme)
        memset(rows.data, 0xaa, (size_t)of->rows * stride);
    memcpy(before, got, n_sums);
    make_panels(of, numbers, (int8_t *)panels.data, apart);
    k->sketch(rows.data, stride, of->rows, of->codes, (const int8_t *)panels.data, apart, of->panels, of->shift, got);
    for (int64_t r = 0; r < of->rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            int64_t sum = 0;
            for (int64_t s = 0; s < of->codes; s++)
                sum += code_at(rows.data + (size_t)r * stride, s) % 3 * (int64_t)numbers[s * columns + c];
            wrong += (uint64_t)got[r * columns + c] != (uint64_t)before[r * columns + c] + ((uint64_t)sum << of->shift);
        }
    if (wrong)
        diag("%s: %lld rows, %lld codes, %lld panels: %lld wrong", k->name, (long long)of->rows, (long long)of->codes,
             (long long)of->panels, (long long)wrong);
    free(numbers), free(before);
    guard_free(&rows), guard_free(&sums), guard_free(&panels);
    return wrong;
}

static void check_products(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t codes = 0; codes < 700; codes += 1 + rnd() % 60)
        for (int64_t rows = 0; rows < 40; rows += 1 + rnd() % 8)
            wrong += check_product(k, &(struct shape){rows, codes, 1 + rnd() % 5, (int)(rnd() % 40), 0});
    ok(wrong == 0, "%s: products of odd shapes, with any shift", k->name);
    wrong = check_product(k, &(struct shape){3, 70001, 1, 0, 1}) + check_product(k, &(struct shape){9, 70001, 2, 17, -1});
    ok(wrong == 0, "%s: long rows of the largest codes and numbers", k->name);
}

static int64_t check_turned(const struct gt_kernels *k, int64_t n_rows, int64_t n_codes)
{
    const size_t stride = (size_t)(n_codes + 3) / 4 + rnd() % 3, used = (size_t)(n_rows + 63) / 64 * 16, out_stride = used + rnd() % 3;
    struct guard rows = guard_new((size_t)n_rows * stride + GT_KERNEL_PAD, 0), out = guard_new((size_t)n_codes * out_stride, 0);
    int64_t wrong = 0;
    fill(&rows, (size_t)n_rows * stride + GT_KERNEL_PAD);
    memset(out.data, 0x5a, (size_t)n_codes * out_stride);
    k->turn_codes(rows.data, stride, n_rows, n_codes, out.data, out_stride);
    for (int64_t s = 0; s < n_codes; s++) {
        const uint8_t *row = out.data + (size_t)s * out_stride;
        for (int64_t r = 0; r < (int64_t)used * 4; r++)
            wrong += code_at(row, r) != (r < n_rows ? code_at(rows.data + (size_t)r * stride, s) : 0);
        for (size_t b = used; b < out_stride; b++)
            wrong += row[b] != 0x5a;
    }
    if (wrong)
        diag("%s: %lld rows of %lld codes turned: %lld wrong", k->name, (long long)n_rows, (long long)n_codes, (long long)wrong);
    guard_free(&rows), guard_free(&out);
    return wrong;
}

static void check_turns(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t codes = 0; codes < 400; codes += 1 + rnd() % 30)
        for (int64_t rows = 0; rows < 600; rows += 1 + rnd() % 60)
            wrong += check_turned(k, rows, codes);
    ok(wrong == 0, "%s: rows of odd shapes turned", k->name);
}

static int64_t check_gap(const struct gt_kernels *k, int64_t n_rows, int64_t n_codes, int64_t panels, int shift, bool all)
{
    const int64_t columns = panels * GT_SKETCH;
    const size_t stride = (size_t)(n_codes + 3) / 4 + rnd() % 3, n_sums = (size_t)(n_rows * columns) * sizeof(int64_t);
    struct guard rows = guard_new((size_t)n_rows * stride + GT_KERNEL_PAD, 0), sums = guard_new(n_sums, 0);
    struct guard numbers = guard_new((size_t)(n_codes * columns) * sizeof(int16_t), 0);
    const int16_t *number = (const int16_t *)(const void *)numbers.data;
    int64_t wrong = 0, *got = (int64_t *)(void *)sums.data, *before = malloc(n_sums + 1);
    fill(&rows, (size_t)n_rows * stride + GT_KERNEL_PAD), fill(&sums, n_sums), fill(&numbers, (size_t)(n_codes * columns) * 2);
    if (all) {
        memset(rows.data, 0xff, (size_t)n_rows * stride);
        for (int64_t i = 0; i < n_codes * columns; i++)
            ((int16_t *)(void *)numbers.data)[i] = INT16_MIN;
    }
    memcpy(before, got, n_sums);
    k->sketch_gaps(rows.data, stride, n_rows, n_codes, number, panels, shift, got);
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            int64_t sum = 0;
            for (int64_t s = 0; s < n_codes; s++)
                sum += code_at(rows.data + (size_t)r * stride, s) == 3 ? number[s * columns + c] : 0;
            wrong += (uint64_t)got[r * columns + c] != (uint64_t)before[r * columns + c] + ((uint64_t)sum << shift);
        }
    free(before);
    guard_free(&rows), guard_free(&sums), guard_free(&numbers);
    return wrong;
}

static void check_gaps(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t codes = 0; codes < 400; codes += 1 + rnd() % 20)
        wrong += check_gap(k, rnd() % 5, codes, 1 + rnd() % 5, (int)(rnd() % 40), false);
    wrong += check_gap(k, 2, 200003, 1, 3, true);
    ok(wrong == 0, "%s: numbers of missing codes, all of a long row too", k->name);
}

/* Rows of lists: of random lengths, or one of that many entries that count `times` of the largest number. */
static int64_t check_list(const struct gt_kernels *k, int64_t n_rows, int64_t most, int64_t panels, int shift, int times)
{
    const int64_t columns = panels * GT_SKETCH, n_numbers = 1 + rnd() % 300;
    const size_t n_sums = (size_t)(n_rows * columns) * sizeof(int64_t);
    struct guard starts = guard_new((size_t)(n_rows + 1) * sizeof(uint32_t), 0), sums = guard_new(n_sums, 0);
    struct guard entries = guard_new((size_t)(n_rows * most) * sizeof(uint32_t), 0);
    struct guard numbers = guard_new((size_t)(n_numbers * columns) * sizeof(int16_t), 0);
    uint32_t *start = (uint32_t *)(void *)starts.data, *entry = (uint32_t *)(void *)entries.data;
    int16_t *number = (int16_t *)(void *)numbers.data;
    int64_t wrong = 0, *got = (int64_t *)(void *)sums.data, *want = malloc(n_sums + 1);
    fill(&sums, n_sums);
    memcpy(want, got, n_sums);
    for (int64_t i = 0; i < n_numbers * columns; i++)
        number[i] = (int16_t)(times ? (times < 0 ? -16383 : 16383) : (int64_t)(rnd() % 32767) - 16383);
    start[0] = (uint32_t)rnd() % 3;
    for (int64_t r = 0, at = start[0]; r < n_rows; r++) {
        const int64_t n = times ? most - (r == 0 ? start[0] : 0) : rnd() % (most + 1);
        for (int64_t i = 0; i < n && at < n_rows * most; i++) {
            const int64_t index = rnd() % n_numbers, by = times ? times : (int64_t)(rnd() % 5) - 2;
            entry[at++] = GT_SKETCH_ENTRY(index, by);
            for (int64_t c = 0; c < columns; c++)
                want[r * columns + c] += (int64_t)((uint64_t)(by * number[index * columns + c]) << shift);
        }
        start[r + 1] = (uint32_t)at;
    }
    k->sketch_lists(entry, start, n_rows, number, panels, shift, got);
    for (int64_t i = 0; i < n_rows * columns; i++)
        wrong += got[i] != want[i];
    if (wrong)
        diag("%s: %lld lists of %lld, %lld panels: %lld wrong", k->name, (long long)n_rows, (long long)most, (long long)panels,
             (long long)wrong);
    free(want);
    guard_free(&starts), guard_free(&sums), guard_free(&entries), guard_free(&numbers);
    return wrong;
}

static void check_lists(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t rows = 0; rows < 60; rows++)
        wrong += check_list(k, rows, 3 + rnd() % 20, 1 + rnd() % 9, (int)(rnd() % 20), 0);
    ok(wrong == 0, "%s: lists of entries, empty ones too", k->name);
    wrong = 0;
    for (int times = -2; times <= 2; times++)
        wrong += check_list(k, 2, 70001, 1 + rnd() % 5, 3, times);
    ok(wrong == 0, "%s: long lists of the largest numbers", k->name);
}

/* The level avx512amx where the cpu lacks it, but has the levels below: its tile instructions are carried out one by one. */
static void check_emulated(const struct gt_kernels *below)
{
#if defined(GT_X86) && defined(__linux__)
    struct gt_kernels k = *below;
    k.name = "avx512amx, emulated";
    k.sketch = gt_sketch_avx512amx;
    ok(amx_trap_install(), "tile instructions are carried out by the test");
    check_products(&k);
    ok(amx_trap_count() > 0, "and some were");
#else
    (void)below;
    skip("avx512amx");
#endif
}

static void check_all(const struct gt_kernels *k)
{
    check_products(k);
    check_turns(k);
    check_gaps(k);
    check_lists(k);
}

int main(void)
{
    check_levels(check_all, check_emulated);
    return done_testing();
}
