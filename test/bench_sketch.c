/* Rates of the sketch products on one thread, rows in L2 or from memory: genotypes per second
 * of a product with two panels, of a block that is turned, and of all that a block takes in a
 * pass (both products and the turn).  Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"

enum { N = 2504, ROWS = 512, BLOCKS = 64, PANELS = 2, STRIDE = (N + 3) / 4 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define RATE(call, rounds)                                                                                                                 \
    ({                                                                                                                                     \
        double best = 1e9, from, took;                                                                                                     \
        for (int rep = 0; rep < 5; rep++) {                                                                                                \
            from = now();                                                                                                                  \
            for (int b = 0; b < (rounds); b++)                                                                                             \
                call;                                                                                                                      \
            took = now() - from;                                                                                                           \
            best = took < best ? took : best;                                                                                              \
        }                                                                                                                                  \
        (double)N *ROWS *(rounds) / best;                                                                                                  \
    })

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    const size_t block = (size_t)ROWS * STRIDE, turned_stride = ROWS / 4;
    uint8_t *rows = malloc(block * BLOCKS + GT_KERNEL_PAD), *turned = malloc(N * turned_stride + GT_KERNEL_PAD);
    int8_t *by_sample = aligned_alloc(64, PANELS * GT_SKETCH_BYTES(N)), *by_row = aligned_alloc(64, PANELS * GT_SKETCH_BYTES(ROWS));
    int64_t *sums = calloc((size_t)(N + ROWS) * PANELS * GT_SKETCH, sizeof *sums);
    for (size_t k = 0; k < block * BLOCKS; k++)
        rows[k] = (uint8_t)(rand() & rand());
    memset(by_sample, 3, PANELS * GT_SKETCH_BYTES(N));
    memset(by_row, 5, PANELS * GT_SKETCH_BYTES(ROWS));
    printf("%-11s %10s %10s %10s %12s\n", "genotypes/s", "product", "turn", "pass", "from memory");
    for (int i = 0; i < n; i++) {
        const struct gt_kernels *k = all[i];
        const int rounds = i ? BLOCKS : 1;
#define PRODUCT(from) k->sketch(from, STRIDE, ROWS, N, by_sample, PANELS, 0, sums)
#define TURN(from) k->turn_codes(from, STRIDE, ROWS, N, turned, turned_stride)
#define BACK k->sketch(turned, turned_stride, N, ROWS, by_row, PANELS, 0, sums + ROWS * PANELS * GT_SKETCH)
        printf("%-11s %10.3g", k->name, RATE(PRODUCT(rows), rounds));
        printf(" %10.3g", RATE(TURN(rows), rounds));
        printf(" %10.3g", RATE((PRODUCT(rows), TURN(rows), BACK), rounds));
        printf(" %12.3g\n", RATE((PRODUCT(rows + b * block), TURN(rows + b * block), BACK), rounds));
    }
    free(rows), free(turned), free(by_sample), free(by_row), free(sums);
    return 0;
}
