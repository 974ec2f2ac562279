#include "config.h"

#include "calc/pi/pi.h"
#include "calc/pi/pi_device.h"

#include <math.h>
#include <stdatomic.h>

#include "core/base/size.h"
#include "core/engine/flow.h"
#include "kernels/kernels.h"

/* Chunks of about this many points: some 10 ms of work, a thousand times the
 * cost of a task, and short enough to be even at the end. */
#define CHUNK_POINTS (INT64_C(1) << 24)
/* A small run is still cut so that threads share it. */
#define SMALL_CHUNK_POINTS (INT64_C(1) << 16)
#define SMALL_CHUNKS 64

int gt_pi_plan(struct gt_pi_plan *plan, int64_t points, int64_t chunks, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (points < 1 || chunks < 0)
        return gt_fail(err, GT_USAGE, "the number of points must be at least 1");
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
    struct gt_device *device;
    const struct gt_pi_plan *plan;
    int64_t first_chunk, end_chunk; /* of this rank */
    int64_t group;                  /* chunks of a task */
    uint64_t seed;
    int64_t points, inside; /* of the chunks that were added */
};

struct partial {
    int64_t n, inside;
    struct gt_pi_counter *counter; /* of a device */
};

/* Counts points in steps, so that a long run can be cancelled. */
static int count_points(const struct run *run, struct partial *partial, int64_t first, int64_t end, struct gt_err *err)
{
    const int64_t most = run->device->ops ? GT_PI_DEVICE_POINTS : CHUNK_POINTS;
    int status = GT_OK;
    for (int64_t n, inside; first < end && !status; first += n) {
        n = end - first < most ? end - first : most;
        if (gt_engine_stopped(run->engine))
            return gt_fail(err, GT_CANCEL, "stopped");
        if (run->device->ops)
            status = gt_pi_device_count(partial->counter, run->seed, (uint64_t)first, n, &inside, err);
        else
            inside = gt_kernels()->pi_count(run->seed, (uint64_t)first, n);
        partial->inside += status ? 0 : inside;
    }
    return status;
}

static int count_chunks(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    const struct run *run = ctx;
    struct partial *partial = item;
    const int64_t chunk = run->first_chunk + task * run->group, left = run->end_chunk - chunk;
    const int64_t first = gt_pi_chunk_first(run->plan, chunk),
                  end = gt_pi_chunk_first(run->plan, chunk + (left < run->group ? left : run->group));
    partial->n = end - first;
    partial->inside = 0;
    if (run->device->ops && !partial->counter) {
        int status = gt_pi_counter_new(&partial->counter, run->device, &run->engine->budget, err);
        if (status)
            return status;
    }
    return count_points(run, partial, first, end, err);
}

static void release(void *ctx, void *item)
{
    (void)ctx;
    gt_pi_counter_free(((struct partial *)item)->counter);
}

static int add_chunk(void *ctx, int64_t task, void *item, struct gt_err *err)
{
    struct run *run = ctx;
    const struct partial *partial = item;
    (void)task, (void)err;
    run->points += partial->n;
    run->inside += partial->inside;
    return GT_OK;
}

/* What all ranks have counted, on each of them. */
static int add_ranks(struct run *run, struct gt_err *err)
{
    int64_t counts[] = {run->points, run->inside};
    int status = gt_comm_allreduce_i64(&run->engine->comm, counts, 2, err);
    run->points = counts[0];
    run->inside = counts[1];
    return status;
}

static struct gt_pi_result result_of(const struct run *run)
{
    const double p = M_PI / 4, n = (double)run->points;
    struct gt_pi_result result = {.points = run->points, .inside = run->inside, .pi = 4 * ((double)run->inside / n)};
    result.error = result.pi - M_PI;
    result.stderr_ = 4 * sqrt(p * (1 - p) / n);
    result.z = result.error / result.stderr_;
    return result;
}

int gt_pi_run(struct gt_engine *engine, struct gt_device *device, const struct gt_pi_plan *plan, uint64_t seed, int threads,
              struct gt_pi_result *result, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "pi", .work_name = "count", .item_size = sizeof(struct partial), .work = count_chunks, .release = release};
    const struct gt_comm *comm = &engine->comm;
    struct run run = {.engine = engine, .device = device, .plan = plan, .seed = seed, .group = 1};
    run.first_chunk = gt_comm_partition(plan->chunks, comm->rank, comm->size);
    run.end_chunk = gt_comm_partition(plan->chunks, comm->rank + 1, comm->size);
    if (device->ops) /* two tasks at a time, so that one is counted while the other's counts are added */
        run.group = gt_max_i64(1, GT_PI_DEVICE_POINTS / gt_ceil_div(plan->points, plan->chunks));
    struct gt_flow_opts opts = {.tasks = gt_ceil_div(run.end_chunk - run.first_chunk, run.group),
                                .task_bytes = sizeof(struct partial) + (device->ops ? GT_PI_COUNTER_BYTES : 0),
                                .workers = device->ops ? 2 : threads};
    int64_t begun = gt_trace_now(&engine->trace);
    int status;
    if ((status = gt_flow_run(engine, &ops, &opts, &run, add_chunk, err)) != GT_OK)
        return status;
    if ((status = add_ranks(&run, err)) != GT_OK)
        return status;
    *result = result_of(&run);
    result->seconds = (double)(gt_trace_now(&engine->trace) - begun) * 1e-9;
    return GT_OK;
}
