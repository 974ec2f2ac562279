/* The accumulator of float64 rows, at every kernel level, against the bits of sums written
 * out pair by pair: any blocks, parts, boxes and ranks. */
#include <math.h>
#include <string.h>

#include "calc/pairs/accumulator.h"
#include "core/device/device_open.h"
#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/rank_threads.h"
#include "test/support/tap.h"

static struct gt_budget budget;
static struct gt_device device; /* open: accumulators are on it */

enum { MOST_SAMPLES = 150, SITES = 400 };

struct data {
    int64_t n;
    double values[SITES * MOST_SAMPLES], weights[SITES], shift[MOST_SAMPLES], scale[MOST_SAMPLES];
};

/* Where values are missing: nowhere; here and there; of a few samples only, from some site on. */
enum missing { NOWHERE, ANYWHERE, LATE, MISSINGS };

static void make_data(struct data *d, int64_t n, enum missing missing)
{
    d->n = n;
    for (int64_t k = 0; k < SITES * n; k++) {
        bool gone = missing == ANYWHERE ? rnd() % 10 == 0 : missing == LATE && k % n < 5 && k / n > 200 && rnd() % 3 == 0;
        d->values[k] = gone ? NAN : rnd() % 4 ? (double)(int32_t)rnd() * 1e-7 : 0;
    }
    for (int k = 0; k < SITES; k++)
        d->weights[k] = rnd() % 7 * 0.3;
    for (int k = 0; k < MOST_SAMPLES; k++) {
        d->shift[k] = (double)(int32_t)rnd() * 1e-8;
        d->scale[k] = 1 + rnd() % 100 * 0.1;
    }
}

#define PLANE(t)                                                                                                                           \
    {                                                                                                                                      \
        .term = GT_FLOAT_##t                                                                                                               \
    }
#define SITE_COUNT                                                                                                                         \
    {                                                                                                                                      \
        .term = GT_FLOAT_N, .unweighted = true                                                                                             \
    }
static const struct plane_set {
    const char *name;
    struct gt_plane planes[GT_MAX_PLANES];
    int n;
} sets[] = {
    {"squares", {SITE_COUNT, PLANE(SQUARE)}, 2},
    {"correlation", {SITE_COUNT, PLANE(X), PLANE(Y), PLANE(XX), PLANE(YY), PLANE(XY), PLANE(N)}, 7},
    {"largest", {SITE_COUNT, PLANE(MAX)}, 2},
    {"zeros", {SITE_COUNT, PLANE(ONLY_X), PLANE(ONLY_Y), PLANE(BOTH)}, 4},
};
enum { SETS = sizeof sets / sizeof *sets };

/* Looked at as they are; with weights; moved and scaled. */
enum look { PLAIN, WEIGHTS, MOVED, LOOKS };

static struct gt_acc_setup setup_of(const struct data *d, const struct plane_set *set, enum look look, struct gt_pair_box box)
{
    return (struct gt_acc_setup){.rows = GT_ROWS_F64,
                                 .n_samples = d->n,
                                 .box = box,
                                 .planes = set->planes,
                                 .n_planes = set->n,
                                 .block_rows = SITES,
                                 .parts_wanted = 1 + rnd() % 40,
                                 .numbers = {.weights = look == WEIGHTS ? d->weights : NULL,
                                             .shift = look == MOVED ? d->shift : NULL,
                                             .scale = look == MOVED ? d->scale : NULL},
                                 .device = device.ops ? &device : NULL,
                                 .budget = &budget};
}

/* --- sums written out -------------------------------------------------------------- */

static double step(enum gt_float_term term, double w, double x, double y, double sum)
{
    switch (term) {
    case GT_FLOAT_N:
        return sum + w;
    case GT_FLOAT_SQUARE:
        return fma(w * (x - y), x - y, sum);
    case GT_FLOAT_MAX:
        return w > 0 ? fmax(fabs(x - y), sum) : sum;
    case GT_FLOAT_X:
        return fma(w, x, sum);
    case GT_FLOAT_Y:
        return fma(w, y, sum);
    case GT_FLOAT_XX:
        return fma(w * x, x, sum);
    case GT_FLOAT_YY:
        return fma(w * y, y, sum);
    case GT_FLOAT_XY:
        return fma(w * x, y, sum);
    case GT_FLOAT_ONLY_X:
        return sum + (x != 0 && y == 0 ? w : 0);
    case GT_FLOAT_ONLY_Y:
        return sum + (y != 0 && x == 0 ? w : 0);
    default:
        return sum + (x != 0 && y != 0 ? w : 0);
    }
}

static double looked_at(const struct data *d, enum look look, int64_t site, int64_t i)
{
    double x = d->values[site * d->n + i];
    return look == MOVED ? (x - d->shift[i]) / d->scale[i] : x;
}

/* The sample of the lower number first; turned: what the plane is with them exchanged. */
static double want(const struct data *d, const struct gt_plane *plane, enum look look, int64_t sites, int64_t i, int64_t j)
{
    static const enum gt_float_term turned[GT_FLOAT_TERMS] = {
        [GT_FLOAT_X] = GT_FLOAT_Y,   [GT_FLOAT_Y] = GT_FLOAT_X,           [GT_FLOAT_XX] = GT_FLOAT_YY,
        [GT_FLOAT_YY] = GT_FLOAT_XX, [GT_FLOAT_ONLY_X] = GT_FLOAT_ONLY_Y, [GT_FLOAT_ONLY_Y] = GT_FLOAT_ONLY_X};
    enum gt_float_term term = i > j && turned[plane->term] ? turned[plane->term] : plane->term;
    int64_t low = i < j ? i : j, high = i < j ? j : i;
    double sum = 0;
    for (int64_t k = 0; k < sites; k++) {
        double x = looked_at(d, look, k, low), y = looked_at(d, look, k, high);
        if (!isnan(x) && !isnan(y))
            sum = step(term, look == WEIGHTS && !plane->unweighted ? d->weights[k] : 1, x, y, sum);
    }
    return sum;
}

/* --- runs ------------------------------------------------------------------------------ */

struct run {
    struct gt_acc *acc;
    struct gt_err err;
    int status;
};

static void start(struct run *run, const struct gt_acc_setup *setup)
{
    *run = (struct run){0};
    run->status = gt_acc_choose(setup) == &gt_acc_float ? gt_acc_float.init(&run->acc, setup, &run->err) : -1;
}

static void row_source(struct run *run, const struct data *d, int64_t from, int64_t to)
{
    struct gt_acc_block *block = NULL;
    for (int64_t s = from, n; !run->status && s < to; s += n) {
        n = 1 + rnd() % 300;
        n = to - s < n ? to - s : n;
        struct gt_rows rows = {d->values + s * d->n, (size_t)d->n * sizeof(double), n, s, false};
        run->status = gt_acc_float.prepare(run->acc, &rows, &block, &run->err);
        for (int64_t p = run->acc->parts - 1; !run->status && p >= 0; p--)
            run->status = gt_acc_float.add(run->acc, block, p, &run->err);
    }
    gt_acc_float.block_free(block);
}

static double *tile_of(const struct run *run, const struct gt_pair_box *box)
{
    int64_t cells = (box->row1 - box->row0) * (box->col1 - box->col0);
    double *all = malloc((size_t)(cells * GT_MAX_PLANES) * sizeof *all), *planes[GT_MAX_PLANES];
    for (int k = 0; k < GT_MAX_PLANES; k++)
        planes[k] = all + k * cells;
    gt_acc_float.tile(run->acc, box, planes);
    return all;
}

static const char *where(void)
{
    return device.ops ? device.label : gt_kernels()->name;
}

static int finish(struct run *run)
{
    struct gt_comm comm;
    gt_comm_self(&comm);
    return run->status ? run->status : gt_acc_float.finish(run->acc, &comm, &run->err);
}

/* Wrong sums in a box of what was counted. */
static int64_t errors(const struct run *run, const struct data *d, const struct plane_set *set, enum look look, int64_t sites,
                      const struct gt_pair_box *box)
{
    double *got = tile_of(run, box), *at = got;
    int64_t wrong = 0;
    for (int k = 0; k < set->n; k++)
        for (int64_t i = box->row0; i < box->row1; i++)
            for (int64_t j = box->col0; j < box->col1; j++, at++) {
                double expected = rnd() % 16 ? *at : want(d, &set->planes[k], look, sites, i, j); /* some of them */
                wrong += memcmp(&expected, at, sizeof *at) != 0;
            }
    free(got);
    return wrong;
}

static int64_t check(const struct data *d, const struct plane_set *set, enum look look, struct gt_pair_box box, struct gt_pair_box seen)
{
    struct gt_acc_setup setup = setup_of(d, set, look, box);
    struct gt_pair_box turned = {seen.col0, seen.col1, seen.row0, seen.row1};
    struct run run;
    start(&run, &setup);
    row_source(&run, d, 0, SITES);
    run.status = finish(&run);
    int64_t wrong = run.status ? 1 : errors(&run, d, set, look, SITES, &seen) + errors(&run, d, set, look, SITES, &turned);
    if (wrong)
        diag("%s: %s, look %d, %lld samples: %lld wrong %s", gt_kernels()->name, set->name, (int)look, (long long)d->n, (long long)wrong,
             run.err.msg);
    gt_acc_float.free(run.acc);
    return wrong;
}

static void check_level(struct data *d)
{
    static const int64_t samples[] = {1, 31, 33, 70, MOST_SAMPLES};
    int64_t wrong = 0;
    for (int round = 0; round < 5 * MISSINGS; round += device.ops ? 4 : 1) { /* the host device is slow */
        make_data(d, samples[round % 5], (enum missing)(round / 5));
        for (int s = 0; s < SETS; s++)
            wrong += check(d, &sets[s], (enum look)((round + s) % LOOKS), (struct gt_pair_box){0, d->n, 0, d->n},
                           (struct gt_pair_box){0, d->n, 0, d->n});
    }
    ok(wrong == 0, "%s: the bits of sums of pairs, missing values or not, any blocks and parts", where());
    make_data(d, MOST_SAMPLES, LATE);
    wrong = check(d, &sets[1], WEIGHTS, (struct gt_pair_box){0, 64, 0, 150}, (struct gt_pair_box){3, 64, 0, 150}) +
            check(d, &sets[1], PLAIN, (struct gt_pair_box){64, 128, 64, 150}, (struct gt_pair_box){64, 128, 64, 150}) +
            check(d, &sets[1], PLAIN, (struct gt_pair_box){0, 10, 128, 150}, (struct gt_pair_box){0, 10, 128, 150}) +
            check(d, &sets[0], PLAIN, (struct gt_pair_box){0, 150, 64, 150}, (struct gt_pair_box){0, 64, 64, 150});
    ok(wrong == 0, "%s: bands and rectangles", where());
}

/* --- weights from the variance, several ranks, merging, memory ------------------------------ */

static void check_variance(struct data *d)
{
    static const struct plane_set set = {"", {SITE_COUNT, PLANE(SQUARE)}, 2};
    struct gt_acc_setup setup;
    struct run run;
    make_data(d, 3, NOWHERE);
    memcpy(d->values, (double[]){1, 2, 6, 1, NAN, 3, 5, NAN, NAN}, 9 * sizeof(double)); /* variances 7, 2, none */
    setup = setup_of(d, &set, PLAIN, (struct gt_pair_box){0, 3, 0, 3});
    setup.numbers.by_variance = true;
    start(&run, &setup);
    row_source(&run, d, 0, 3);
    double *got = tile_of(&run, &setup.box);
    ok(!run.status && fabs(got[9 + 1] - 1 / 7.) < 1e-15 && fabs(got[9 + 2] - (25 / 7. + 4 / 2.)) < 1e-14 && got[2] == 2 && got[5] == 1,
       "squares over the variance of what is there: %g %g", got[9 + 1], got[9 + 2]);
    free(got);
    gt_acc_float.free(run.acc);
}

struct shared {
    const struct data *d;
    const struct plane_set *set;
    struct gt_acc_setup setup;
    int64_t wrong;
};

/* Every rank has all sites. */
static int rank_run(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct shared *shared = ctx;
    struct gt_acc_setup setup = shared->setup;
    struct gt_acc_block *block = NULL;
    struct gt_acc *acc = NULL;
    setup.rank = comm->rank;
    setup.ranks = comm->size;
    int status = gt_acc_float.init(&acc, &setup, err);
    for (int64_t s = 0; !status && s < SITES; s += 100) {
        struct gt_rows rows = {shared->d->values + s * shared->d->n, (size_t)shared->d->n * sizeof(double), 100, s, false};
        status = gt_acc_float.prepare(acc, &rows, &block, err);
        for (int64_t p = 0; !status && p < acc->parts; p++)
            status = gt_acc_float.add(acc, block, p, err);
    }
    status = status ? status : gt_acc_float.finish(acc, comm, err);
    if (!status && comm->rank == 0) {
        struct run run = {.acc = acc};
        shared->wrong = errors(&run, shared->d, shared->set, WEIGHTS, SITES, &setup.box) + (acc->sites != SITES);
    }
    gt_acc_float.block_free(block);
    gt_acc_float.free(acc);
    return status;
}

static void check_ranks(struct data *d)
{
    for (int n = 2; n <= 5; n++) {
        struct gt_err err[MOST_RANKS];
        struct shared shared = {d, &sets[n % 2], .wrong = -1};
        make_data(d, 140, n < 4 ? LATE : NOWHERE);
        shared.setup = setup_of(d, shared.set, WEIGHTS, (struct gt_pair_box){0, 140, 0, 140});
        ranks_run(n, rank_run, &shared, err);
        ok(!err[0].status && !err[n - 1].status && shared.wrong == 0, "%d ranks share the pairs: the bits of one", n);
    }
}

static void check_merge(struct data *d)
{
    int64_t wrong = 0;
    for (int late_first = 0; late_first < 2; late_first++) {
        struct gt_pair_box all = {0, 70, 0, 70};
        struct gt_acc_setup setup;
        struct run parts[2], whole;
        make_data(d, 70, LATE);
        setup = setup_of(d, &sets[1], PLAIN, all);
        start(&parts[0], &setup), start(&parts[1], &setup), start(&whole, &setup);
        row_source(&parts[late_first], d, 0, 200);
        row_source(&parts[1 - late_first], d, 200, SITES);
        row_source(&whole, d, 0, SITES);
        wrong += finish(&parts[0]) + finish(&parts[1]) + finish(&whole);
        wrong += gt_acc_float.merge(parts[0].acc, parts[1].acc, &parts[0].err) + (parts[0].acc->sites != SITES);
        double *got = tile_of(&parts[0], &all), *expected = tile_of(&whole, &all);
        for (int k = 0; k < sets[1].n * 70 * 70; k++)
            wrong += fabs(got[k] - expected[k]) > 1e-9 * (1 + fabs(expected[k]));
        free(got), free(expected);
        gt_acc_float.free(parts[0].acc), gt_acc_float.free(parts[1].acc), gt_acc_float.free(whole.acc);
    }
    ok(wrong == 0, "merged sums are those of all sites, to rounding");
}

static void check_bytes(struct data *d)
{
    bool fits = true;
    for (int64_t n = 1; n <= MOST_SAMPLES; n += 49) {
        struct gt_budget own;
        struct run run;
        gt_budget_init(&own, INT64_C(1) << 30);
        make_data(d, n, ANYWHERE);
        struct gt_acc_setup setup = setup_of(d, &sets[1], WEIGHTS, (struct gt_pair_box){0, n, 0, n});
        setup.budget = &own;
        start(&run, &setup);
        row_source(&run, d, 0, SITES);
        int64_t said = gt_acc_float.sums_bytes(&setup) + gt_acc_float.block_bytes(&setup);
        fits &= !run.status && own.high <= said && own.high * 10 > gt_acc_float.sums_bytes(&setup) * 9;
        gt_acc_float.free(run.acc);
        fits &= own.used == 0;
    }
    ok(fits, "sums and a block take what the plan says");
}

/* The same on the host device. */
static void check_device(struct data *d)
{
    struct gt_err err = {0};
    ok(!gt_device_open(&device, "host", 0, &err), "the host device opens");
    check_level(d);
    check_ranks(d);
    check_merge(d);
    check_bytes(d);
    ok(device.memory.used == 0, "its memory was given back");
    gt_device_close(&device);
}

static void check_takes(struct data *d)
{
    static const struct plane_set lonely = {"", {SITE_COUNT, PLANE(X)}, 2};
    struct gt_acc_setup setup = setup_of(d, &lonely, PLAIN, (struct gt_pair_box){0, 2, 0, 2});
    ok(gt_acc_choose(&setup) == NULL, "x without y is not taken");
}

int main(void)
{
    static struct data d;
    int n;
    gt_budget_init(&budget, INT64_C(1) << 31);
    const struct gt_kernels *const *levels = gt_kernels_all(&n);
    for (int k = 0; k < n; k++) {
        gt_kernels_select(levels[k]->name);
        check_level(&d);
    }
    check_variance(&d);
    check_ranks(&d);
    check_merge(&d);
    check_bytes(&d);
    check_takes(&d);
    check_device(&d);
    ok(budget.used == 0, "every byte was given back");
    return done_testing();
}
