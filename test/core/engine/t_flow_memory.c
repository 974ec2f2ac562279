/* Memory inside flows: who waits, who goes first, and that no wait is for ever. */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/philox.h"
#include "core/engine/flow.h"
#include "core/engine/pool.h"
#include "test/support/tap.h"
#include "test/support/test_engine.h"

#define LIMIT (INT64_C(1) << 20) /* of the budget: nothing is allocated, so any will do */

static struct gt_engine engine;
static _Atomic bool go; /* all flows were started: what is set aside for each is known */

static void start_small_engine(int threads)
{
    start_engine(&engine, threads);
    engine.budget.limit = LIMIT;
    engine.budget.easy = LIMIT;
}

/* What tasks take: in read, work and each part, in hundredths of the limit. */
struct plan {
    int64_t tasks;
    int items, readers, parts;
    int read, work, part;
    int64_t large_at; /* this one takes `large` more in work, and every 64th behind it */
    int large;
    bool keeps;      /* items keep what the task before took, as buffers do */
    int again;       /* work gives back what it took and takes it again, so often */
    int declared;    /* task_bytes */
    int64_t fail_at; /* work fails, once somebody waits for memory */
    int64_t hang_at; /* work waits for the end of the engine */
    uint32_t seed;   /* not 0: of random amounts up to those above */
    struct gt_flow *upstream;
    _Atomic int64_t refused;
};

struct item {
    int64_t taken; /* of the budget */
    int64_t used;  /* of that, by this task */
    void *from;
};

static int64_t percent(const struct plan *p, int64_t task, int stage, int n)
{
    if (p->seed) {
        uint32_t r[4];
        gt_philox((uint32_t[4]){(uint32_t)task, (uint32_t)stage}, (uint32_t[2]){p->seed}, r);
        n = (int)(r[0] % (uint32_t)(n + 1));
    }
    return LIMIT / 100 * n;
}

static int take(struct plan *p, struct item *item, int64_t n, struct gt_err *err)
{
    int64_t more = item->used + n - item->taken; /* what stays is used again */
    int status = more > 0 ? gt_budget_take(&engine.budget, (size_t)more, err) : GT_OK;
    item->used += n;
    if (status)
        p->refused++;
    else if (more > 0)
        item->taken += more;
    return status;
}

static void give_back(struct item *item, int64_t n)
{
    gt_budget_give(&engine.budget, (size_t)n);
    item->taken -= n;
    item->used -= n;
}

static void give_all(struct item *item)
{
    give_back(item, item->taken);
}

static int on_read(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct plan *p = ctx;
    struct item *item = data;
    while (!go)
        usleep(100);
    if (p->upstream && !item->from) {
        int status = gt_flow_next(p->upstream, &item->from, NULL, err);
        if (status)
            return status;
    }
    item->used = 0;
    return take(p, item, percent(p, task, 0, p->read), err);
}

static void wait_for_waiters(void)
{
    for (int i = 0; i < 2000 && !atomic_load(&engine.pool->short_of); i++)
        usleep(1000);
}

static int on_work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct plan *p = ctx;
    struct item *item = data;
    if (item->from)
        gt_flow_done(p->upstream, item->from);
    item->from = NULL;
    if (task == p->fail_at) {
        wait_for_waiters();
        return gt_fail(err, GT_INPUT, "work %" PRId64, task);
    }
    while (task == p->hang_at && !atomic_load(&engine.cancelled))
        usleep(1000);
    bool large = p->large && task >= p->large_at && (task - p->large_at) % 64 == 0;
    int status = take(p, item, percent(p, task, 1, p->work), err);
    for (int k = 0; k < p->again && !status; k++) {
        give_back(item, percent(p, task, 1, p->work));
        status = take(p, item, percent(p, task, 1, p->work), err);
    }
    return !status && large ? take(p, item, LIMIT / 100 * p->large, err) : status;
}

static int on_part(void *ctx, int64_t task, int64_t part, void *data, struct gt_err *err)
{
    struct plan *p = ctx;
    size_t n = (size_t)percent(p, task, 2 + (int)part, p->part);
    (void)data;
    int status = gt_budget_take(&engine.budget, n, err);
    if (!status)
        gt_budget_give(&engine.budget, n);
    return status;
}

static void on_release(void *ctx, void *data)
{
    struct plan *p = ctx;
    struct item *item = data;
    if (item->from)
        gt_flow_done(p->upstream, item->from);
    give_all(item);
}

static const struct gt_flow_ops ops = {
    .name = "takes", .item_size = sizeof(struct item), .read = on_read, .work = on_work, .part = on_part, .release = on_release};

static int start(struct gt_flow **flow, struct plan *p, struct gt_err *err)
{
    struct gt_flow_opts opts = {.tasks = p->upstream ? -1 : p->tasks,
                                .parts = p->parts,
                                .readers = p->readers,
                                .max_items = p->items,
                                .memory = INT64_MAX / 2,
                                .task_bytes = (size_t)(LIMIT / 100 * p->declared)};
    return gt_flow_start(flow, &engine, &ops, &opts, p, err);
}

/* The flows, each pulling from the one before; *delivered by the last.  Without `keeps` the consumer gives. */
static int run_chain(struct plan *p, int n, int64_t *delivered, struct gt_err *err)
{
    struct gt_flow *flow[8] = {0};
    int64_t task;
    void *item;
    int status = GT_OK;
    *delivered = 0;
    go = false;
    for (int i = 0; i < n && !status; i++) {
        p[i].upstream = i ? flow[i - 1] : NULL;
        status = start(&flow[i], &p[i], err);
    }
    go = true;
    while (!status && (status = gt_flow_next(flow[n - 1], &item, &task, err)) == GT_OK) {
        if (!p[n - 1].keeps)
            give_all(item);
        gt_flow_done(flow[n - 1], item);
        status = task == (*delivered)++ ? GT_OK : GT_FAIL;
    }
    for (int i = n; i-- > 0;)
        gt_flow_free(flow[i]);
    return status;
}

static struct plan new_plan(int64_t tasks, int items)
{
    return (struct plan){.tasks = tasks, .items = items, .readers = 1, .large_at = -1, .fail_at = -1, .hang_at = -1};
}

/* All tasks come, nothing was refused, nothing is left, and the limit held. */
static void finishes(struct plan *p, int n, const char *what, int threads)
{
    struct gt_err err = {0};
    int64_t delivered, refused = 0;
    int status = run_chain(p, n, &delivered, &err);
    for (int i = 0; i < n; i++)
        refused += p[i].refused;
    ok(status == GT_END && delivered == p[0].tasks && !refused && engine.budget.used == 0 && engine.budget.high <= LIMIT &&
           engine.pool->short_of == 0 && !engine.pool->waiters,
       "%d threads: %s (%" PRId64 " of %" PRId64 ", high %" PRId64 " %%) %s", threads, what, delivered, p[0].tasks,
       engine.budget.high / (LIMIT / 100), err.msg);
    engine.budget.high = 0;
}

static void test_one_flow(int threads)
{
    start_small_engine(threads);
    struct plan p = new_plan(500, 12);
    p.read = p.work = 30;
    p.declared = 60;
    finishes(&p, 1, "tickets that hold a third and want another", threads);
    p.readers = 4;
    finishes(&p, 1, "the same by four readers", threads);
    p.again = 20;
    finishes(&p, 1, "and work that gives back and takes again", threads);
    p = new_plan(500, 12);
    p.read = p.work = 10;
    p.large_at = 5;
    p.large = 80;
    p.declared = 100;
    finishes(&p, 1, "now and then one that takes everything", threads);
    p = new_plan(500, 12);
    p.work = p.declared = 100;
    finishes(&p, 1, "each takes everything", threads);
    p = new_plan(500, 9);
    p.read = 20;
    p.work = 30;
    p.part = 25;
    p.parts = 5;
    p.declared = 75;
    finishes(&p, 1, "parts take as well", threads);
    p = new_plan(500, 9);
    p.keeps = true;
    p.read = p.work = 40;
    p.declared = 80;
    finishes(&p, 1, "items keep their buffers", threads);
    gt_engine_release(&engine);
}

static void test_chains(int threads)
{
    static const int widths[] = {2, 3, 5, 8};
    start_small_engine(threads);
    for (int k = 0; k < 4; k++) {
        struct plan p[8];
        for (int i = 0; i < widths[k]; i++) {
            p[i] = new_plan(300, 3 + i);
            p[i].keeps = true;
            p[i].read = p[i].work = 50 / widths[k];
            p[i].declared = p[i].read + p[i].work;
        }
        finishes(p, widths[k], "a chain in which each flow has room for one ticket", threads);
    }
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct plan p[5];
        int n = 1 + (int)(seed % 5);
        for (int i = 0; i < n; i++) {
            p[i] = new_plan(200, 1 + (int)((seed * 7 + (uint32_t)i * 3) % 11));
            p[i].seed = seed + (uint32_t)i * 1000;
            p[i].readers = i ? 1 : 1 + (int)(seed % 3);
            p[i].keeps = i + 1 < n || seed % 2;
            p[i].read = p[i].work = 46 / n;
            p[i].part = 8 / n;
            p[i].parts = (int)(seed % 4);
            p[i].declared = p[i].read + p[i].work + p[i].part;
        }
        finishes(p, n, "random amounts", threads);
    }
    gt_engine_release(&engine);
}

/* --- what does not fit ---------------------------------------------------------------- */

static void test_refusal(int threads)
{
    struct gt_err err = {0};
    int64_t delivered;
    start_small_engine(threads);
    struct plan p = new_plan(100, 8);
    p.read = p.declared = 10;
    p.large_at = 40;
    p.large = 95;
    int status = run_chain(&p, 1, &delivered, &err);
    ok(status == GT_NOFIT && delivered == 40 && strstr(err.msg, "needs") && engine.budget.used == 0,
       "%d threads: one that wants more than there can be fails, those before it are delivered: %s", threads, err.msg);
    p = new_plan(100, 8);
    p.work = 101;
    err = (struct gt_err){0};
    status = run_chain(&p, 1, &delivered, &err);
    ok(status == GT_NOFIT && delivered == 0 && engine.budget.used == 0, "%d threads: more than the limit", threads);
    err = (struct gt_err){0};
    ok(gt_budget_take(&engine.budget, LIMIT, &err) == GT_OK && gt_budget_take(&engine.budget, 1, &err) == GT_NOFIT,
       "%d threads: outside of flows nothing will come, so nobody waits", threads);
    gt_budget_give(&engine.budget, LIMIT);
    gt_engine_release(&engine);
}

/* A reader that waits for an item when another one reads the last task has nothing left to do, and nobody waits for it. */
static void test_last_task(int threads)
{
    struct plan p = new_plan(6, 1);
    struct gt_flow *flow;
    struct gt_err err = {0};
    int64_t task;
    void *item;
    start_small_engine(threads);
    p.readers = 2;
    p.read = 40;
    go = true;
    int status = start(&flow, &p, &err);
    while (!status && (status = gt_flow_next(flow, &item, &task, &err)) == GT_OK && task < p.tasks - 1) {
        give_all(item);
        gt_flow_done(flow, item);
    }
    const int taken = status ? status : gt_budget_take(&engine.budget, LIMIT / 100 * 80, &err);
    ok(!status && task == p.tasks - 1 && taken == GT_NOFIT, "%d threads: after the last task is read, what nobody will give is refused: %s",
       threads, err.msg);
    if (!status)
        gt_flow_done(flow, item);
    gt_flow_free(flow);
    ok(engine.budget.used == 0, "%d threads: and nothing is left", threads);
    gt_engine_release(&engine);
}

static void test_error(int threads)
{
    start_small_engine(threads);
    for (int64_t at = 0; at < 60; at += 7) {
        struct plan p = new_plan(1000, 10);
        struct gt_err err = {0};
        int64_t delivered;
        p.read = p.work = 40;
        p.declared = 80;
        p.fail_at = at;
        int status = run_chain(&p, 1, &delivered, &err);
        ok(status == GT_INPUT && delivered == at && strncmp(err.msg, "work", 4) == 0 && engine.budget.used == 0,
           "%d threads: ticket %" PRId64 " fails while others wait: %s", threads, at, err.msg);
    }
    gt_engine_release(&engine);
}

static void *cancel_soon(void *arg)
{
    (void)arg;
    wait_for_waiters();
    gt_engine_cancel(&engine, GT_CANCEL);
    return NULL;
}

static void test_cancel(int threads)
{
    for (int64_t at = 0; at < 3; at++) {
        struct plan p = new_plan(-1, 10);
        struct gt_err err = {0};
        int64_t delivered;
        pthread_t thread;
        start_small_engine(threads);
        p.read = p.work = 40;
        p.declared = 80;
        p.hang_at = at;
        pthread_create(&thread, NULL, cancel_soon, NULL);
        int status = run_chain(&p, 1, &delivered, &err);
        pthread_join(thread, NULL);
        ok(status == GT_CANCEL && delivered <= at && engine.budget.used == 0, "%d threads: cancelled while some wait", threads);
        gt_engine_release(&engine);
    }
}

static void test_free(int threads)
{
    bool good = true;
    start_small_engine(threads);
    for (int i = 0; i < 100; i++) {
        struct plan p[2] = {new_plan(-1, 6), new_plan(-1, 6)};
        struct gt_flow *flow[2] = {0};
        struct gt_err err = {0};
        void *item;
        for (int k = 0; k < 2; k++) {
            p[k].read = p[k].work = 25;
            p[k].declared = 50;
            p[k].keeps = true;
            p[k].upstream = k ? flow[0] : NULL;
            start(&flow[k], &p[k], &err);
        }
        for (int k = 0; k < i % 4 && gt_flow_next(flow[1], &item, NULL, &err) == GT_OK; k++)
            gt_flow_done(flow[1], item);
        gt_flow_free(flow[1]);
        gt_flow_free(flow[0]);
        good = good && engine.budget.used == 0 && !engine.pool->waiters;
    }
    ok(good, "%d threads: flows are freed while tickets wait", threads);
    gt_engine_release(&engine);
}

/* --- tasks that wait for one another --------------------------------------------------- */

/* Two tasks after each other need the same thing, which the first who comes makes; the
 * other waits for it.  The younger may come first, and find no memory. */
struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { NEW, MAKING, MADE } state[256];
    int paused, generation;
    int64_t cost;
    bool tells; /* who waits says so */
};

static void settle(struct shared *s)
{
    s->generation++;
    gt_budget_waiting(&engine.budget, -s->paused);
    s->paused = 0;
    pthread_cond_broadcast(&s->changed);
}

static int make(struct shared *s, int64_t which, struct gt_err *err)
{
    int status = GT_OK;
    pthread_mutex_lock(&s->lock);
    while (s->state[which] != MADE && !status) {
        if (s->state[which] == NEW) {
            s->state[which] = MAKING;
            pthread_mutex_unlock(&s->lock);
            usleep(100);
            status = gt_budget_take(&engine.budget, (size_t)s->cost, err);
            pthread_mutex_lock(&s->lock);
            s->state[which] = status ? NEW : MADE;
            settle(s);
            continue;
        }
        int generation = s->generation;
        s->paused++;
        gt_budget_waiting(&engine.budget, 1);
        while (generation == s->generation)
            pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

static int work_shared(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct shared *s = ctx;
    (void)data;
    if (task % 2 == 0)
        usleep(300); /* so that the younger one comes first */
    return make(s, task / 2, err);
}

static int commit_shared(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct shared *s = ctx;
    (void)data, (void)err;
    if (task % 2)
        gt_budget_give(&engine.budget, (size_t)s->cost);
    return GT_OK;
}

static void test_shared(int threads)
{
    static const struct gt_flow_ops shared_ops = {.name = "shared", .item_size = 8, .work = work_shared};
    struct shared s = {.cost = LIMIT / 100 * 70};
    struct gt_flow_opts opts = {.tasks = 512, .task_bytes = (size_t)s.cost, .max_items = 8, .memory = INT64_MAX / 2};
    struct gt_err err = {0};
    start_small_engine(threads);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    int status = gt_flow_run(&engine, &shared_ops, &opts, &s, commit_shared, &err);
    ok(!status && engine.budget.used == 0, "%d threads: the oldest waits for what a younger one makes: %s", threads, err.msg);
    gt_engine_release(&engine);
}

static int work_locked(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    pthread_mutex_t *lock = ctx;
    (void)data, (void)task;
    pthread_mutex_lock(lock);
    gt_budget_locked();
    int status = gt_budget_take(&engine.budget, LIMIT / 100, err);
    gt_budget_unlocked();
    pthread_mutex_unlock(lock);
    return status ? status : gt_budget_take(&engine.budget, LIMIT / 100 * 40, err);
}

static int commit_locked(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    (void)ctx, (void)task, (void)data, (void)err;
    gt_budget_give(&engine.budget, LIMIT / 100 * 40);
    gt_budget_give(&engine.budget, LIMIT / 100);
    return GT_OK;
}

static void test_locked(int threads)
{
    static const struct gt_flow_ops locked_ops = {.name = "locked", .item_size = 8, .work = work_locked};
    struct gt_flow_opts opts = {.tasks = 400, .max_items = 8, .task_bytes = LIMIT / 100 * 41, .memory = INT64_MAX / 2};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct gt_err err = {0};
    start_small_engine(threads);
    int status = gt_flow_run(&engine, &locked_ops, &opts, &lock, commit_locked, &err);
    ok(!status && engine.budget.used == 0, "%d threads: a lock is held while memory is taken: %s", threads, err.msg);
    gt_engine_release(&engine);
}

int main(void)
{
    static const int threads[] = {1, 2, 9};
    alarm(300); /* a hang is a failure */
    for (int i = 0; i < 3; i++) {
        test_one_flow(threads[i]);
        test_chains(threads[i]);
        test_refusal(threads[i]);
        test_last_task(threads[i]);
        test_error(threads[i]);
        test_cancel(threads[i]);
        test_free(threads[i]);
        test_shared(threads[i]);
        test_locked(threads[i]);
    }
    return done_testing();
}
