/* What an accumulator of packed rows plans for its sums and a block, next to what it counts. */
#include <stdio.h>
#include <string.h>

#include "calc/pairs/accumulator.h"
#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { SITES = 1000 };

static void by_count(const struct gt_plane *plane, const int64_t counts[4], int64_t add[4][4])
{
    (void)plane;
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            add[x][y] = (counts[0] + 1) * (x - 1) * (y - 1);
}

static const struct gt_plane planes[] = {{.f = {{0, 1, 4, 0}, {1, 0, 1, 0}, {4, 1, 0, 0}}},
                                         {.f = {{1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}}},
                                         {.terms = by_count, .reach = GT_SITE_WEIGHTS_PRODUCTS},
                                         {.terms = by_count, .reach = GT_SITE_WEIGHTS_PRODUCTS}};

/* Of n samples, one in `each` has code 1, others 0. */
static struct guard rows_of(int64_t n, int64_t each, struct gt_rows *rows)
{
    const size_t stride = (size_t)(n + 3) / 4;
    struct guard guard = guard_new(stride * SITES + GT_KERNEL_PAD, 0);
    memset(guard.data, 0, stride * SITES + GT_KERNEL_PAD);
    for (int64_t i = 0; i < n * SITES; i++)
        if (random_below(each) == 0)
            guard.data[(size_t)(i / n) * stride + (size_t)(i % n / 4)] |= (uint8_t)(1 << i % n % 4 * 2);
    *rows = (struct gt_rows){.data = guard.data, .stride = stride, .n = SITES};
    return guard;
}

/* The memory that is counted, as a percentage of the plan; -1: an error. */
static int counted(int64_t n, int64_t each, int n_planes, enum gt_rare rare, bool band)
{
    struct gt_budget budget;
    struct gt_rows rows;
    struct gt_acc *acc = NULL;
    struct gt_acc_block *block = NULL;
    struct gt_err err = {0};
    struct guard guard = rows_of(n, each, &rows);
    const struct gt_acc_setup setup = {.n_samples = n,
                                       .box = {0, band ? 64 : n, 0, n},
                                       .planes = n_planes == 1 ? &planes[2] : planes,
                                       .n_planes = n_planes,
                                       .block_rows = SITES,
                                       .rare = rare,
                                       .parts_wanted = 8,
                                       .budget = &budget};
    gt_budget_init(&budget, INT64_C(1) << 30);
    int status = gt_acc_cpu.init(&acc, &setup, &err);
    status = status ? status : gt_acc_cpu.prepare(acc, &rows, &block, &err);
    for (int64_t part = 0; !status && part < acc->parts; part++)
        status = gt_acc_cpu.add(acc, block, part, &err);
    const int64_t said = gt_acc_cpu.sums_bytes(&setup) + gt_acc_cpu.block_bytes(&setup), high = budget.high;
    gt_acc_cpu.block_free(block);
    gt_acc_cpu.free(acc);
    guard_free(&guard);
    diag("%lld samples, 1 of %lld differs, %d planes, rare %d%s: %lld of %lld", (long long)n, (long long)each, n_planes, (int)rare,
         band ? ", a band" : "", (long long)high, (long long)said);
    return status || budget.used ? -1 : (int)(100 * high / said);
}

/* Per cent, about: of how many bytes there are plans for each case, and what a block of such rows fills of them.  A size that is planned
 * as half or twice what it is shifts these. */
static const struct {
    enum gt_rare rare;
    int n_planes;
    bool band;
    int low, high;
} cases[] = {
    {GT_RARE_BY_COST, 1, false, 18, 22}, {GT_RARE_BY_COST, 2, false, 22, 26}, {GT_RARE_BY_COST, 4, true, 10, 12},
    {GT_RARE_DENSE, 1, false, 35, 41},   {GT_RARE_DENSE, 2, false, 32, 38},   {GT_RARE_DENSE, 4, true, 24, 28},
    {GT_RARE_LISTS, 1, false, 21, 25},   {GT_RARE_LISTS, 2, false, 25, 31},   {GT_RARE_LISTS, 4, true, 13, 15},
    {GT_RARE_SPARSE, 1, false, 35, 41},  {GT_RARE_SPARSE, 2, false, 7, 9},    {GT_RARE_SPARSE, 4, true, 24, 28},
};

int main(void)
{
    gt_kernels_select("ref"); /* panels have the same size everywhere */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int part = counted(400, 32, cases[i].n_planes, cases[i].rare, cases[i].band);
        ok(part >= cases[i].low && part <= cases[i].high, "case %zu: the memory that is counted is %d %% of the plan", i, part);
    }
    return done_testing();
}
