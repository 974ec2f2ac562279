/* Rates of the kernels for calls on one thread: 1e9 genotypes a second, with the
 * calls in L1 (1,142 samples), L2 and memory; beside them, what reading alone takes.
 * Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/clock.h"

enum { SAMPLES = 1142, MOST = 1 << 27 };

static int8_t *calls;
static uint8_t row[SAMPLES / 4 + GT_KERNEL_PAD];
static uint64_t haploid[SAMPLES / 64 + 1], half[SAMPLES / 64 + 1];

/* Calls, a share of which is missing, and a share of which is haploid. */
static void fill(double missing, double alone)
{
    srand(1);
    for (int64_t i = 0; i + 1 < MOST; i += 2) {
        double x = (double)rand() / RAND_MAX;
        calls[i] = x < missing ? -1 : (int8_t)(rand() % 4 == 0);
        calls[i + 1] = x < missing ? -1 : x < missing + alone ? -2 : (int8_t)(rand() % 4 == 0);
    }
}

static volatile uintptr_t sink;

/* Rows of `width` bytes a sample, over `bytes` of calls again and again. */
#define RATE(call, width, bytes)                                                                                                           \
    ({                                                                                                                                     \
        double best = 1e9;                                                                                                                 \
        int64_t rows = (bytes) / (SAMPLES * (width)), rounds = 1 + ((int64_t)1 << 28) / (bytes);                                           \
        for (int rep = 0; rep < 6; rep++) {                                                                                                \
            double from = now();                                                                                                           \
            for (int64_t r = 0; r < rounds; r++)                                                                                           \
                for (int64_t v = 0; v < rows; v++) {                                                                                       \
                    const int8_t *p = calls + v * SAMPLES * (width);                                                                       \
                    call;                                                                                                                  \
                }                                                                                                                          \
            double took = (now() - from) / (double)rounds;                                                                                 \
            best = took < best ? took : best;                                                                                              \
        }                                                                                                                                  \
        (double)rows *SAMPLES / best * 1e-9;                                                                                               \
    })

static void rates(const struct gt_kernels *k, const char *where, int64_t bytes)
{
    fill(0.01, 0);
    printf("%-11s %-7s %9.2f", k->name, where, RATE(k->pack_calls(p, SAMPLES, 2, row, haploid, half), 2, bytes));
    printf(" %9.2f", RATE(k->pack_bcf(p, SAMPLES, 62, 2, row, haploid, half), 2, bytes));
    printf(" %9.2f", RATE(k->pack_allele(p, 1, SAMPLES, row), 2, bytes));
    printf(" %9.2f", RATE(k->pack_haploid(p, SAMPLES, 2, row, haploid), 1, bytes));
    printf(" %9.2f", RATE(k->pack_i8(p, SAMPLES, row), 1, bytes));
    fill(0.01, 0.5);
    printf(" %9.2f", RATE(k->pack_calls(p, SAMPLES, 2, row, haploid, half), 2, bytes));
    printf(" %9.2f\n", RATE(sink += (uintptr_t)memchr(p, 0x55, 2 * SAMPLES), 2, bytes));
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    calls = malloc(MOST);
    if (!calls)
        return 1;
    printf("%-11s %-7s %9s %9s %9s %9s %9s %9s %9s\n", "1e9/s", "from", "calls", "bcf", "allele", "haploid", "i8", "half X", "reading");
    for (int i = 0; i < n; i++) {
        rates(all[i], "L1", SAMPLES * 2 * 4);
        rates(all[i], "L2", 512 << 10);
        rates(all[i], "memory", MOST);
    }
    free(calls);
    return 0;
}
