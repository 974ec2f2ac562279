/* Flows: order, bounds, errors, cancellation, chains and parts. */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/flow.h"
#include "core/engine/pool.h"
#include "core/engine/shared_cpus.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

static struct gt_engine engine;

static void spin(int64_t ns)
{
    int64_t until = gt_trace_now(&engine.trace) + ns;
    while (gt_trace_now(&engine.trace) < until)
        continue;
}

/* One context for all flows here: what to do at which task, and what was seen. */
struct probe {
    int64_t n;                                            /* read ends here when > 0 */
    int64_t fail_read, fail_work, fail_part, fail_commit; /* task, -1 none */
    int64_t hang_read;                                    /* task at which read waits for cancellation of the engine */
    bool meet;                                            /* the first read waits until another one is there */
    int64_t spin_ns;
    struct gt_flow *upstream;
    _Atomic int64_t in_flight, most, reads, works, part_calls, released, live;
    _Atomic int64_t readers, most_readers;
    _Atomic int64_t part_task, out_of_order;
    int64_t delivered, sum, wrong;
    uint64_t part_sum[8]; /* owned by its part: no lock */
    int64_t part_last[8];
};

struct item {
    bool seen;
    int64_t task, value;
};

static struct probe new_probe(void)
{
    struct probe p = {.fail_read = -1, .fail_work = -1, .fail_part = -1, .fail_commit = -1, .hang_read = -1};
    for (int i = 0; i < 8; i++)
        p.part_last[i] = -1;
    return p;
}

static void raise_to(_Atomic int64_t *most, int64_t v)
{
    int64_t old = atomic_load(most);
    while (v > old && !atomic_compare_exchange_weak(most, &old, v))
        continue;
}

static void enter(struct probe *p, struct item *item, int64_t task)
{
    if (!item->seen)
        p->live++;
    item->seen = true;
    item->task = task;
    item->value = task;
    raise_to(&p->most, ++p->in_flight);
}

static int do_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct probe *p = ctx;
    struct item *item = data;
    if (p->n > 0 && task >= p->n)
        return GT_END;
    if (task == p->fail_read)
        return gt_fail(err, GT_INPUT, "read %lld", (long long)task);
    raise_to(&p->most_readers, ++p->readers);
    p->reads++;
    enter(p, item, task);
    while (task == p->hang_read && !atomic_load(&engine.cancelled))
        usleep(1000);
    while (p->meet && p->most_readers < 2)
        usleep(100);
    spin(p->spin_ns);
    gt_flow_bytes(10);
    p->readers--;
    return GT_OK;
}

static int do_pull(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct probe *p = ctx;
    struct item *item = data, *from;
    int64_t up;
    int status = gt_flow_next(p->upstream, (void **)&from, &up, err);
    if (status)
        return status;
    if (up != task || from->value != 3 * task + 1)
        p->out_of_order++;
    enter(p, item, task);
    gt_flow_done(p->upstream, from);
    return GT_OK;
}

static int do_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct probe *p = ctx;
    struct item *item = data;
    if (task == p->fail_work)
        return gt_fail(err, GT_INPUT, "work %lld", (long long)task);
    if (!item->seen || item->task != task)
        enter(p, item, task);
    item->value = 3 * item->value + 1;
    p->works++;
    spin(p->spin_ns);
    return GT_OK;
}

static int do_part(void *ctx, int64_t task, int64_t part, void *data, struct gt_err *err)
{
    struct probe *p = ctx;
    struct item *item = data;
    if (task == p->fail_part && part == 1)
        return gt_fail(err, GT_INPUT, "part %lld", (long long)task);
    if (item->task != task || p->part_last[part] != task - 1)
        p->out_of_order++;
    p->part_last[part] = task;
    p->part_sum[part] = p->part_sum[part] * 31 + (uint64_t)item->value;
    p->part_calls++;
    return GT_OK;
}

static void do_release(void *ctx, void *data)
{
    struct probe *p = ctx;
    struct item *item = data;
    if (item->seen)
        p->released++;
}

static int do_commit(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct probe *p = ctx;
    struct item *item = data;
    if (task == p->fail_commit)
        return gt_fail(err, GT_FAIL, "commit %lld", (long long)task);
    if (task != p->delivered || item->task != task || item->value != 3 * task + 1)
        p->wrong++;
    p->delivered++;
    p->in_flight--;
    gt_flow_bytes(1);
    return GT_OK;
}

static const struct gt_flow_ops all_ops = {
    .name = "all", .item_size = sizeof(struct item), .read = do_read, .work = do_work, .part = do_part, .release = do_release};
/* Two of three: their parts are taken several at once. */
static bool is_light(void *ctx, const void *data)
{
    const struct item *item = data;
    (void)ctx;
    return item->task % 3 > 0;
}
static const struct gt_flow_ops light_ops = {.name = "light",
                                             .item_size = sizeof(struct item),
                                             .read = do_read,
                                             .work = do_work,
                                             .part = do_part,
                                             .light = is_light,
                                             .release = do_release};
static const struct gt_flow_ops work_ops = {.name = "work", .item_size = sizeof(struct item), .work = do_work, .release = do_release};
static const struct gt_flow_ops read_ops = {
    .name = "rw", .item_size = sizeof(struct item), .read = do_read, .work = do_work, .release = do_release};

static void test_order(int threads)
{
    struct gt_err err = {0};
    start_engine(&engine, threads);
    struct probe p = new_probe();
    struct gt_flow_opts opts = {.tasks = 3000, .parts = 5, .max_items = 7};
    int status = gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err);
    ok(status == GT_OK && p.delivered == 3000 && !p.wrong, "%d threads: every ticket, in order", threads);
    ok(p.most <= 7 && p.live == p.released && p.live <= 7, "%d threads: at most 7 in flight (%" PRId64 "), all released", threads, p.most);
    ok(p.part_calls == 15000 && !p.out_of_order && p.part_sum[0] == p.part_sum[4], "%d threads: parts in ticket order", threads);
    ok(p.most_readers == 1, "%d threads: one reader at a time", threads);

    for (int64_t parts = 1; parts <= 8; parts++) {
        p = new_probe();
        opts = (struct gt_flow_opts){.tasks = 301, .parts = parts, .max_items = 7};
        status = gt_flow_run(&engine, &light_ops, &opts, &p, do_commit, &err);
        ok(!status && p.delivered == 301 && !p.wrong && p.part_calls == 301 * parts && !p.out_of_order &&
               p.part_sum[0] == p.part_sum[parts - 1],
           "%d threads: %d light parts, each once, in ticket order", threads, (int)parts);
    }
    p = new_probe();
    p.fail_part = 40;
    opts = (struct gt_flow_opts){.tasks = 301, .parts = 8};
    status = gt_flow_run(&engine, &light_ops, &opts, &p, do_commit, &err);
    ok(status == GT_INPUT && !strcmp(err.msg, "part 40") && p.delivered == 40, "%d threads: a light part fails", threads);
    err = (struct gt_err){0};

    p = new_probe();
    p.n = 501;
    opts = (struct gt_flow_opts){.tasks = -1, .parts = 3};
    ok(gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 501 && !p.wrong && p.most <= 2 * threads + 2,
       "%d threads: an unknown number of tickets", threads);

    p = new_probe();
    opts = (struct gt_flow_opts){.tasks = 2000, .max_items = 3};
    ok(gt_flow_run(&engine, &work_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 2000 && !p.wrong && p.most <= 3,
       "%d threads: work alone", threads);

    p = new_probe();
    opts = (struct gt_flow_opts){.tasks = 400, .readers = 4, .max_items = 6};
    p.meet = true;
    status = gt_flow_run(&engine, &read_ops, &opts, &p, do_commit, &err);
    ok(status == GT_OK && p.delivered == 400 && !p.wrong && p.most <= 6 && p.most_readers > 1 && p.most_readers <= 4,
       "%d threads: four readers, in order and bounded (%" PRId64 " side by side)", threads, p.most_readers);

    p = new_probe();
    opts = (struct gt_flow_opts){.tasks = 0, .parts = 2};
    ok(gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 0 && p.reads == 0, "%d threads: no tickets",
       threads);

    p = new_probe();
    opts = (struct gt_flow_opts){.tasks = 50, .parts = 0};
    ok(gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 50, "%d threads: no parts", threads);

    p = new_probe();
    opts = (struct gt_flow_opts){.tasks = 100, .task_bytes = 1 << 20, .memory = 5 << 19};
    ok(gt_flow_run(&engine, &read_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 100 && p.most <= 2,
       "%d threads: memory bounds the items", threads);
    p = new_probe();
    opts.memory = 1;
    ok(gt_flow_run(&engine, &read_ops, &opts, &p, do_commit, &err) == GT_OK && p.delivered == 100 && p.most == 1,
       "%d threads: one item at least", threads);
    gt_engine_release(&engine);
}

static void test_errors(int threads)
{
    static const char *const where[] = {"read", "work", "part", "commit"};
    struct gt_flow_opts opts = {.tasks = 1000, .parts = 3};
    start_engine(&engine, threads);
    for (int stage = 0; stage < 4; stage++)
        for (int64_t at = 0; at < 1000; at += 333) {
            struct probe p = new_probe();
            struct gt_err err = {0};
            char want[32];
            int64_t *const fail[] = {&p.fail_read, &p.fail_work, &p.fail_part, &p.fail_commit};
            *fail[stage] = at;
            snprintf(want, sizeof want, "%s %lld", where[stage], (long long)at);
            int status = gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err);
            ok(status == (stage == 3 ? GT_FAIL : GT_INPUT) && err.status == status && !strcmp(err.msg, want) && p.delivered == at &&
                   !p.wrong && p.live == p.released,
               "%d threads: '%s' after earlier tickets, none later", threads, want);
        }
    struct probe p = new_probe();
    struct gt_err err = {0};
    p.fail_work = 40;
    p.fail_part = 38;
    p.fail_read = 43;
    gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err);
    ok(!strcmp(err.msg, "part 38") && p.delivered == 38, "%d threads: of several errors the lowest ticket's", threads);
    err = (struct gt_err){0};
    opts = (struct gt_flow_opts){.tasks = -1};
    ok(gt_flow_run(&engine, &work_ops, &opts, &p, do_commit, &err) == GT_USAGE, "no read and no number of tickets: %s", err.msg);
    gt_engine_release(&engine);
}

/* Tasks 3 and 4 are worked on side by side and fail one after the other, both before
 * task 2 is done. */
struct two_failures {
    int64_t first;
    _Atomic int begun, failed;
};

static void wait_for(_Atomic int *count, int n)
{
    while (*count < n)
        usleep(100);
}

static int fail_in_turn(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct two_failures *two = ctx;
    (void)item;
    if (task < 2 || task > 4)
        return GT_OK;
    two->begun++;
    wait_for(&two->begun, 3);
    if (task != two->first) {
        wait_for(&two->failed, task == 2 ? 2 : 1);
        usleep(20000); /* until the flow has heard of it */
    }
    if (task == 2)
        return GT_OK;
    two->failed++;
    return gt_fail(err, GT_INPUT, "work %d", (int)task);
}

static void test_two_failures(void)
{
    static const struct gt_flow_ops ops = {.name = "two", .item_size = 8, .work = fail_in_turn};
    struct gt_flow_opts opts = {.tasks = 1000};
    start_engine(&engine, 3);
    for (int first = 3; first <= 4; first++) {
        struct two_failures two = {.first = first};
        struct gt_err err = {0};
        int status = gt_flow_run(&engine, &ops, &opts, &two, NULL, &err);
        ok(status == GT_INPUT && !strcmp(err.msg, "work 3"), "ticket %d fails before the other: %s", first, err.msg);
    }
    gt_engine_release(&engine);
}

/* Callbacks that count how many of them run side by side. */
struct company {
    int expected; /* a part waits until so many are there, for some time */
    _Atomic int here, most;
};

static void come(struct company *c)
{
    int here = ++c->here, most = c->most;
    while (here > most && !atomic_compare_exchange_weak(&c->most, &most, here))
        continue;
}

static int work_in_company(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct company *c = ctx;
    (void)task, (void)item, (void)err;
    come(c);
    usleep(500);
    c->here--;
    return GT_OK;
}

static int part_in_company(void *ctx, int64_t task, int64_t part, void *item, struct gt_err *err)
{
    struct company *c = ctx;
    (void)task, (void)part, (void)item, (void)err;
    come(c);
    for (int i = 0; i < 5000 && c->most < c->expected; i++)
        usleep(1000);
    c->here--;
    return GT_OK;
}

/* Ranks of one thread, all of this process. */
static void share_cpus(struct gt_shared_cpus *shared, int ranks)
{
    struct gt_shared_cpus_offer offers[3];
    for (int r = 0; r < ranks; r++)
        gt_shared_cpus_offer(&shared[r], &offers[r]);
    for (int r = 0; r < ranks; r++) {
        gt_shared_cpus_join(&shared[r], offers, ranks, r, 1, 0);
        shared[r].most = ranks; /* on a machine of fewer cpus, too */
    }
}

static void test_company(void)
{
    static const struct gt_flow_ops parts = {.name = "parts", .item_size = 8, .part = part_in_company},
                                    works = {.name = "works", .item_size = 8, .work = work_in_company};
    struct gt_err err = {0};
    start_engine(&engine, 9);
    struct company four = {.expected = 4}, few = {0};
    struct gt_flow_opts opts = {.tasks = 1, .parts = 4};
    usleep(20000); /* all nine are idle */
    int status = gt_flow_run(&engine, &parts, &opts, &four, NULL, &err);
    ok(!status && four.most == 4, "as many idle workers are woken as there are parts: %d", four.most);
    opts = (struct gt_flow_opts){.tasks = 300, .workers = 2};
    status = gt_flow_run(&engine, &works, &opts, &few, NULL, &err);
    ok(!status && few.most == 2, "a flow of two workers has two of nine: %d", few.most);
    gt_engine_release(&engine);

    start_engine(&engine, 1);
    struct company three = {.expected = 3}, one = {.expected = 1};
    struct gt_shared_cpus shared[3];
    share_cpus(shared, 3);
    gt_pool_share(engine.pool, &shared[1]);
    status = gt_flow_run(&engine, &parts, &(struct gt_flow_opts){.tasks = 1, .parts = 3}, &three, NULL, &err);
    ok(!status && three.most == 3, "threads of ranks that wait are used: %d", three.most);
    gt_shared_cpus_say(&shared[0], 1);
    gt_shared_cpus_say(&shared[2], 1);
    status = gt_flow_run(&engine, &works, &(struct gt_flow_opts){.tasks = 50}, &one, NULL, &err);
    ok(!status && one.most == 1, "and not those of ranks that compute: %d", one.most);
    struct gt_engine other;
    struct company both = {.expected = 2};
    start_engine(&other, 1);
    gt_pool_share(other.pool, &shared[0]);
    gt_engine_release(&other);
    usleep(20000); /* longer than a pause between tasks */
    status = gt_flow_run(&engine, &parts, &(struct gt_flow_opts){.tasks = 1, .parts = 2}, &both, NULL, &err);
    ok(!status && both.most == 2, "a rank whose engine has ended waits, too: %d", both.most);
    gt_engine_release(&engine);
    for (int r = 0; r < 3; r++)
        gt_shared_cpus_leave(&shared[r]);
}

static void *cancel_soon(void *arg)
{
    usleep(20000);
    gt_engine_cancel(&engine, *(int *)arg);
    return NULL;
}

static void test_cancel(void)
{
    struct gt_err err = {0};
    pthread_t thread;
    int with = GT_CANCEL;
    start_engine(&engine, 2);
    struct probe p = new_probe();
    struct gt_flow_opts opts = {.tasks = -1, .parts = 3};
    p.hang_read = 1000;
    pthread_create(&thread, NULL, cancel_soon, &with);
    int status = gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err);
    pthread_join(thread, NULL);
    ok(status == GT_CANCEL && err.status == GT_CANCEL && p.delivered <= 1000 && !p.wrong, "cancelling the engine stops a flow");
    p = new_probe();
    err = (struct gt_err){0};
    ok(gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err) == GT_CANCEL && p.delivered == 0, "and every flow after it");
    gt_engine_cancel(&engine, GT_PIPE);
    ok(gt_flow_run(&engine, &all_ops, &opts, &p, do_commit, &err) == GT_CANCEL, "for the reason that was given first");
    gt_engine_release(&engine);

    start_engine(&engine, 2);
    for (int i = 0; i < 200; i++) {
        struct gt_flow *flow;
        void *item, *held = NULL;
        p = new_probe();
        opts = (struct gt_flow_opts){.tasks = -1, .parts = 3, .readers = 1 + i % 3};
        gt_flow_start(&flow, &engine, &all_ops, &opts, &p, &err);
        for (int k = 0; k < i % 5; k++) {
            gt_flow_next(flow, &item, NULL, &err);
            if (k % 2)
                gt_flow_done(flow, item);
            else
                held = item;
        }
        if (i % 5 && i % 2)
            gt_flow_done(flow, held);
        gt_flow_free(flow);
        if (p.live != p.released)
            break;
    }
    ok(p.live == p.released, "a flow may be freed in any state");
    gt_flow_free(NULL);
    gt_engine_release(&engine);
}

static const struct gt_flow_ops pull_ops = {
    .name = "pull", .item_size = sizeof(struct item), .read = do_pull, .work = do_work, .part = do_part, .release = do_release};

/* a -> b -> c; fails, or is cut short, where the probes say. */
static int run_chain(struct probe p[3], int64_t stop_after, struct gt_err *err)
{
    struct gt_flow *flow[3] = {0};
    struct gt_flow_opts opts = {.tasks = -1, .parts = 3, .max_items = 4};
    struct item *item;
    int64_t task;
    int status = gt_flow_start(&flow[0], &engine, &read_ops, &opts, &p[0], err);
    for (int i = 1; i < 3 && !status; i++) {
        p[i].upstream = flow[i - 1];
        status = gt_flow_start(&flow[i], &engine, &pull_ops, &opts, &p[i], err);
    }
    while (!status && p[2].delivered < stop_after && (status = gt_flow_next(flow[2], (void **)&item, &task, err)) == GT_OK) {
        status = do_commit(&p[2], task, item, err);
        gt_flow_done(flow[2], item);
    }
    for (int i = 3; i-- > 0;)
        gt_flow_free(flow[i]);
    return status;
}

static void test_chain(int threads)
{
    struct probe p[3];
    struct gt_err err = {0};
    start_engine(&engine, threads);
    for (int i = 0; i < 3; i++)
        p[i] = new_probe();
    p[0].n = 2000;
    int status = run_chain(p, INT64_MAX, &err);
    ok(status == GT_END && p[2].delivered == 2000 && !p[1].out_of_order && !p[2].out_of_order && !p[2].wrong,
       "%d threads: a chain of three", threads);
    for (int i = 0; i < 3; i++)
        p[i] = new_probe();
    p[1].fail_work = 77;
    status = run_chain(p, INT64_MAX, &err);
    ok(status == GT_INPUT && !strcmp(err.msg, "work 77") && p[2].delivered == 77, "%d threads: an error comes down the chain", threads);
    bool good = true;
    for (int64_t cut = 0; cut < 60; cut++) {
        for (int i = 0; i < 3; i++)
            p[i] = new_probe();
        err = (struct gt_err){0};
        run_chain(p, cut, &err);
        for (int i = 0; i < 3; i++)
            good = good && p[i].live == p[i].released;
        good = good && p[2].delivered == cut;
    }
    ok(good, "%d threads: a chain is torn down at any point", threads);
    gt_engine_release(&engine);
}

static int keep_nothing(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    (void)ctx, (void)task, (void)item, (void)err;
    return GT_OK;
}

static void test_cost(int threads)
{
    static const struct gt_flow_ops ops = {.name = "empty", .item_size = 8, .work = keep_nothing};
    struct gt_flow_opts opts = {.tasks = 100000};
    struct gt_err err = {0};
    double us = 1e9;
    int status = GT_OK;
    start_engine(&engine, threads);
    for (int run = 0; run < 5 && !status && us >= 50; run++) { /* the machine may be busy */
        int64_t begin = gt_trace_now(&engine.trace);
        status = gt_flow_run(&engine, &ops, &opts, NULL, keep_nothing, &err);
        us = (double)(gt_trace_now(&engine.trace) - begin) / 1e3 / (double)opts.tasks;
    }
    ok(!status && us < 50, "%d threads: %.2f microseconds a task", threads, us);
    gt_engine_release(&engine);
}

static void test_progress(void)
{
    struct gt_progress progress;
    struct gt_err err = {0};
    struct gt_flow *flow;
    void *item;
    struct gt_trace_total totals[GT_TRACE_STAGES];
    start_engine(&engine, 2);
    gt_progress_get(&engine, &progress);
    ok(progress.n_flows == 0 && !progress.memory_short, "no flow, no progress");
    struct probe p = new_probe();
    struct gt_flow_opts opts = {.tasks = 20, .parts = 2};
    gt_flow_start(&flow, &engine, &all_ops, &opts, &p, &err);
    for (int i = 0; i < 7; i++) {
        gt_flow_next(flow, &item, NULL, &err);
        gt_flow_done(flow, item);
    }
    gt_progress_get(&engine, &progress);
    const struct gt_progress_flow *all = &progress.flow[0];
    ok(progress.n_flows == 1 && !strcmp(all->name, "all") && all->done == 7 && all->tasks == 20 && all->bytes >= 70 && all->seconds > 0 &&
           all->in_flight <= all->most && all->running <= 2,
       "progress of a flow");
    gt_engine_pass(&engine, 1000);
    gt_engine_passed(&engine, 300);
    gt_engine_passed(&engine, 100);
    gt_progress_get(&engine, &progress);
    ok(progress.size == 1000 && progress.read == 400 && progress.pass_seconds >= 0, "and of the input that it reads");
    while (gt_flow_next(flow, &item, NULL, &err) == GT_OK)
        gt_flow_done(flow, item);
    gt_progress_get(&engine, &progress);
    ok(progress.n_flows == 0, "a flow that is done does not show");
    gt_flow_free(flow);
    int n = gt_trace_totals(&engine.trace, totals);
    int64_t reads = 0, parts = 0, bytes = 0;
    for (int i = 0; i < n; i++) {
        if (!strcmp(totals[i].stage, "read"))
            reads = totals[i].count, bytes = totals[i].bytes;
        if (!strcmp(totals[i].stage, "part"))
            parts = totals[i].count;
    }
    ok(reads == 20 && parts == 40 && bytes == 200, "totals of the stages");
    gt_engine_release(&engine);
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    static const int threads[] = {1, 2, 9};
    for (int i = 0; i < 3; i++) {
        test_order(threads[i]);
        test_errors(threads[i]);
        test_chain(threads[i]);
    }
    test_two_failures();
    test_company();
    test_cancel();
    test_progress();
    test_cost(1);
    test_cost(2);
    return done_testing();
}
