/* Rates of the pair kernels on one thread.  Of each level and form, and of sums with weights:
 * pair-sites per second from L2 (median and best call); then bytes of packed rows that are
 * encoded, split into bit rows, and turned per second, and cycles to add a bit row of 512
 * samples.  Not a test. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "test/support/clock.h"

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

static void fill_random(uint8_t *p, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        p[i] = (uint8_t)(x >> 32);
    }
}

enum { SITES = 4096, N = 512, B = 8 };
static uint8_t rows[SITES * N / 4 + GT_KERNEL_PAD];
static _Alignas(64) uint8_t codes[SITES * N];
static _Alignas(64) uint8_t bits[3][SITES * GT_BIT_ROW / 8];
static uint64_t columns[GT_BIT_ROW * SITES / 64];
static _Alignas(64) uint32_t sums[B * GT_PANEL * GT_PANEL], list[SITES];

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

enum { MOST = 4000 };
struct rates {
    double rate[MOST], per_cycle[MOST];
    int n;
};

static void print_pairs(const struct gt_kernels *k, const char *form, struct rates *r)
{
    double best;
    qsort(r->rate, (size_t)r->n, sizeof *r->rate, by_size);
    qsort(r->per_cycle, (size_t)r->n, sizeof *r->per_cycle, by_size);
    best = r->rate[r->n - 1];
    printf("%-11s %-8s %9.3g pair-sites/s (best %9.3g; %5.1f a cycle)\n", k->name, form, r->rate[r->n / 2], best, r->per_cycle[r->n / 2]);
}

/* Four panels against eight. */
static void bench_tiles(const struct gt_kernels *k, const struct gt_pair_kernel *pair, enum gt_pair_product form, const char *name,
                        double seconds)
{
    static struct rates r;
    size_t panel = (size_t)pair->bytes(SITES);
    pair->encode(rows, N / 4, SITES, N, codes);
    double start = now();
    for (r.n = 0; r.n < MOST && now() - start < seconds; r.n++) {
        double hz = clock_rate(), from = now();
        for (int a = 0; a < 4; a++)
            pair->tile(form, SITES, codes + (size_t)a * panel, codes + 8 * panel, B, sums);
        r.rate[r.n] = 4.0 * B * GT_PANEL * GT_PANEL * SITES / (now() - from);
        r.per_cycle[r.n] = r.rate[r.n] / hz;
    }
    print_pairs(k, name, &r);
}

/* The same, weighted; then a site of a panel looked up in its table. */
static void bench_weights(const struct gt_kernels *k, double seconds)
{
    static struct rates r;
    static int64_t totals[B * GT_PANEL * GT_PANEL], table[SITES][4];
    static uint8_t weights[SITES / GT_WEIGHT_SITES];
    double start = now(), hz = clock_rate(), from;
    size_t panel = (size_t)k->weigh_bytes(SITES);
    k->weigh_encode(rows, N / 4, SITES, N, codes);
    for (r.n = 0; r.n < MOST && now() - start < seconds; r.n++) {
        hz = clock_rate();
        from = now();
        for (int a = 0; a < 4; a++)
            k->weigh_tile(SITES, weights, 7, codes + (size_t)a * panel, codes + 8 * panel, B, totals);
        r.rate[r.n] = 4.0 * B * GT_PANEL * GT_PANEL * SITES / (now() - from);
        r.per_cycle[r.n] = r.rate[r.n] / hz;
    }
    print_pairs(k, "weighted", &r);
    from = now();
    for (int i = 0; i < 100; i++)
        k->look_up((const uint64_t *)(const void *)rows, (const int64_t(*)[4])table, NULL, SITES, totals);
    printf("%-11s look up %.1f cycles a site of a panel\n", k->name, (now() - from) * hz / 100 / SITES);
}

/* Best of a few runs of each step that makes a block ready. */
static void bench_rows(const struct gt_kernels *k, double seconds)
{
    double best[4] = {1e9, 1e9, 1e9, 1e9}, bytes = (double)SITES * N / 4, start = now(), hz = clock_rate();
    int n = 41; /* missing calls of a sample at 1 % */
    for (int i = 0; i < SITES; i++)
        list[i] = (uint32_t)(i * 97) % SITES * (N / 8);
    while (now() - start < seconds) {
        double t[5] = {now()};
        k->pair.encode(rows, N / 4, SITES, N, codes);
        t[1] = now();
        k->bits_split(rows, N / 4, SITES, N, N / 8, bits[0], NULL, bits[2]);
        t[2] = now();
        k->bits_turn(bits[2], N / 8, SITES, columns, GT_BIT_ROW);
        t[3] = now();
        for (int i = 0; i < 64; i++)
            k->bits_sum(bits[0], list + i * n, n, 0, 1, false, (struct gt_bit_counts){.at = (uint8_t *)sums, .apart = GT_BIT_ROW});
        t[4] = now();
        for (int i = 0; i < 4; i++)
            best[i] = t[i + 1] - t[i] < best[i] ? t[i + 1] - t[i] : best[i];
    }
    printf("%-11s encode %5.2f GB/s   split %5.2f GB/s   turn %5.2f GB/s of bits   sum %.1f cycles a row\n", k->name,
           bytes / best[0] * 1e-9, bytes / best[1] * 1e-9, bytes / 2 / best[2] * 1e-9, best[3] * hz / 64 / n);
}

/* Sums of bit rows of a vector, `n` of them for each sample. */
static void bench_tally(const struct gt_kernels *k, double seconds, int n)
{
    static uint16_t at[4096];
    double best = 1e9, start = now(), hz = clock_rate();
    for (int i = 0; i < 4096; i++)
        at[i] = (uint16_t)(i * 97 % 4096);
    while (now() - start < seconds) {
        const double from = now();
        for (int i = 0; i + n <= 4096; i += n)
            k->bits_tally(bits[0], at + i, n, 0, B, sums + i / n % GT_PANEL * GT_PANEL);
        best = now() - from < best ? now() - from : best;
    }
    printf("%-11s tally of %3d rows: %.2e bits/s, %.1f cycles a row\n", k->name, n, 4096 / n * n * (double)GT_BIT_ROW / best,
           best * hz / (4096 / n * n));
}

int main(int argc, char **argv)
{
    static const char *const names[GT_PAIR_PRODUCTS] = {"agree", "dot", "alt"};
    double seconds = argc > 1 ? atof(argv[1]) : 0.4;
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    fill_random(rows, sizeof rows);
    for (int i = 0; i < n; i++) {
        bench_rows(all[i], seconds);
        bench_tally(all[i], seconds, 16);
        bench_tally(all[i], seconds, 200);
        for (int form = 0; form < GT_PAIR_PRODUCTS; form++)
            bench_tiles(all[i], form == GT_PAIR_AGREE ? &all[i]->pair_agree : &all[i]->pair, (enum gt_pair_product)form, names[form],
                        seconds);
        bench_weights(all[i], seconds);
    }
    return 0;
}
