/* Rates of the pair kernels on one thread: level, metric, pair-sites per second
 * from L2 (median and best call), and row bytes encoded per second.  Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/kernels.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Cycles a second now, from a chain of dependent additions. */
static double clock_rate(void)
{
    double from = now();
    enum { N = 200000 };
    for (long i = 0, x = 0; i < N; i++) {
        x++;
        __asm__ volatile("" : "+r"(x));
    }
    return N / (now() - from);
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static void fill_random(uint8_t *p, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        p[i] = (uint8_t)(x >> 32);
    }
}

enum { SITES = 3072 };
static _Alignas(64) uint8_t codes_a[SITES * GT_PANEL], codes_b[SITES * GT_PANEL];
static uint8_t rows[SITES * (GT_PANEL / 4) + GT_KERNEL_PAD];
static uint32_t sums[GT_PANEL * GT_PANEL];

static void bench(const struct gt_kernels *k, const char *name, const uint8_t metric[4][4], double seconds)
{
    enum { MOST = 4000 };
    static double rate[MOST], per_cycle[MOST];
    struct gt_pair_table table;
    k->pair_table(&table, metric);
    int64_t groups = (SITES + k->sites_per_code - 1) / k->sites_per_code;
    double start = now();
    int n = 0;
    for (; n < MOST && now() - start < seconds / 4; n++) {
        double from = now();
        for (int panel = 0; panel < 2; panel++)
            k->pair_encode(rows, GT_PANEL / 4, SITES, GT_PANEL, 0, panel ? codes_a : codes_b);
        rate[n] = 2.0 * SITES * (GT_PANEL / 4) / (now() - from);
    }
    double encode = median(rate, n);
    start = now();
    for (n = 0; n < MOST && now() - start < seconds; n++) {
        double hz = clock_rate(), from = now();
        k->pair_tile(&table, codes_a, 0, GT_PANEL, codes_b, groups, sums);
        rate[n] = (double)GT_PANEL * GT_PANEL * SITES / (now() - from);
        per_cycle[n] = rate[n] / hz;
    }
    double typical = median(rate, n);
    printf("%-11s %-12s %9.3g pair-sites/s (best %9.3g; %5.1f a cycle)   encode %6.2f GB/s\n", k->name, name, typical, rate[n - 1],
           median(per_cycle, n), encode * 1e-9);
}

int main(int argc, char **argv)
{
    static const uint8_t square[4][4] = {{0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0}},
                         absolute[4][4] = {{0, 1, 2, 0}, {1, 0, 1, 0}, {2, 1, 0, 0}},
                         mismatch[4][4] = {{0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 0, 0}};
    double seconds = argc > 1 ? atof(argv[1]) : 0.4;
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    fill_random(rows, sizeof rows);
    for (int i = 0; i < n; i++) {
        bench(all[i], "sqeuclidean", square, seconds);
        bench(all[i], "cityblock", absolute, seconds);
        bench(all[i], "mismatch", mismatch, seconds);
    }
    return 0;
}
