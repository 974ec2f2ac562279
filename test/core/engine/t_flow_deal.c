/* Flows that are dealt to ranks, which are threads here: every task once, by its own rank, and in order on rank 0. */
#include "config.h"

#include <stdatomic.h>

#include "core/engine/flow_deal.h"
#include "test/support/rank_threads.h"
#include "test/support/test_engine.h"

enum { TASKS = 203 };

struct trial {
    int64_t tasks, unit, joined, fails_at;
    int64_t drop_fails_at; /* on the ranks that drop it; -1: nowhere */
    bool reads;
    atomic_int worked[TASKS];
    int owner[TASKS]; /* rank that worked */
    int64_t committed;
    int wrong;
};

struct job {
    struct trial *trial;
    struct gt_comm *comm;
    int64_t read, dropped; /* tasks that this rank was given */
};

struct item {
    struct gt_buf number, text;
};

static int work(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct job *job = ctx;
    struct item *item = it;
    atomic_fetch_add(&job->trial->worked[task], 1);
    job->trial->owner[task] = job->comm->rank;
    item->number.len = 0;
    if (task == job->trial->fails_at)
        return gt_fail(err, GT_INPUT, "task %lld is bad", (long long)task);
    int status = gt_buf_append(&item->number, &task, sizeof task, err);
    status = status ? status : gt_buf_resize(&item->text, (size_t)(task * 997 % 5000), err); /* 0 bytes too */
    if (!status && item->text.len)
        memset(item->text.data, (int)(task & 127), item->text.len);
    return status;
}

/* Every task, in order. */
static int read_task(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct job *job = ctx;
    (void)it;
    (void)err;
    job->trial->wrong += task != job->read;
    if (task == job->trial->tasks)
        return GT_END;
    job->read++;
    return GT_OK;
}

static int drop(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct job *job = ctx;
    (void)it;
    job->trial->wrong += task != job->read - 1;
    job->dropped++;
    return task == job->trial->drop_fails_at ? gt_fail(err, GT_INPUT, "task %lld cannot be dropped", (long long)task) : GT_OK;
}

static int results(void *ctx, void *it, struct gt_buf *list[GT_DEAL_RESULTS])
{
    struct item *item = it;
    (void)ctx;
    list[0] = &item->number;
    list[1] = &item->text;
    return 2;
}

static int commit(void *ctx, int64_t task, void *it, struct gt_err *err)
{
    struct job *job = ctx;
    const struct item *item = it;
    int64_t number = -1;
    (void)err;
    if (item->number.len == sizeof number)
        memcpy(&number, item->number.data, sizeof number);
    job->trial->wrong += job->comm->rank != 0 || task != job->trial->committed++ || number != task;
    job->trial->wrong += item->text.len != (size_t)(task * 997 % 5000);
    for (size_t i = 0; i < item->text.len; i++)
        job->trial->wrong += item->text.data[i] != (task & 127);
    return GT_OK;
}

static void release(void *ctx, void *it)
{
    struct item *item = it;
    (void)ctx;
    gt_buf_release(&item->number);
    gt_buf_release(&item->text);
}

static int run_rank(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct trial *trial = ctx;
    const struct gt_flow_ops ops = {
        .name = "deal", .item_size = sizeof(struct item), .read = trial->reads ? read_task : NULL, .work = work, .release = release};
    struct gt_engine engine;
    struct job job = {.trial = trial, .comm = comm};
    const struct gt_flow_opts opts = {.tasks = trial->reads ? -1 : trial->tasks, .task_bytes = 5000, .memory = 40000};
    const struct gt_deal deal = {.unit = trial->unit, .joined = trial->joined, .results = results, .drop = drop};
    start_engine(&engine, 2);
    engine.comm = *comm;
    int status = gt_flow_run_dealt(&engine, &ops, &opts, &deal, &job, commit, err);
    if (!status && trial->reads) {
        int64_t own = 0;
        for (int64_t t = 0; t < trial->tasks; t++)
            own += gt_deal_owner(&deal, comm->size, t) == comm->rank;
        trial->wrong += job.read != trial->tasks || job.dropped != (comm->size > 1 ? trial->tasks - own : 0);
    }
    gt_engine_release(&engine);
    return status;
}

static struct trial *try_ranks(int ranks, int64_t tasks, int64_t unit, int64_t joined, int64_t fails_at, struct gt_err err[MOST_RANKS])
{
    static struct trial trial;
    trial = (struct trial){.tasks = tasks, .unit = unit, .joined = joined, .fails_at = fails_at};
    ranks_run(ranks, run_rank, &trial, err);
    return &trial;
}

/* Tasks of one, which are read until the end. */
static struct trial *try_reading(int ranks, int64_t tasks, int64_t joined, int64_t drop_fails_at, struct gt_err err[MOST_RANKS])
{
    static struct trial trial;
    trial = (struct trial){.tasks = tasks, .unit = 1, .joined = joined, .fails_at = -1, .drop_fails_at = drop_fails_at, .reads = true};
    ranks_run(ranks, run_rank, &trial, err);
    return &trial;
}

static void test_order(void)
{
    static const int64_t units[] = {1, 3, 16, 500};
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int u = 0; u < 4; u++) {
            int wrong = 0;
            for (int64_t tasks = 0; tasks <= TASKS; tasks += tasks < 9 ? 1 : 97) {
                struct gt_err err[MOST_RANKS];
                const struct trial *trial = try_ranks(ranks, tasks, units[u], 0, -1, err);
                wrong += trial->wrong + (trial->committed != tasks);
                for (int r = 0; r < ranks; r++)
                    wrong += err[r].status != 0;
                for (int64_t t = 0; t < tasks; t++)
                    wrong += trial->worked[t] != 1 || trial->owner[t] != t / units[u] % ranks;
            }
            ok(wrong == 0, "%d ranks, groups of %d: each task once by its rank, in order on rank 0", ranks, (int)units[u]);
        }
}

/* Each rank has one task of each round, and about as many of those that end `joined` tasks. */
static void test_joined(void)
{
    static const int64_t joined[] = {1, 2, 3, 8, 50};
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int j = 0; j < 5; j++) {
            int wrong = 0;
            for (int64_t tasks = 0; tasks <= TASKS; tasks += tasks < 12 ? 1 : 97) {
                struct gt_err err[MOST_RANKS];
                const struct trial *trial = try_ranks(ranks, tasks, 1, joined[j], -1, err);
                int ends[MOST_RANKS] = {0}, least = INT32_MAX, most = 0;
                wrong += trial->wrong + (trial->committed != tasks);
                for (int64_t t = 0; t < tasks; t++) {
                    wrong += trial->worked[t] != 1;
                    for (int64_t before = t / ranks * ranks; before < t; before++)
                        wrong += trial->owner[before] == trial->owner[t];
                    ends[trial->owner[t]] += t % joined[j] == joined[j] - 1;
                }
                for (int r = 0; r < ranks; r++) {
                    wrong += err[r].status != 0;
                    least = ends[r] < least ? ends[r] : least;
                    most = ends[r] > most ? ends[r] : most;
                }
                wrong += most - least > 2;
            }
            ok(wrong == 0, "%d ranks, ends of %d tasks: one task of each round, and the ends fall to all of them", ranks, (int)joined[j]);
        }
}

static void test_reading(void)
{
    static const int64_t joined[] = {0, 4, 6};
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int j = 0; j < 3; j++) {
            int wrong = 0;
            for (int64_t tasks = 0; tasks <= TASKS; tasks += tasks < 12 ? 1 : 97) {
                struct gt_err err[MOST_RANKS];
                const struct trial *trial = try_reading(ranks, tasks, joined[j], -1, err);
                wrong += trial->wrong + (trial->committed != tasks);
                for (int r = 0; r < ranks; r++)
                    wrong += err[r].status != 0;
                for (int64_t t = 0; t < tasks; t++)
                    wrong += trial->worked[t] != 1;
            }
            ok(wrong == 0, "%d ranks, ends of %d tasks: each rank reads all of them, and drops those of others in their order", ranks,
               (int)joined[j]);
        }
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct gt_err err[MOST_RANKS];
        const struct trial *trial = try_reading(ranks, TASKS, 0, 40, err);
        int failed = 0;
        for (int r = 0; r < ranks; r++)
            failed += err[r].status == GT_INPUT && strstr(err[r].msg, "task 40 cannot be dropped") != NULL;
        ok(failed == ranks && trial->committed <= 42, "%d ranks: a task that cannot be dropped ends all of them", ranks);
    }
}

static void test_failure(void)
{
    for (int ranks = 1; ranks <= 4; ranks++) {
        struct gt_err err[MOST_RANKS];
        const struct trial *trial = try_ranks(ranks, TASKS, 4, 0, 41, err);
        int failed = 0;
        for (int r = 0; r < ranks; r++)
            failed += err[r].status == GT_INPUT && strstr(err[r].msg, "task 41 is bad") != NULL;
        ok(failed == ranks && trial->committed <= 41, "%d ranks: a task that fails ends all of them", ranks);
    }
}

int main(void)
{
    test_order();
    test_joined();
    test_reading();
    test_failure();
    return done_testing();
}
