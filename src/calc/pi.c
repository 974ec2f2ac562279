#include "config.h"

#include "calc/pi.h"

#include <math.h>
#include <stdatomic.h>

#include "base/size.h"
#include "engine/flow.h"

/* Chunks of about this many points: some 10 ms of work, a thousand times the
 * cost of a task, and short enough to be even at the end. */
#define CHUNK_POINTS (INT64_C(1) << 24)
/* A small run is still cut so that threads share it. */
#define SMALL_CHUNK_POINTS (INT64_C(1) << 16)
#define SMALL_CHUNKS 64

void gt_pi_init(struct gt_pi_acc *acc, const struct gt_kernels *kernels, uint64_t seed)
{
    *acc = (struct gt_pi_acc){.kernels = kernels, .seed = seed};
}

int64_t gt_pi_count_block(const struct gt_pi_acc *acc, int64_t first, int64_t n)
{
    return acc->kernels->pi_count(acc->seed, (uint64_t)first, n);
}

void gt_pi_add_block(struct gt_pi_acc *acc, int64_t n, int64_t inside)
{
    acc->points += n;
    acc->inside += inside;
}

void gt_pi_finish(const struct gt_pi_acc *acc, struct gt_pi_result *result)
{
    const double p = M_PI / 4, n = (double)acc->points;
    *result = (struct gt_pi_result){.points = acc->points, .inside = acc->inside};
    result->pi = 4 * ((double)acc->inside / n);
    result->error = result->pi - M_PI;
    result->stderr_ = 4 * sqrt(p * (1 - p) / n);
    result->z = result->error / result->stderr_;
}

int gt_pi_plan(struct gt_pi_plan *plan, int64_t points, int64_t chunks, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (points < 1 || chunks < 0)
        return gt_fail(err, GT_USAGE, "at least one point is needed");
    if (chunks > points)
        return gt_fail(err, GT_USAGE, "%s chunks are more than the %s points there are", gt_format_count(a, chunks),
                       gt_format_count(b, points));
    if (!chunks) {
        chunks = gt_ceil_div(points, SMALL_CHUNK_POINTS);
        if (chunks > SMALL_CHUNKS)
            chunks = SMALL_CHUNKS;
        if (chunks < gt_ceil_div(points, CHUNK_POINTS))
            chunks = gt_ceil_div(points, CHUNK_POINTS);
    }
    *plan = (struct gt_pi_plan){.points = points, .chunks = chunks};
    return GT_OK;
}

int64_t gt_pi_chunk_first(const struct gt_pi_plan *plan, int64_t i)
{
    return gt_comm_partition(plan->points, i, plan->chunks);
}

/* --- the flow ------------------------------------------------------------- */

struct run {
    struct gt_engine *engine;
    const struct gt_pi_plan *plan;
    int64_t first_chunk; /* of this rank */
    struct gt_pi_acc acc;
};

struct partial {
    int64_t n, inside;
};

static int count_chunk(void *ctx, int64_t ticket, void *item, struct gt_err *err)
{
    const struct run *run = ctx;
    struct partial *partial = item;
    int64_t chunk = run->first_chunk + ticket;
    int64_t first = gt_pi_chunk_first(run->plan, chunk), end = gt_pi_chunk_first(run->plan, chunk + 1);
    *partial = (struct partial){.n = end - first};
    /* in steps, so that a large chunk can be cancelled */
    for (int64_t n; first < end; first += n) {
        n = end - first < CHUNK_POINTS ? end - first : CHUNK_POINTS;
        if (atomic_load_explicit(&run->engine->cancelled, memory_order_relaxed))
            return gt_fail(err, GT_CANCEL, "stopped");
        partial->inside += gt_pi_count_block(&run->acc, first, n);
    }
    return GT_OK;
}

static int add_chunk(void *ctx, int64_t ticket, void *item, struct gt_err *err)
{
    struct run *run = ctx;
    const struct partial *partial = item;
    (void)ticket, (void)err;
    gt_pi_add_block(&run->acc, partial->n, partial->inside);
    return GT_OK;
}

/* What all ranks have counted, on each of them. */
static int add_ranks(struct gt_comm *comm, struct gt_pi_acc *acc, struct gt_err *err)
{
    int64_t counts[] = {acc->points, acc->inside};
    int status = gt_comm_allreduce_i64(comm, counts, 2, err);
    acc->points = counts[0];
    acc->inside = counts[1];
    return status;
}

int gt_pi_run(struct gt_engine *engine, const struct gt_pi_plan *plan, uint64_t seed, int threads, struct gt_pi_result *result,
              struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "pi", .work_name = "count", .item_size = sizeof(struct partial), .work = count_chunk};
    struct gt_comm *comm = &engine->comm;
    int64_t first = gt_comm_partition(plan->chunks, comm->rank, comm->size),
            end = gt_comm_partition(plan->chunks, comm->rank + 1, comm->size);
    struct gt_flow_opts opts = {.tickets = end - first, .ticket_bytes = sizeof(struct partial), .workers = threads};
    struct run run = {.engine = engine, .plan = plan, .first_chunk = first};
    int64_t begun = gt_trace_now(&engine->trace);
    int status;
    gt_pi_init(&run.acc, gt_kernels(), seed);
    if ((status = gt_flow_run(engine, &ops, &opts, &run, add_chunk, err)) != GT_OK)
        return status;
    if ((status = add_ranks(comm, &run.acc, err)) != GT_OK)
        return status;
    gt_pi_finish(&run.acc, result);
    result->seconds = (double)(gt_trace_now(&engine->trace) - begun) * 1e-9;
    return GT_OK;
}
