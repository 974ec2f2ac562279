/* Monte Carlo pi: the point's definition, kernels against it, the flow, and
 * statistics that a biased generator fails. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pi/pi.h"
#include "core/base/philox.h"
#include "kernels/kernels.h"
#include "kernels/pi.h"
#include "test/support/rank_threads.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

static struct gt_engine engine;
static struct gt_device cpu;

static bool exactly_inside(uint32_t x, uint32_t y)
{
    unsigned __int128 limit = ((unsigned __int128)1 << 64) - 5468522204u;
    return (unsigned __int128)x * x + (unsigned __int128)y * y < limit;
}

static void test_rule(void)
{
    bool good = floor(ldexp(1, 34) / M_PI) == 5468522204.0;
    ok(good, "the constant is 2^34 / pi");
    static const uint32_t edge[] = {0, 1, 2, 65535, 65536, 1u << 31, UINT32_MAX - 2, UINT32_MAX - 1, UINT32_MAX, 3037000499u, 3037000500u};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        for (size_t k = 0; k < sizeof edge / sizeof *edge; k++)
            good = good && gt_pi_inside(edge[i], edge[k]) == exactly_inside(edge[i], edge[k]);
    /* for many x, both sides of the circle's edge */
    for (uint64_t x = 0; x <= UINT32_MAX; x += 65537) {
        uint32_t y = (uint32_t)fmin(sqrtl(18446744068241029412.0L - (long double)x * (long double)x), 4294967295.0L);
        for (int step = -2; step <= 2; step++)
            good = good && gt_pi_inside((uint32_t)x, y + (uint32_t)step) == exactly_inside((uint32_t)x, y + (uint32_t)step);
    }
    ok(good, "inside is decided exactly, at the edge too");

    /* the same rule on a small grid, where all points can be counted */
    const int64_t side = 4096, limit = side * side - (int64_t)(4 * (double)side / M_PI);
    int64_t rule = 0, plain = 0;
    for (int64_t x = 0; x < side; x++)
        for (int64_t y = 0; y < side; y++) {
            rule += x * x + y * y < limit;
            plain += x * x + y * y < side * side;
        }
    double area = M_PI / 4 * (double)(side * side);
    diag("on a grid of 4096: rule %+.1e, plain %+.1e", (double)rule / area - 1, (double)plain / area - 1);
    ok(fabs((double)rule / area - 1) < 1e-5 && (double)plain / area - 1 > 1e-4, "the corrected radius takes the bias of the axes off");
}

/* The definition of calc/pi.h, word for word. */
static int64_t count_by_definition(uint64_t seed, uint64_t first, int64_t n)
{
    int64_t inside = 0;
    for (uint64_t p = first; p < first + (uint64_t)n; p++) {
        uint32_t counter[4] = {(uint32_t)(p / 2), (uint32_t)(p / 2 >> 32), 0, 0}, key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, w[4];
        gt_philox(counter, key, w);
        inside += exactly_inside(w[p % 2 * 2], w[p % 2 * 2 + 1]);
    }
    return inside;
}

static void test_kernels(void)
{
    static const uint64_t firsts[] = {0,
                                      1,
                                      2,
                                      7,
                                      1000001,
                                      (UINT64_C(1) << 33) - 33,
                                      (UINT64_C(1) << 33) - 1,
                                      UINT64_C(1) << 33,
                                      (UINT64_C(5) << 33) - 80,
                                      INT64_MAX - 300};
    static const uint64_t seeds[] = {0, 1, 0x123456789abcdef, UINT64_MAX};
    int n_levels;
    const struct gt_kernels *const *all = gt_kernels_all(&n_levels);
    for (int level = 0; level < n_levels; level++) {
        bool good = true;
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
            for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
                for (int64_t n = 0; n < 300; n += 1 + n / 40)
                    good = good && all[level]->pi_count(seeds[s], firsts[f], n) == count_by_definition(seeds[s], firsts[f], n);
        ok(good, "%s: counts as the definition says, at odd places and where the counter carries", all[level]->name);
        ok(all[level]->pi_count(42, 12345, 3000000) == all[0]->pi_count(42, 12345, 3000000), "%s: a long run as ref", all[level]->name);
    }
}

static void test_plan(void)
{
    struct gt_pi_plan plan;
    struct gt_err err = {0};
    bool good = true;
    ok(gt_pi_plan(&plan, 0, 0, &err) == GT_USAGE, "no points: %s", err.msg);
    gt_err_clear(&err);
    ok(gt_pi_plan(&plan, 10, 11, &err) == GT_USAGE, "too many chunks: %s", err.msg);
    for (int64_t points = 1; points < 200; points += 3)
        for (int64_t chunks = 1; chunks <= points; chunks++) {
            good = good && gt_pi_plan(&plan, points, chunks, NULL) == GT_OK && gt_pi_chunk_first(&plan, 0) == 0 &&
                   gt_pi_chunk_first(&plan, chunks) == points;
            for (int64_t i = 0; i < chunks; i++) {
                int64_t n = gt_pi_chunk_first(&plan, i + 1) - gt_pi_chunk_first(&plan, i);
                good = good && (n == points / chunks || n == points / chunks + 1);
            }
        }
    ok(good, "chunks cover the points evenly");
    ok(gt_pi_plan(&plan, INT64_MAX, 0, NULL) == GT_OK && gt_pi_chunk_first(&plan, plan.chunks) == INT64_MAX,
       "the most points there can be");
}

static void test_same_count(void)
{
    static const int64_t chunks[] = {0, 1, 2, 3, 7, 64, 999};
    struct gt_pi_plan plan;
    struct gt_pi_result result;
    struct gt_err err = {0};
    int64_t want = count_by_definition(9, 0, 200001);
    bool good = true;
    start_engine(&engine, 5);
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
        for (int threads = 0; threads <= 5; threads++) {
            int status = gt_pi_plan(&plan, 200001, chunks[c], &err);
            if (!status)
                status = gt_pi_run(&engine, &cpu, &plan, 9, threads, &result, &err);
            good = good && !status && result.inside == want && result.points == 200001;
        }
    ok(good, "the same count for any threads and chunks");
    ok(engine.budget.high == 0, "no buffers");
    ok(fabs(result.pi - 4.0 * (double)want / 200001) < 1e-15 && result.error == result.pi - M_PI &&
           fabs(result.stderr_ - 1.6421833 / sqrt(200001)) < 1e-8 && result.z == result.error / result.stderr_,
       "estimate, error, standard error, z");
    gt_engine_cancel(&engine, GT_CANCEL);
    gt_pi_plan(&plan, INT64_MAX, 1, &err);
    ok(gt_pi_run(&engine, &cpu, &plan, 9, 0, &result, &err) == GT_CANCEL, "a run can be cancelled");
    gt_engine_release(&engine);
}

struct wanted {
    int64_t points, inside, chunks;
    _Atomic int good;
};

static int count_as_rank(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct wanted *want = ctx;
    struct gt_limits limits = {.threads = 1, .io_threads = 1, .memory = 1 << 30, .threads_from = "test", .memory_from = "test"};
    struct gt_engine own;
    struct gt_pi_plan plan;
    struct gt_pi_result result;
    int status = gt_engine_init(&own, &limits, NULL, err);
    if (status)
        return status;
    own.comm = *comm;
    status = gt_pi_plan(&plan, want->points, want->chunks, err);
    if (!status)
        status = gt_pi_run(&own, &cpu, &plan, 9, 0, &result, err);
    if (!status)
        want->good += result.inside == want->inside && result.points == want->points;
    gt_engine_release(&own);
    return status;
}

static void test_ranks(void)
{
    struct gt_err err[MOST_RANKS];
    int64_t inside = count_by_definition(9, 0, 20001);
    for (int n = 1; n <= 5; n += 2) {
        struct wanted few = {20001, inside, 3, 0}, many = {20001, inside, 64, 0};
        ranks_run(n, count_as_rank, &few, err);
        ranks_run(n, count_as_rank, &many, err);
        ok(few.good == n && many.good == n, "%d ranks: each has the count of one, with fewer chunks than ranks too", n);
    }
}

/* Is the mean of z zero, and its variance one, over many seeds?  A right generator
 * fails either with probability 1e-5. */
struct verdict {
    double mean, variance; /* as normal deviates */
    bool good;
};

enum { SEEDS = 300, POINTS = 1 << 20 };

static struct verdict judge(uint64_t seeds, int64_t (*count)(uint64_t seed))
{
    const double p = M_PI / 4;
    struct verdict v = {0};
    for (uint64_t seed = 0; seed < seeds; seed++) {
        double z = ((double)count(seed) - p * POINTS) / sqrt(p * (1 - p) * POINTS);
        v.mean += z;
        v.variance += z * z;
    }
    v.mean /= sqrt((double)seeds);
    v.variance = (v.variance - (double)seeds) / sqrt(2.0 * (double)seeds);
    v.good = fabs(v.mean) < 4.4 && fabs(v.variance) < 4.8;
    return v;
}

static int64_t right(uint64_t seed)
{
    return gt_kernels()->pi_count(seed, 0, POINTS);
}

/* Coordinates of 8 bits: too many points on the axes. */
static int64_t coarse(uint64_t seed)
{
    uint32_t w[4], key[2] = {(uint32_t)seed, 0};
    int64_t inside = 0;
    for (uint32_t i = 0; i < POINTS / 2; i++) {
        gt_philox((uint32_t[4]){i}, key, w);
        for (int k = 0; k < 4; k += 2) {
            uint32_t x = w[k] >> 24, y = w[k + 1] >> 24;
            inside += x * x + y * y < 65536;
        }
    }
    return inside;
}

/* Each point four times: right on average, but not as good as it says. */
static int64_t repeated(uint64_t seed)
{
    return 4 * gt_kernels()->pi_count(seed, 0, POINTS / 4);
}

/* Streams of neighbouring seeds overlap. */
static int64_t overlapping(uint64_t seed)
{
    return gt_kernels()->pi_count(0, seed * 16, POINTS);
}

static void test_statistics(void)
{
    struct verdict v = judge(SEEDS, right);
    ok(v.good, "over %d seeds mean %+.2f and variance %+.2f are as they must be", SEEDS, v.mean, v.variance);
    v = judge(20, coarse);
    ok(!v.good, "coarse coordinates are caught: mean %+.1f", v.mean);
    v = judge(SEEDS, repeated);
    ok(!v.good, "repeated points are caught: variance %+.1f", v.variance);
    v = judge(SEEDS, overlapping);
    ok(!v.good, "overlapping streams are caught: mean %+.1f, variance %+.1f", v.mean, v.variance);
}

int main(void)
{
    test_rule();
    test_kernels();
    test_plan();
    test_same_count();
    test_ranks();
    test_statistics();
    return done_testing();
}
