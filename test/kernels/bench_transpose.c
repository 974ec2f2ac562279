/* Rates of transpositions on one thread, in bytes per second of what is turned: a tile that
 * stays in the second-level cache, a chunk from memory whose rows are a power of two apart and
 * one whose rows are not, and a narrow one.  Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/clock.h"

static double rate(const struct gt_kernels *k, size_t size, int64_t rows, int64_t columns, const uint8_t *from, uint8_t *to)
{
    const double bytes = (double)rows * (double)columns * (double)size;
    const int rounds = bytes > 1e7 ? 1 : (int)(1e7 / bytes);
    double best = 1e9;
    for (int rep = 0; rep < 5; rep++) {
        double began = now(), took;
        for (int i = 0; i < rounds; i++)
            k->transpose(size, rows, columns, from, columns * (int64_t)size, to, rows * (int64_t)size);
        took = (now() - began) / rounds;
        best = took < best ? took : best;
    }
    return bytes / best;
}

int main(void)
{
    enum { MOST = 1 << 25 };
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    uint8_t *from = malloc(MOST), *to = malloc(MOST);
    for (size_t i = 0; i < MOST; i++)
        from[i] = (uint8_t)i, to[i] = 0;
    printf("%-11s %4s %10s %10s %10s %10s %10s\n", "bytes/s", "size", "in cache", "4096 x", "1000 x", "tall", "wide");
    for (int i = 0; i < n; i++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const int64_t items = MOST / (int64_t)size;
            printf("%-11s %4zu %10.3g", all[i]->name, size, rate(all[i], size, 128, 1000 / (int64_t)size, from, to));
            printf(" %10.3g", rate(all[i], size, 4096, items / 4096, from, to));
            printf(" %10.3g", rate(all[i], size, 1000, items / 1000, from, to));
            printf(" %10.3g", rate(all[i], size, items / 10, 10, from, to));
            printf(" %10.3g\n", rate(all[i], size, 10, items / 10, from, to));
        }
    free(from), free(to);
    return 0;
}
