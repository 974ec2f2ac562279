/* Rates of the sketch products on one thread: genotypes per second of a product, of a block that is
 * turned, of what missing calls take in both products, and of all that a block takes in a pass, of one block again and
 * again, and of blocks from memory.  Not a test.
 *   bench_sketch [SAMPLES [PANELS [PERMILLE]]]    panels of 8 columns, missing calls; default 2504 2 10 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/clock.h"

enum { ROWS = 512, MEMORY = 128 << 20 };

struct pool {
    const struct gt_kernels *k;
    int64_t samples, panels, blocks;
    size_t stride, turned_stride;
    uint8_t *rows, *turned;
    int8_t *by_sample, *by_row;
    int16_t *numbers;
    int64_t *sums;
};

static const uint8_t *block_at(const struct pool *b, int64_t i)
{
    return b->rows + (size_t)(i * ROWS) * b->stride;
}

static void product(const struct pool *b, int64_t i)
{
    b->k->sketch(block_at(b, i), b->stride, ROWS, b->samples, b->by_sample, GT_SKETCH_BYTES(b->samples), b->panels, 0, b->sums);
}

static void turn(const struct pool *b, int64_t i)
{
    b->k->turn_codes(block_at(b, i), b->stride, ROWS, b->samples, b->turned, b->turned_stride);
}

static void back(const struct pool *b)
{
    b->k->sketch(b->turned, b->turned_stride, b->samples, ROWS, b->by_row, GT_SKETCH_BYTES(ROWS), b->panels, 0,
                 b->sums + ROWS * b->panels * GT_SKETCH);
}

static void gaps(const struct pool *b, int64_t i)
{
    b->k->sketch_gaps(block_at(b, i), b->stride, ROWS, b->samples, b->numbers, b->panels, 0, b->sums);
    b->k->sketch_gaps(b->turned, b->turned_stride, b->samples, ROWS, b->numbers, b->panels, 0, b->sums + ROWS * b->panels * GT_SKETCH);
}

static void pass(const struct pool *b, int64_t i)
{
    product(b, i), turn(b, i), back(b);
}

static void pass_with_gaps(const struct pool *b, int64_t i)
{
    pass(b, i), gaps(b, i);
}

static double rate(const struct pool *b, void (*work)(const struct pool *, int64_t), bool from_memory)
{
    const int64_t rounds = b->k->name[0] == 'r' ? 1 : b->blocks; /* the reference takes its time */
    double best = 1e9;
    for (int rep = 0; rep < 5; rep++) {
        const double from = now();
        for (int64_t i = 0; i < rounds; i++)
            work(b, from_memory ? i : 0);
        const double took = now() - from;
        best = took < best ? took : best;
    }
    return (double)b->samples * ROWS * (double)rounds / best;
}

static void fill(struct pool *b, int permille)
{
    const size_t wide = (size_t)(b->samples > ROWS ? b->samples : ROWS) * (size_t)b->panels * GT_SKETCH;
    const size_t block = (size_t)ROWS * b->stride;
    b->rows = calloc(block * (size_t)b->blocks + GT_KERNEL_PAD, 1);
    b->turned = calloc((size_t)b->samples * b->turned_stride + GT_KERNEL_PAD, 1);
    b->by_sample = aligned_alloc(64, (size_t)b->panels * GT_SKETCH_BYTES(b->samples));
    b->by_row = aligned_alloc(64, (size_t)b->panels * GT_SKETCH_BYTES(ROWS));
    b->numbers = calloc(wide, sizeof *b->numbers);
    b->sums = calloc((size_t)((b->samples + ROWS) * b->panels * GT_SKETCH), sizeof *b->sums);
    for (size_t i = 0; i < block * (size_t)b->blocks; i++)
        for (int c = 0; c < 8; c += 2)
            b->rows[i] |= (uint8_t)((rand() % 1000 < permille ? 3 : rand() % 3) << c);
    memset(b->by_sample, 3, (size_t)b->panels * GT_SKETCH_BYTES(b->samples));
    memset(b->by_row, 5, (size_t)b->panels * GT_SKETCH_BYTES(ROWS));
}

int main(int argc, char **argv)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    struct pool b = {.samples = argc > 1 ? atoll(argv[1]) : 2504, .panels = argc > 2 ? atoll(argv[2]) : 2, .turned_stride = ROWS / 4};
    b.stride = (size_t)(b.samples + 3) / 4;
    b.blocks = 1 + MEMORY / ROWS / (int64_t)b.stride;
    fill(&b, argc > 3 ? atoi(argv[3]) : 10);
    printf("%-11s %10s %10s %10s %10s %12s %12s\n", "genotypes/s", "product", "turn", "gaps", "pass", "from memory", "and gaps");
    for (int i = 0; i < n; i++) {
        b.k = all[i];
        printf("%-11s %10.3g %10.3g", b.k->name, rate(&b, product, false), rate(&b, turn, false));
        printf(" %10.3g %10.3g", rate(&b, gaps, false), rate(&b, pass, false));
        printf(" %12.3g %12.3g\n", rate(&b, pass, true), rate(&b, pass_with_gaps, true));
    }
    free(b.rows), free(b.turned), free(b.by_sample), free(b.by_row), free(b.numbers), free(b.sums);
    return 0;
}
