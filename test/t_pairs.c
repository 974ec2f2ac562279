/* Pair counts against a naive sum: every kernel level, triangle and bands,
 * blocks of odd sizes, all rates of missing calls. */
#include <string.h>

#include "calc/paircount.h"
#include "test/tap.h"

static uint32_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static const uint8_t squared[4][4] = {{0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0}, {0, 0, 0, 0}};

struct data {
    int64_t n, sites;
    size_t stride;
    uint8_t *rows, *codes; /* codes: [sites][n] */
};

static struct data make_data(int64_t n, int64_t sites, double missing)
{
    struct data d = {.n = n, .sites = sites, .stride = (size_t)(n + 3) / 4 + 1};
    d.rows = calloc(1, d.stride * (size_t)sites + GT_KERNEL_PAD);
    d.codes = malloc((size_t)(n * sites) + 1);
    for (int64_t s = 0; s < sites; s++)
        for (int64_t i = 0; i < n; i++) {
            uint8_t code = draw() % 10000 < missing * 10000 ? 3 : (uint8_t)(draw() % 3);
            d.codes[s * n + i] = code;
            d.rows[(size_t)s * d.stride + (size_t)i / 4] |= (uint8_t)(code << i % 4 * 2);
        }
    return d;
}

static void naive(const struct data *d, int64_t i, int64_t j, int64_t *sum, int64_t *joint)
{
    *sum = *joint = 0;
    for (int64_t s = 0; s < d->sites; s++) {
        uint8_t x = d->codes[s * d->n + i], y = d->codes[s * d->n + j];
        *sum += squared[x][y];
        *joint += x != 3 && y != 3;
    }
}

/* All blocks of the data into counts, cut at odd places. */
static int add_all(struct gt_pair_counts *counts, const struct data *d, int64_t cut, struct gt_err *err)
{
    struct gt_pair_block block = {0};
    int status = 0;
    for (int64_t s = 0; !status && s < d->sites; s += cut) {
        int64_t here = d->sites - s < cut ? d->sites - s : cut;
        status = gt_pair_prepare(counts, d->rows + (size_t)s * d->stride, d->stride, here, &block, err);
        for (int64_t p = 0; !status && p < counts->n_parts; p++)
            gt_pair_add(counts, &block, p);
        if (!status)
            gt_pair_count_block(counts, &block);
    }
    gt_pair_block_release(&block);
    return status;
}

static int64_t wrong_cells(const struct gt_pair_counts *counts, const struct data *d)
{
    int64_t bad = 0, ni = counts->row1 - counts->row0;
    int64_t *sums = malloc((size_t)(ni * d->n) * 8 + 8), *joint = malloc((size_t)(ni * d->n) * 8 + 8);
    gt_pair_band(counts, counts->row0, ni, sums, joint);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < d->n; j++) {
            int64_t sum, n;
            naive(d, counts->row0 + i, j, &sum, &n);
            bad += sums[i * d->n + j] != sum || joint[i * d->n + j] != n;
        }
    free(sums);
    free(joint);
    return bad;
}

static void check(struct gt_engine *engine, const struct data *d, bool triangle, int64_t row0, int64_t row1, int64_t parts, int64_t cut,
                  const char *what)
{
    struct gt_pair_counts counts;
    struct gt_err err = {0};
    int status = gt_pair_counts_init(&counts, engine, d->n, squared, triangle, row0, row1, parts, &err);
    if (!status)
        status = add_all(&counts, d, cut, &err);
    int64_t bad = status ? -1 : wrong_cells(&counts, d);
    ok(bad == 0, "%s: %s, %lld samples, %lld sites in blocks of %lld, height %d: %lld wrong %s", counts.kernels->name, what,
       (long long)d->n, (long long)d->sites, (long long)cut, counts.height, (long long)bad, err.msg);
    gt_pair_counts_release(&counts);
}

static void check_level(struct gt_engine *engine)
{
    static const int64_t shapes[][3] = {{1, 5, 5},     {3, 200, 7},   {64, 33, 33},      {255, 50, 50},
                                        {256, 41, 20}, {257, 64, 31}, {300, 1600, 1500}, {601, 40, 40}};
    static const double rates[] = {0, 0.01, 0.3, 1};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t r = 0; r < 4; r++) {
            struct data d = make_data(shapes[s][0], shapes[s][1], rates[r]);
            check(engine, &d, true, 0, d.n, 1, shapes[s][2], "triangle");
            if (r == 1) {
                check(engine, &d, true, 0, d.n, 1000, shapes[s][2], "fine triangle");
                check(engine, &d, false, 0, d.n < 256 ? d.n : 256, 1, shapes[s][2], "first band");
                if (d.n > 256)
                    check(engine, &d, false, 256, d.n, 100, shapes[s][2], "second band");
            }
            free(d.rows);
            free(d.codes);
        }
}

int main(void)
{
    struct gt_engine engine = {0};
    int n;
    gt_budget_init(&engine.budget, INT64_C(1) << 31);
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    for (int i = 0; i < n; i++) {
        gt_kernels_select(levels[i]->name);
        check_level(&engine);
    }
    ok(engine.budget.used == 0, "every byte was given back");
    return done_testing();
}
