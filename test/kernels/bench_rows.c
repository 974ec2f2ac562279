/* Rates of the row kernels on one thread, data in L2: samples per second, and for
 * scan_gt bytes of text per second.  Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/clock.h"

enum { N = 20000, ROUNDS = 50 };

static uint8_t row[N / 4 + GT_KERNEL_PAD], out[N / 4 + GT_KERNEL_PAD];
static int8_t values[N];
static uint32_t missing[N], every[N], shuffled[N];
static char text[4 * N];

static void fill(double missing_rate)
{
    for (int s = 0; s < N; s++) {
        int code = rand() < missing_rate * RAND_MAX ? 3 : rand() % 3;
        row[s / 4] = (uint8_t)((s % 4 ? row[s / 4] : 0) | code << s % 4 * 2);
        memcpy(text + 4 * s, code == 3 ? ".|.\t" : code == 2 ? "1|1\t" : code == 1 ? "0|1\t" : "0|0\t", 4);
        every[s] = shuffled[s] = (uint32_t)s;
    }
    for (int s = N - 1; s > 0; s--) {
        int other = rand() % (s + 1);
        uint32_t t = shuffled[s];
        shuffled[s] = shuffled[other];
        shuffled[other] = t;
    }
}

#define RATE(call, per_call)                                                                                                               \
    ({                                                                                                                                     \
        double best = 1e9, from, took;                                                                                                     \
        for (int rep = 0; rep < 8; rep++) {                                                                                                \
            from = now();                                                                                                                  \
            for (int r = 0; r < ROUNDS; r++)                                                                                               \
                call;                                                                                                                      \
            took = now() - from;                                                                                                           \
            best = took < best ? took : best;                                                                                              \
        }                                                                                                                                  \
        (double)(per_call)*ROUNDS / best * 1e-9;                                                                                           \
    })

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    int64_t counts[4];
    fill(0.01);
    printf("%-11s %8s %8s %8s %8s %8s %8s %10s\n", "1e9/s", "count", "missing", "gather", "shuffled", "unpack", "bed", "scan GB/s");
    for (int i = 0; i < n; i++) {
        const struct gt_kernels *k = all[i];
        printf("%-11s %8.2f", k->name, RATE(k->count_codes(row, N, counts), N));
        printf(" %8.2f", RATE(k->add_missing(row, 0, 8, N, missing), 8 * N));
        printf(" %8.2f", RATE(k->gather_samples(row, every, N, out), N));
        printf(" %8.2f", RATE(k->gather_samples(row, shuffled, N, out), N));
        printf(" %8.2f", RATE(k->unpack_i8(row, N, values), N));
        printf(" %8.2f", RATE(k->bed_to_packed(row, N, out), N));
        printf(" %10.2f\n", RATE(k->scan_gt(text, text + sizeof text, N, 0, 2, out), 4 * N));
    }
    return 0;
}
