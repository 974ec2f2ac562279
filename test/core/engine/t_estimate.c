/* The model of a run's time: sums by hand, and what more ranks and better rates do. */
#include <math.h>
#include <string.h>

#include "core/engine/comm.h"
#include "core/engine/estimate.h"
#include "test/support/tap.h"

static bool is_near(double got, double want)
{
    return fabs(got - want) <= 1e-12 * fabs(want);
}

static void test_rates(void)
{
    struct gt_rates rates;
    struct gt_err err = {0};
    ok(gt_rates_parse(&rates, NULL, &err) == GT_OK && rates.link == 0 && gt_rates_parse(&rates, "", &err) == GT_OK && rates.start == 0,
       "none are given");
    ok(gt_rates_parse(&rates, "start=0.5,read=3e9,decode=6e8,compute=2e11,link=125e6,latency=1e-4,finish=7,write=5e8", &err) == GT_OK &&
           rates.start == 0.5 && rates.read == 3e9 && rates.decode == 6e8 && rates.compute == 2e11 && rates.link == 125e6 &&
           rates.latency == 1e-4 && rates.last == 7 && rates.write == 5e8,
       "all are given");
    static const char *const wrong[] = {"speed=1",        "link",    "link=", "link=0",         "link=-1", "link=fast",
                                        "link=1 ,read=2", "links=1", "=1",    "link=1,,read=2", "link=inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gt_err_clear(&err);
        ok(gt_rates_parse(&rates, wrong[i], &err) == GT_USAGE && strstr(err.msg, "GT_RATES"), "'%s': %s", wrong[i], err.msg);
    }
}

static const struct gt_work work = {.reads = 4e9,
                                    .decodes = 3e9,
                                    .operations = 6e12,
                                    .rate = 1e11,
                                    .moved = 5e8,
                                    .messages = 300,
                                    .last = 8e8,
                                    .last_rate = 1e8,
                                    .last_threads = 1,
                                    .writes = 2e9};

static void test_sum(void)
{
    const struct gt_rates given = {.start = 0.25, .read = 1e9, .decode = 7.5e8, .write = 5e8, .link = 1.25e8, .latency = 1e-3};
    struct gt_estimate e;
    gt_estimate_make(&e, &work, &given, 3, 2);
    ok(is_near(e.start, 0.25) && is_near(e.read, 4) && is_near(e.decode, 2) && is_near(e.compute, 30) && is_near(e.send, 4) &&
           is_near(e.latency, 0.3) && is_near(e.finish, 8) && is_near(e.write, 4),
       "each term: %g %g %g %g %g %g %g %g", e.start, e.read, e.decode, e.compute, e.send, e.latency, e.finish, e.write);
    ok(is_near(e.total, 0.25 + 2 + 30 + 4 + 0.3 + 8 + 4), "reading goes on while it computes: %g", e.total);

    struct gt_rates slow = given;
    slow.read = 1e8;
    gt_estimate_make(&e, &work, &slow, 3, 2);
    ok(is_near(e.total, 0.25 + 40 + 4 + 0.3 + 8 + 4), "or longer: %g", e.total);

    slow.compute = 5e10;
    slow.last = 4e8;
    gt_estimate_make(&e, &work, &slow, 3, 0.5);
    ok(is_near(e.compute, 240) && is_near(e.finish, 4), "rates that are given, half a core: %g %g", e.compute, e.finish);

    gt_estimate_make(&e, &work, &given, 1, 2);
    ok(e.start == 0, "one rank has no launcher");
}

static void test_collective(void)
{
    ok(gt_estimate_collective(100, 1) == 0 && gt_estimate_collective(100, 2) == 100 && gt_estimate_collective(100, 4) == 100 &&
           gt_estimate_collective(100, 5) == 300 && gt_estimate_collective(100, 8) == 300 && gt_estimate_collective(100, 10) == 400,
       "a chain, then a tree");
    ok(gt_estimate_messages(1, 1) == 0 && gt_estimate_messages(0, 8) == 0 && gt_estimate_messages(1, 2) == 1 &&
           gt_estimate_messages(GT_COMM_BLOCK, 2) == 1 && gt_estimate_messages(GT_COMM_BLOCK + 1.0, 2) == 2 &&
           gt_estimate_messages(3.0 * GT_COMM_BLOCK, 8) == 9,
       "messages of a block");
}

/* What is shared takes less with each rank, what is sent does not; a faster link never takes longer. */
static void test_order(void)
{
    const struct gt_rates given = {.link = 1e8};
    double before = INFINITY;
    bool falls = true, rises = true;
    for (int ranks = 2; ranks <= 64; ranks++) {
        struct gt_estimate e;
        struct gt_work own = work;
        own.operations /= ranks;
        own.reads /= ranks;
        own.decodes /= ranks;
        own.moved = 0;
        own.messages = 0;
        gt_estimate_make(&e, &own, &given, ranks, 1);
        falls &= e.total < before;
        before = e.total;
    }
    ok(falls, "without messages, each rank helps");
    before = 0;
    for (int ranks = 1; ranks <= 64; ranks++) {
        struct gt_estimate slow, fast;
        struct gt_work same = work;
        same.moved = gt_estimate_collective(5e8, ranks);
        same.messages = gt_estimate_messages(5e8, ranks);
        gt_estimate_make(&slow, &same, &given, ranks, 1);
        gt_estimate_make(&fast, &same, &(struct gt_rates){.link = 1e9}, ranks, 1);
        rises &= slow.total >= before && (ranks == 1 || fast.total < slow.total);
        before = slow.total;
    }
    ok(rises, "messages take longer with more ranks, and on a slower link");
}

int main(void)
{
    test_rates();
    test_sum();
    test_collective();
    test_order();
    return done_testing();
}
