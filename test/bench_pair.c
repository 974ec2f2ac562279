/* Rates of the pair kernels on one thread: level, metric, pair-sites per second
 * from L2 (the best call), and row bytes encoded per second.  Not a test. */
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
    enum { N = 20000000 };
    for (long i = 0, x = 0; i < N; i++) {
        x++;
        __asm__ volatile("" : "+r"(x));
    }
    return N / (now() - from);
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
    struct gt_pair_table table;
    k->pair_table(&table, metric);
    int64_t groups = (SITES + k->sites_per_code - 1) / k->sites_per_code, calls = 0;
    double encode = 0, best = 0, t, hz = clock_rate();
    for (double start = now(); (t = now()) - start < seconds / 4; calls++)
        k->pair_encode(rows, GT_PANEL / 4, SITES, GT_PANEL, 0, calls % 2 ? codes_a : codes_b);
    encode = (double)calls * SITES * (GT_PANEL / 4) / (seconds / 4);
    for (double start = t; t - start < seconds;) {
        double from = t;
        k->pair_tile(&table, codes_a, 0, GT_PANEL, codes_b, groups, sums);
        t = now();
        double rate = (double)GT_PANEL * GT_PANEL * SITES / (t - from);
        if (rate > best)
            best = rate;
    }
    printf("%-11s %-12s %9.3g pair-sites/s (%5.1f a cycle)   encode %6.2f GB/s (%4.1f bytes a cycle)\n", k->name, name, best, best / hz,
           encode * 1e-9, encode / hz);
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
