#include "core/engine/flow_deal.h"

#include "core/base/size.h"
#include "core/engine/memory_plan.h"

struct run {
    const struct gt_flow_ops *ops;
    const struct gt_deal *deal;
    struct gt_comm *comm;
    void *ctx;
    int64_t next; /* task to be read */
    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err);
};

static int64_t common_factor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Which rank comes first in a round.  If `joined` and the number of ranks have a common factor, every `joined`-th group is at only some
 * places of a round.  Once all these places have come up, the next round begins with the next rank. */
static int first_of(const struct gt_deal *deal, int ranks, int64_t round)
{
    const int64_t factor = deal->joined > 1 ? common_factor(deal->joined, ranks) : 1;
    return factor > 1 ? (int)(round / (deal->joined / factor) % ranks) : 0;
}

int gt_deal_owner(const struct gt_deal *deal, int ranks, int64_t task)
{
    const int64_t unit = task / deal->unit;
    return (int)((unit + first_of(deal, ranks, unit / ranks)) % ranks);
}

static int owner_of(const struct run *run, int64_t task)
{
    return gt_deal_owner(run->deal, run->comm->size, task);
}

/* The first task of this rank in a round. */
static int64_t begin_of(const struct run *run, int64_t round)
{
    const int ranks = run->comm->size;
    return (round * ranks + (run->comm->rank + ranks - first_of(run->deal, ranks, round)) % ranks) * run->deal->unit;
}

/* A rank's own tasks are numbered without gaps; on rank 0 the flow has all tasks. */
static int64_t task_of(const struct run *run, int64_t own)
{
    return run->comm->rank == 0 ? own : begin_of(run, own / run->deal->unit) + own % run->deal->unit;
}

static int64_t count_own(const struct run *run, int64_t tasks)
{
    if (tasks < 0 || run->comm->rank == 0)
        return tasks;
    const int64_t unit = run->deal->unit, rounds = tasks / (unit * run->comm->size);
    return rounds * unit + gt_max_i64(0, gt_min_i64(unit, tasks - begin_of(run, rounds)));
}

/* Up to the rank's next task. */
static int deal_read(void *ctx, int64_t own, void *item, struct gt_err *err)
{
    struct run *run = ctx;
    const int64_t task = task_of(run, own);
    int status = GT_OK;
    for (; run->next <= task && !status; run->next++) {
        status = run->ops->read(run->ctx, run->next, item, err);
        if (!status && owner_of(run, run->next) != run->comm->rank)
            status = run->deal->drop(run->ctx, run->next, item, err);
    }
    return status;
}

static int deal_work(void *ctx, int64_t own, void *item, struct gt_err *err)
{
    const struct run *run = ctx;
    const int64_t task = task_of(run, own);
    return owner_of(run, task) == run->comm->rank ? run->ops->work(run->ctx, task, item, err) : GT_OK;
}

static void deal_release(void *ctx, void *item)
{
    const struct run *run = ctx;
    if (run->ops->release)
        run->ops->release(run->ctx, item);
}

static int send_results(const struct run *run, void *item, struct gt_err *err)
{
    struct gt_buf *list[GT_DEAL_RESULTS];
    uint64_t sizes[GT_DEAL_RESULTS] = {0};
    const int n = run->deal->results(run->ctx, item, list);
    for (int i = 0; i < n; i++)
        sizes[i] = list[i]->len;
    int status = gt_comm_send(run->comm, 0, sizes, sizeof sizes, err);
    for (int i = 0; i < n && !status; i++)
        status = gt_comm_send(run->comm, 0, list[i]->data, list[i]->len, err);
    return status;
}

static int receive_results(const struct run *run, int from, void *item, struct gt_err *err)
{
    struct gt_buf *list[GT_DEAL_RESULTS];
    uint64_t sizes[GT_DEAL_RESULTS];
    const int n = run->deal->results(run->ctx, item, list);
    int status = gt_comm_recv(run->comm, from, sizes, sizeof sizes, err);
    for (int i = 0; i < n && !status; i++) {
        status = gt_buf_resize(list[i], (size_t)sizes[i], err);
        status = status ? status : gt_comm_recv(run->comm, from, list[i]->data, list[i]->len, err);
    }
    return status;
}

static int deal_commit(void *ctx, int64_t own, void *item, struct gt_err *err)
{
    const struct run *run = ctx;
    const int64_t task = task_of(run, own);
    const int owner = owner_of(run, task);
    if (run->comm->rank)
        return send_results(run, item, err);
    int status = owner ? receive_results(run, owner, item, err) : GT_OK;
    return status ? status : run->commit(run->ctx, task, item, err);
}

/* Tasks of other ranks take no memory before they are received, so rank 0 goes through several rounds at a time; the others work
 * ahead while it is busy with a group that is not theirs. */
static int most_items(const struct run *run, const struct gt_engine *engine)
{
    const int64_t usual = gt_flow_most_items(engine, run->ops->read != NULL), unit = gt_min_i64(run->deal->unit, 1024),
                  ahead = usual > 2 * unit ? usual : 2 * unit;
    return (int)(run->comm->rank ? ahead : gt_min_i64(ahead * run->comm->size, 1 << 16));
}

int gt_flow_run_dealt(struct gt_engine *engine, const struct gt_flow_ops *ops, const struct gt_flow_opts *opts, const struct gt_deal *deal,
                      void *ctx, int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err)
{
    struct run run = {ops, deal, &engine->comm, ctx, 0, commit};
    struct gt_flow_ops dealt = *ops;
    struct gt_flow_opts own = *opts;
    if (engine->comm.size == 1)
        return gt_flow_run(engine, ops, opts, ctx, commit, err);
    dealt.read = ops->read ? deal_read : NULL;
    dealt.work = deal_work;
    dealt.release = deal_release;
    dealt.end = NULL;
    own.tasks = count_own(&run, opts->tasks);
    own.max_items = most_items(&run, engine);
    if (engine->comm.rank == 0)
        own.memory = gt_bytes_mul(opts->memory, engine->comm.size);
    struct gt_flow *flow = NULL;
    int status = gt_flow_start(&flow, engine, &dealt, &own, &run, err);
    status = status ? status : gt_flow_commit(flow, deal_commit, err);
    if (status) /* the read callback may wait for another rank, which waits for this one */
        gt_comm_fail(&engine->comm, err);
    gt_flow_free(flow);
    return status;
}
