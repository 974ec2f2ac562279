/* Calls -> packed rows at every level, against the rule written out once more, on odd
 * shapes between guard pages and on all pairs of bytes. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/kernel_levels.h"
#include "test/support/tap.h"

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static int bit_at(const uint64_t *bits, int64_t s)
{
    return (int)(bits[s / 64] >> s % 64 & 1);
}

/* Alleles: style 0 plain, 1 with missing ones, 2 haploid and half calls too, 3 any byte. */
static int8_t allele(int style)
{
    static const int8_t odd[8] = {0, 1, -1, -2, 2, 0, 127, -128};
    switch (style) {
    case 0:
        return (int8_t)(rnd() % 3);
    case 1:
        return (int8_t)(rnd() % 40 ? rnd() % 2 : (uint32_t)-1);
    case 2:
        return odd[rnd() % 8];
    default:
        return (int8_t)rnd();
    }
}

struct want {
    int code, haploid, half;
};

static struct want rule(int a, int b, int haploid_alt)
{
    if (a >= 0 && b >= 0)
        return (struct want){(a > 0) + (b > 0), 0, 0};
    if (a < 0 && b < 0)
        return (struct want){3, 0, 0};
    int called = a >= 0 ? a : b, other = a >= 0 ? b : a;
    return other == -2 ? (struct want){called > 0 ? haploid_alt : 0, 1, 0} : (struct want){3, 0, 1};
}

static int check_calls(const struct gt_kernels *k, const int8_t *calls, int64_t n, int haploid_alt)
{
    size_t words = (size_t)(n + 63) / 64 * 8;
    struct guard row = guard_new((size_t)(n + 3) / 4, (int)(rnd() & 1)), one = guard_new(words, 0), half = guard_new(words, 0);
    const uint64_t *haploids = (const uint64_t *)(void *)one.data, *halves = (const uint64_t *)(void *)half.data;
    unsigned met = 0, want_met = 0;
    int wrong = 0;
    memset(row.data, 0xee, (size_t)(n + 3) / 4);
    memset(one.data, 0xee, words);
    memset(half.data, 0xee, words);
    met = k->pack_calls(calls, n, haploid_alt, row.data, (uint64_t *)(void *)one.data, (uint64_t *)(void *)half.data);
    for (int64_t s = 0; s < n; s++) {
        struct want want = rule(calls[2 * s], calls[2 * s + 1], haploid_alt);
        wrong |= code_at(row.data, s) != want.code || bit_at(haploids, s) != want.haploid || bit_at(halves, s) != want.half;
        want_met |= want.haploid ? GT_CALLS_HAPLOID : want.half ? GT_CALLS_HALF : 0u;
    }
    for (int64_t s = n; s < (n + 3) / 4 * 4; s++)
        wrong |= code_at(row.data, s) != 0;
    for (int64_t s = n; s < (n + 63) / 64 * 64; s++)
        wrong |= bit_at(haploids, s) || bit_at(halves, s);
    guard_free(&row);
    guard_free(&one);
    guard_free(&half);
    return wrong || met != want_met;
}

static int check_haploid(const struct gt_kernels *k, const int8_t *calls, int64_t n, int haploid_alt)
{
    size_t words = (size_t)(n + 63) / 64 * 8;
    struct guard row = guard_new((size_t)(n + 3) / 4, (int)(rnd() & 1)), called = guard_new(words, 0);
    uint64_t *bits = (uint64_t *)(void *)called.data;
    int wrong = 0;
    memset(row.data, 0xee, (size_t)(n + 3) / 4);
    memset(called.data, 0xee, words);
    k->pack_haploid(calls, n, haploid_alt, row.data, bits);
    for (int64_t s = 0; s < (n + 3) / 4 * 4; s++)
        wrong |= code_at(row.data, s) != (s >= n ? 0 : calls[s] < 0 ? 3 : calls[s] > 0 ? haploid_alt : 0);
    for (int64_t s = 0; s < (n + 63) / 64 * 64; s++)
        wrong |= bit_at(bits, s) != (s < n && calls[s] >= 0);
    guard_free(&row);
    guard_free(&called);
    return wrong;
}

/* An allele as BCF has it -> as a store has it; *bad when it is neither. */
static int from_bcf(int v, int n_alleles, int *bad)
{
    if (v == -127)
        return -2;
    if (v == -128 || v == 0 || v == 1)
        return -1;
    *bad |= v < 0 || v / 2 > n_alleles;
    return v / 2 - 1;
}

static int check_bcf(const struct gt_kernels *k, const int8_t *gt, int64_t n, int n_alleles, int haploid_alt)
{
    size_t words = (size_t)(n + 63) / 64 * 8;
    struct guard row = guard_new((size_t)(n + 3) / 4, (int)(rnd() & 1)), one = guard_new(words, 0), half = guard_new(words, 0);
    uint64_t *haploids = (uint64_t *)(void *)one.data, *halves = (uint64_t *)(void *)half.data;
    unsigned met = k->pack_bcf(gt, n, n_alleles, haploid_alt, row.data, haploids, halves), want_met = 0;
    int wrong = 0, bad = 0;
    for (int64_t s = 0; s < n; s++) {
        int a = from_bcf(gt[2 * s], n_alleles, &bad), b = from_bcf(gt[2 * s + 1], n_alleles, &bad);
        struct want want = rule(a, b, haploid_alt);
        wrong |= code_at(row.data, s) != want.code || bit_at(haploids, s) != want.haploid || bit_at(halves, s) != want.half;
        want_met |= want.haploid ? GT_CALLS_HAPLOID : want.half ? GT_CALLS_HALF : 0u;
    }
    for (int64_t s = n; s < (n + 3) / 4 * 4; s++)
        wrong |= code_at(row.data, s) != 0;
    guard_free(&row);
    guard_free(&one);
    guard_free(&half);
    return bad ? !(met & GT_CALLS_BAD) : wrong || met != want_met;
}

/* values[0], values[step], ...; which is of pack_allele, -1 for pack_i8. */
static int check_numbers(const struct gt_kernels *k, const int8_t *values, int64_t n, int which)
{
    struct guard row = guard_new((size_t)(n + 3) / 4, (int)(rnd() & 1));
    int wrong = 0, over = 0, got;
    memset(row.data, 0xee, (size_t)(n + 3) / 4);
    got = which < 0 ? k->pack_i8(values, n, row.data) : k->pack_allele(values, which, n, row.data);
    for (int64_t s = 0; s < (n + 3) / 4 * 4; s++) {
        int v = s >= n ? 0 : which < 0 ? values[s] : values[2 * s + which];
        wrong |= code_at(row.data, s) != (v < 0 || v > 2 ? 3 : v);
        over |= v > 2;
    }
    guard_free(&row);
    return wrong || (got != 0) != over;
}

static void check_level(const struct gt_kernels *k)
{
    int calls = 0, bcf = 0, haploid = 0, numbers = 0, alleles = 0;
    for (int64_t n = 0; n <= 700; n += n < 300 ? 1 : 1 + (int64_t)(rnd() % 40)) {
        for (int style = 0; style < 4; style++) {
            struct guard pairs = guard_new((size_t)n * 2, 0), ones = guard_new((size_t)n, 0);
            for (int64_t i = 0; i < 2 * n; i++)
                pairs.data[i] = (uint8_t)allele(style);
            for (int64_t i = 0; i < n; i++)
                ones.data[i] = pairs.data[i];
            struct guard gt = guard_new((size_t)n * 2, 0);
            for (int64_t i = 0; i < 2 * n; i++) {
                int8_t v = (int8_t)pairs.data[i];
                gt.data[i] = style == 3 ? pairs.data[i] : (uint8_t)(v == -2 ? -127 : v == -128 ? v : (v + 1) << 1 | (int)(i & 1));
            }
            bcf += check_bcf(k, (const int8_t *)gt.data, n, style == 1 ? 2 : 1 + (int)(rnd() % 62), 1 + (int)(rnd() & 1));
            bcf += check_bcf(k, (const int8_t *)gt.data, n, 62, 2);
            guard_free(&gt);
            for (int alt = 1; alt <= 2; alt++) {
                calls += check_calls(k, (const int8_t *)pairs.data, n, alt);
                haploid += check_haploid(k, (const int8_t *)ones.data, n, alt);
            }
            numbers += check_numbers(k, (const int8_t *)ones.data, n, -1);
            alleles += check_numbers(k, (const int8_t *)pairs.data, n, 0) + check_numbers(k, (const int8_t *)pairs.data, n, 1);
            guard_free(&pairs);
            guard_free(&ones);
        }
    }
    ok(calls == 0, "%s: pack_calls", k->name);
    ok(bcf == 0, "%s: pack_bcf", k->name);
    ok(haploid == 0, "%s: pack_haploid", k->name);
    ok(numbers == 0, "%s: pack_i8", k->name);
    ok(alleles == 0, "%s: pack_allele", k->name);
}

static void check_all_pairs(const struct gt_kernels *k)
{
    static int8_t calls[2 * 65536];
    for (int i = 0; i < 65536; i++) {
        calls[2 * i] = (int8_t)(i >> 8);
        calls[2 * i + 1] = (int8_t)i;
    }
    int wrong = check_calls(k, calls, 65536, 1) + check_calls(k, calls, 65536, 2);
    for (int64_t s = 0; s < 65536; s++)
        wrong += check_bcf(k, calls + 2 * s, 1, s % 3 ? 62 : 2, 2);
    ok(wrong == 0, "%s: every pair of bytes", k->name);
}

static void check_all(const struct gt_kernels *k)
{
    check_level(k);
    check_all_pairs(k);
}

int main(void)
{
    check_levels(check_all, NULL);
    return done_testing();
}
