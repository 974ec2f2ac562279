/* scan_gt, scan_gt_first and scan_alleles of every level against a scalar reading of the same text, which ends
 * before a guard page. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/kernel_levels.h"
#include "test/support/tap.h"

static int n_alleles = 10;

/* Code of the call at p, or -1: not "a|b\t" of alleles that are there, or of two dots. */
static int call_at(const char *p, const char *end)
{
    if (end - p < 4 || p[3] != '\t' || (p[1] != '|' && p[1] != '/'))
        return -1;
    if (p[0] == '.' && p[2] == '.')
        return 3;
    if (p[0] < '0' || p[0] >= '0' + n_alleles || p[2] < '0' || p[2] >= '0' + n_alleles)
        return -1;
    return (p[0] != '0') + (p[2] != '0');
}

/* What the scan must, and must not, have done.  It may stop early, at a multiple of 4
 * samples, but less than 20 samples (a vector and what a multiple of 4 takes) before the first odd call. */
static bool scan_holds(const struct gt_kernels *k, const char *text, const char *end, int64_t n_samples, int64_t first)
{
    uint8_t row[512 + 8];
    int64_t plain = 0;
    memset(row, 0xee, sizeof row);
    while (plain < n_samples && call_at(text + 4 * plain, end) >= 0)
        plain++;
    struct gt_scan_result r = k->scan_gt(text, end, n_samples, first, n_alleles, row);
    if (r.done < 0 || r.done > plain || r.done % 4 || plain - r.done >= 20 || r.end != text + 4 * r.done)
        return false;
    for (int64_t i = 0; i < (int64_t)sizeof row; i++) {
        int64_t s = i * 4 - first;
        int want = 0xee;
        if (s >= 0 && s < r.done) {
            want = 0;
            for (int t = 0; t < 4; t++)
                want |= call_at(text + 4 * (s + t), end) << 2 * t;
        }
        if (row[i] != want)
            return false;
    }
    return true;
}

static void write_calls(char *p, int64_t n, int style)
{
    static const char alleles[] = "0000000111200000.";
    for (int64_t s = 0; s < n; s++, p += 4) {
        p[0] = style == 0 ? '0' : style == 1 ? (char)('0' + rnd() % 10) : alleles[rnd() % 16];
        p[2] = style == 0 ? '0' : style == 1 ? (char)('0' + rnd() % 10) : alleles[rnd() % 16];
        if (style == 2 && rnd() % 10 == 0)
            p[0] = p[2] = '.';
        p[1] = style == 0 || rnd() % 4 ? '|' : '/';
        p[3] = '\t';
    }
}

static void check_lengths(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int64_t n = 0; n <= 200; n++) {
        for (int style = 0; style < 3; style++) {
            for (int cut = 0; cut < 5; cut++) {
                size_t bytes = (size_t)(n * 4 > cut ? n * 4 - cut : 0);
                struct guard g = guard_new(bytes, 0);
                char calls[4 * 200 + 1];
                write_calls(calls, n, style);
                memcpy(g.data, calls, bytes);
                const char *text = (const char *)g.data, *end = text + bytes;
                wrong += !scan_holds(k, text, end, n, 0);
                wrong += !scan_holds(k, text, end, n + 100, 4 * (int64_t)(rnd() % 50));
                wrong += !scan_holds(k, text, end, n / 2, 8);
                guard_free(&g);
            }
        }
    }
    ok(wrong == 0, "%s, %d alleles: every length of text and number of samples", k->name, n_alleles);
}

/* Each kind of deviation at each byte: any byte value there, calls of other shapes. */
static void check_bytes(const struct gt_kernels *k)
{
    enum { N = 40 };
    struct guard g = guard_new(4 * N, 0);
    char *text = (char *)g.data;
    int64_t wrong = 0;
    for (int at = 0; at < 4 * N; at++) {
        for (int c = 0; c < 256; c++) {
            write_calls(text, N, c % 3);
            text[at] = (char)c;
            wrong += !scan_holds(k, text, text + 4 * N, N, 0);
        }
    }
    ok(wrong == 0, "%s, %d alleles: any byte anywhere", k->name, n_alleles);
    guard_free(&g);
}

static void check_deviations(const struct gt_kernels *k)
{
    static const char *const odd[] = {"./0\t", "1|.\t", "0\t",   "1\t",    ".\t",      "10|0\t", "0|12\t",  "0|1:35\t",
                                      "0|1\n", "0|1",   "",      "0||1\t", "\t\t\t\t", "|0|\t",  "0/1/1\t", "-1|0\t",
                                      "0|1 ",  ".|.\n", "//|\t", "0..\t",  ".|/\t",    "/|.\t"};
    int64_t wrong = 0;
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++) {
        for (int64_t before = 0; before < 70; before++) {
            for (int64_t after = 0; after < 40; after += 13) {
                char calls[4 * 120 + 16];
                size_t n = strlen(odd[o]), bytes = (size_t)(before + after) * 4 + n;
                write_calls(calls, before, 2);
                memcpy(calls + 4 * before, odd[o], n);
                write_calls(calls + 4 * before + n, after, 1);
                struct guard g = guard_new(bytes, 0);
                memcpy(g.data, calls, bytes);
                wrong += !scan_holds(k, (const char *)g.data, (const char *)g.data + bytes, before + 1 + after, 12);
                guard_free(&g);
            }
        }
    }
    ok(wrong == 0, "%s, %d alleles: stops before calls of other shapes", k->name, n_alleles);
}

/* A column for scan_gt_first: a call, mostly with something behind it; deviations where `odd`. */
static int64_t write_column(char *p, bool odd)
{
    static const char *const others[] = {"./0:1", "0", ".", "10|0:3", "0|12", "", "0||1:", "0/1/1:2", ":0|1", "0|1x", "\n/0:4", "0|"};
    int64_t n = 3;
    if (odd) {
        const char *other = others[rnd() % 12];
        n = (int64_t)strlen(other);
        memcpy(p, other, (size_t)n);
    } else {
        write_calls(p, 1, 1);
        if (rnd() % 10 == 0)
            p[0] = p[2] = '.';
        if (rnd() % 5) {
            p[n++] = ':';
            for (int64_t more = rnd() % 7 ? rnd() % 40 : rnd() % 200; more; more--)
                p[n++] = "0123456789:,.|/"[rnd() % 15];
        }
    }
    p[n] = '\t';
    return n + 1;
}

/* What scan_gt_first must have done: all fours in front of the first column that is odd, or has no tab. */
static bool first_holds(const struct gt_kernels *k, const char *text, int64_t n, int64_t n_samples, int64_t first)
{
    uint8_t row[256], want[256];
    const char *p = text, *end = text + n, *fours = text;
    int64_t done = 0;
    memset(row, 0xee, sizeof row);
    memset(want, 0xee, sizeof want);
    for (int64_t s = 0; s < n_samples; s++) {
        const char *tab = p < end ? memchr(p, '\t', (size_t)(end - p)) : NULL;
        char call[5] = "    ";
        if (!tab || tab - p < 3 || (tab - p > 3 && p[3] != ':'))
            break;
        memcpy(call, p, 3);
        call[3] = '\t';
        const int code = call_at(call, call + 4);
        if (code < 0)
            break;
        uint8_t *byte = &want[(first + s) / 4];
        *byte = (uint8_t)(s % 4 ? *byte | code << 2 * (s % 4) : code);
        p = tab + 1;
        if (s % 4 == 3) {
            done = s + 1;
            fours = p;
        }
    }
    memset(want + (first + done) / 4, 0xee, sizeof want - (size_t)(first + done) / 4);
    const struct gt_scan_result r = k->scan_gt_first(text, end, n_samples, first, n_alleles, row);
    return r.done == done && r.end == fours && memcmp(row, want, sizeof row) == 0;
}

static void check_first(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int round = 0; round < 4000; round++) {
        char columns[80 * 210];
        int64_t n = 0, samples = rnd() % 80, odd = rnd() % 2 ? rnd() % 90 : 1000;
        for (int64_t s = 0; s < samples; s++)
            n += write_column(columns + n, s == odd);
        n -= n && rnd() % 8 == 0;
        struct guard g = guard_new((size_t)n, round % 2);
        memcpy(g.data, columns, (size_t)n);
        wrong += !first_holds(k, (const char *)g.data, n, rnd() % 3 ? samples : rnd() % 120, 4 * (int64_t)(rnd() % 20));
        guard_free(&g);
    }
    ok(wrong == 0, "%s, %d alleles: calls with others behind them", k->name, n_alleles);
}

/* What scan_alleles must have done with n samples. */
static bool alleles_hold(const struct gt_kernels *k, const char *text, int64_t n)
{
    struct guard alleles = guard_new((size_t)(2 * n), 0), phased = guard_new((size_t)n, 0);
    bool plain = true;
    for (int64_t s = 0; s < n; s++)
        plain = plain && call_at(text + 4 * s, text + 4 * n) >= 0;
    bool right = k->scan_alleles(text, n, (int8_t *)alleles.data, phased.data) == plain;
    for (int64_t s = 0; s < n && plain; s++) {
        const char *p = text + 4 * s;
        for (int i = 0; i < 2; i++)
            right = right && (int8_t)alleles.data[2 * s + i] == (p[2 * i] == '.' ? -1 : p[2 * i] - '0');
        right = right && phased.data[s] == (p[1] == '|');
    }
    guard_free(&alleles);
    guard_free(&phased);
    return right;
}

static void check_alleles(const struct gt_kernels *k)
{
    enum { N = 70 };
    int64_t wrong = 0;
    n_alleles = 10;
    for (int64_t n = 0; n <= N; n++) {
        for (int style = 0; style < 3; style++) {
            struct guard g = guard_new((size_t)(4 * n), 0);
            char *text = (char *)g.data;
            write_calls(text, n, style);
            wrong += !alleles_hold(k, text, n);
            for (int64_t at = 0; at < 4 * n; at++) {
                const char was = text[at];
                text[at] = rnd() % 3 ? "./|09:\t\n"[rnd() % 8] : (char)rnd();
                wrong += !alleles_hold(k, text, n);
                text[at] = was;
            }
            guard_free(&g);
        }
    }
    ok(wrong == 0, "%s: alleles of every number of samples, and any byte anywhere", k->name);
    wrong = 0;
    for (int c = 0; c < 256 * 4 * 20; c++) {
        char text[4 * 20];
        write_calls(text, 20, 1);
        if (c % 3 == 0)
            text[4 * (c % 20)] = text[4 * (c % 20) + 2] = '.';
        text[c / 256] = (char)c;
        wrong += !alleles_hold(k, text, 20);
    }
    ok(wrong == 0, "%s: alleles, every byte at every place", k->name);
}

static void check_all(const struct gt_kernels *k)
{
    for (n_alleles = 10; n_alleles > 0; n_alleles -= n_alleles > 3 ? 4 : 1) {
        check_lengths(k);
        check_bytes(k);
        check_deviations(k);
        check_first(k);
    }
    check_alleles(k);
}

int main(void)
{
    check_levels(check_all, NULL);
    return done_testing();
}
